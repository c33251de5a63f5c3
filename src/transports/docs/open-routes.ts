import { AVATAR_SIZES } from "../../pictures/avatar.js"
import { batchPaths } from "./batch-route.js"
import { graphqlPaths } from "./graphql-routes.js"
import type { JsonSchema } from "./json-schema.js"
import { oauthPaths } from "./oauth-routes.js"
import { answer, bytes, empty, inPath, open, problem, query, REQUEST_ID } from "./open-route.js"

// What is no row of the contract: each of these has a handler of its own, so each is said by hand, here and nowhere else.

const SIGNATURE = [
  query("expires", "When the address ends, in seconds since 1970.", { type: "integer" }, 1_796_000_000, true),
  query("signature", "Proves that the service made the address.", { type: "string" }, "5f2c", true),
]

const status = (value: string): JsonSchema => ({
  type: "object",
  required: ["status"],
  properties: { status: { type: "string", const: value } },
})

/** What these tags are about. */
export const openTags = [
  { name: "Batch", description: "Many requests in one, as a whole or each by itself." },
  { name: "GraphQL", description: "The same service as one schema, with subscriptions." },
  { name: "OAuth", description: "How an application comes to a token of a user's." },
  { name: "Pictures and bytes", description: "Addresses that open without the two headers." },
  { name: "Operations", description: "What load balancers and monitoring ask. No token is needed." },
]

/** Paths beside the rows, as OpenAPI has them. */
export const openPaths: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  ...oauthPaths,
  ...graphqlPaths,
  ...batchPaths,
  "/api/v1/avatar": {
    get: open("Pictures and bytes", "avatar", "The picture of a user", {
      description: "Needs no token, and tells of a user no more than his picture, or his initials where he has none.",
      parameters: [
        query("user_id", "The user's identifier.", { type: "integer", format: "int64", minimum: 1 }, 1, true),
        query(
          "size",
          "Its width in pixels, or `original`.",
          { type: "string", enum: [...AVATAR_SIZES.map(String), "original"] },
          "128",
        ),
        query("fallback", "Whether to draw one for who has none.", { type: "boolean", default: true }, false),
      ],
      responses: {
        204: empty("He has none, and none was to be drawn."),
        302: {
          description: "Where the picture is.",
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
    get: open("Pictures and bytes", "drawnAvatar", "A drawn picture with initials", {
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
    get: open("Pictures and bytes", "calendarFeed", "A feed of tasks for calendars", {
      description:
        "Made and revoked on the [account page](/account) or by `createCalendarFeed`. Whoever has the address reads it.",
      parameters: [
        { ...inPath("secret", "What makes the address secret."), schema: { type: "string" }, example: "q7c1Zp0vT3" },
        query(
          "show",
          "`events` has what is due as events of a day.",
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
    get: open("Pictures and bytes", "download", "The bytes of a file", {
      description:
        "The address is `url` of a [file](#file). It holds a signature and ends after 30 to 60 minutes. Takes `Range`.",
      parameters: [inPath("id", "The file's identifier."), ...SIGNATURE],
      responses: {
        200: bytes("The file, as an attachment under its name.", "application/octet-stream"),
        206: bytes("The part that `Range` names.", "application/octet-stream"),
        400: problem("BadRequest"),
        403: problem("Forbidden"),
        404: problem("NotFound"),
        416: empty("`Range` lies beyond the end."),
        503: problem("Unavailable"),
      },
    }),
  },
  "/previews/{id}/{width}": {
    get: open("Pictures and bytes", "thumbnail", "A thumbnail", {
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
    get: open("Operations", "health", "Whether the service answers clients", {
      responses: {
        200: answer(
          "It does.",
          { type: "object", required: ["healthy"], properties: { healthy: { type: "boolean", const: true } } },
          { healthy: true },
        ),
        400: empty("What came is no HTTP."),
      },
    }),
  },
  "/metrics": {
    get: {
      ...open("Operations", "metrics", "What the node does, for Prometheus", {
        description: "Takes the token of `METRICS_TOKEN`; without that setting it answers this machine alone.",
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
    get: open("Operations", "alive", "Whether the process lives", {
      responses: { 200: answer("It does.", status("ok"), { status: "ok" }), 400: empty("What came is no HTTP.") },
    }),
  },
  "/readyz": {
    get: open("Operations", "ready", "Whether the node can serve", {
      description: "No while it ends, and while its database does not answer.",
      responses: {
        200: answer("It can.", status("ok"), { status: "ok" }),
        400: empty("What came is no HTTP."),
        503: answer(
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
