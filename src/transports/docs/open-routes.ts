import { AVATAR_SIZES } from "../../pictures/avatar.js"
import { batchPaths } from "./batch-route.js"
import { eventsPaths } from "./events-route.js"
import { graphqlPaths } from "./graphql-routes.js"
import type { JsonSchema } from "./json-schema.js"
import { oauthPaths } from "./oauth-routes.js"
import { bytes, empty, inPath, jsonResponse, open, problem, query, REQUEST_ID } from "./open-route.js"

// Routes that are no row of the contract: each has a handler of its own, so each is described by hand, here and nowhere else.

const SIGNATURE = [
  query("expires", "When the address expires, in seconds since 1970.", { type: "integer" }, 1_796_000_000, true),
  query("signature", "Proves that the service created the address.", { type: "string" }, "5f2c", true),
]

const status = (value: string): JsonSchema => ({
  type: "object",
  required: ["status"],
  properties: { status: { type: "string", const: value } },
})

/** The tags and their descriptions. */
export const openTags = [
  { name: "Batch", description: "Many requests in one, as a whole or each by itself." },
  { name: "Events", description: "Changes as they happen." },
  { name: "GraphQL", description: "The same service as one schema, with subscriptions." },
  { name: "OAuth", description: "How an application gets a user's token." },
  { name: "Pictures and bytes", description: "Addresses that open without the two headers." },
  { name: "Operations", description: "Routes for load balancers and monitoring. No token required." },
]

/** Paths beside the rows, as OpenAPI has them. */
export const openPaths: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  ...oauthPaths,
  ...graphqlPaths,
  ...batchPaths,
  ...eventsPaths,
  "/api/v1/avatar": {
    get: open("Pictures and bytes", "avatar", "Get a user's picture", {
      description: "Requires no token, and reveals no more than the user's picture, or initials for users without one.",
      parameters: [
        query("user_id", "The user's identifier.", { type: "integer", format: "int64", minimum: 1 }, 1, true),
        query(
          "size",
          "Its width in pixels, or `original`.",
          { type: "string", enum: [...AVATAR_SIZES.map(String), "original"] },
          "128",
        ),
        query(
          "fallback",
          "Whether to draw a picture for users without one.",
          { type: "boolean", default: true },
          false,
        ),
      ],
      responses: {
        204: empty("The user has no picture, and none was to be drawn."),
        302: {
          description: "A redirect to the picture.",
          headers: {
            ...REQUEST_ID,
            Location: { description: "Its address.", schema: { type: "string", format: "uri" } },
          },
        },
        400: problem("BadRequest"),
        404: problem("NotFound"),
      },
    }),
  },
  "/avatars/{id}.png": {
    get: open("Pictures and bytes", "drawnAvatar", "Get a drawn picture with initials", {
      parameters: [
        inPath("id", "The user's identifier; it decides the colour."),
        query("initials", "At most two letters.", { type: "string" }, "A"),
        query("size", "Its width in pixels.", { type: "integer", enum: AVATAR_SIZES }, 128),
      ],
      responses: {
        200: bytes("The picture.", "image/png"),
        304: problem("NotModified"),
        400: problem("BadRequest"),
        404: problem("NotFound"),
      },
    }),
  },
  "/calendar/{secret}.ics": {
    get: open("Pictures and bytes", "calendarFeed", "Get a calendar feed", {
      description:
        "Created and revoked on the [account page](/account) or by `createCalendarFeed`. Anyone who has the address can read it.",
      parameters: [
        { ...inPath("secret", "The feed's secret."), schema: { type: "string" }, example: "q7c1Zp0vT3" },
        query(
          "show",
          "`events` shows due tasks as all-day events.",
          { type: "string", enum: ["tasks", "events"] },
          "events",
        ),
      ],
      responses: {
        200: bytes("An iCalendar.", "text/calendar"),
        304: problem("NotModified"),
        404: problem("NotFound"),
      },
    }),
  },
  "/downloads/{id}": {
    get: open("Pictures and bytes", "download", "Download a file", {
      description:
        "The address is `url` of a [file](#file). It is signed and expires after 30 to 60 minutes. Supports `Range`, `If-Range`, `If-None-Match` and `If-Modified-Since`.",
      parameters: [inPath("id", "The file's identifier."), ...SIGNATURE],
      responses: {
        200: bytes("The file, as an attachment under its name.", "application/octet-stream"),
        206: bytes("The part that `Range` names.", "application/octet-stream"),
        304: problem("NotModified"),
        400: problem("BadRequest"),
        403: problem("Forbidden"),
        404: problem("NotFound"),
        416: empty("`Range` lies beyond the end."),
        503: problem("Unavailable"),
      },
    }),
  },
  "/previews/{id}/{width}": {
    get: open("Pictures and bytes", "thumbnail", "Get a thumbnail", {
      description: "The address is `url` of a [preview](#preview).",
      parameters: [inPath("id", "The file's identifier."), inPath("width", "Its width in pixels."), ...SIGNATURE],
      responses: {
        200: bytes("The picture, a PNG or a JPEG.", "image/*"),
        400: problem("BadRequestInWords"),
        403: problem("Forbidden"),
        404: problem("NotFound"),
        503: problem("Unavailable"),
      },
    }),
  },
  "/api/health": {
    get: open("Operations", "health", "Check whether the service answers clients", {
      responses: {
        200: jsonResponse(
          "It does.",
          { type: "object", required: ["healthy"], properties: { healthy: { type: "boolean", const: true } } },
          { healthy: true },
        ),
        400: empty("The request is not valid HTTP."),
      },
    }),
  },
  "/metrics": {
    get: {
      ...open("Operations", "metrics", "Get metrics for Prometheus", {
        description:
          "Requires the token of `METRICS_TOKEN`; without that setting, only requests from the same machine are answered.",
        responses: {
          200: bytes("The metrics, as text.", "text/plain"),
          401: problem("Unauthorized"),
          404: problem("NotFound"),
        },
      }),
      security: [{ metricsToken: [] }, {}],
    },
  },
  "/healthz": {
    get: open("Operations", "alive", "Check whether the process is alive", {
      responses: {
        200: jsonResponse("It does.", status("ok"), { status: "ok" }),
        400: empty("The request is not valid HTTP."),
      },
    }),
  },
  "/readyz": {
    get: open("Operations", "ready", "Check whether the node is ready", {
      description: "It is not while it shuts down, and while its database is not available.",
      responses: {
        200: jsonResponse("It can.", status("ok"), { status: "ok" }),
        400: empty("The request is not valid HTTP."),
        503: jsonResponse(
          "It can't now.",
          {
            type: "object",
            required: ["status"],
            properties: { status: { type: "string", enum: ["draining", "unavailable"] } },
          },
          { status: "draining" },
        ),
      },
    }),
  },
}
