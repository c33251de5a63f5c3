import { MAX_STREAMS } from "../../events/carrier-limits.js"
import { Scope } from "../../scalars/scope.js"
import { bytes, problem, query } from "./open-route.js"
import { securityOf } from "./security.js"

const DESCRIPTION = `What \`GET /api/v1/changes\` answers, as server-sent events, as it happens: one event for each change, whose \`data\` is that change. The last event of those that were read together has the cursor as its \`id\`; a client that comes back sends it as \`Last-Event-ID\` and misses nothing. Without a place it begins now. With \`list_id\` it holds the changes of that list, and ends when the list is gone.

A stream that is silent has a comment every 12 seconds. A refusal that comes later is an event \`error\` with the body of that error. A user has at most ${MAX_STREAMS} streams at once.`

/** Changes as they come. */
export const eventsPaths: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  "/api/v1/events": {
    get: {
      operationId: "events",
      tags: ["Events"],
      summary: "Follow changes",
      description: `${DESCRIPTION} Scope: \`read\`.`,
      security: securityOf([Scope.read]),
      parameters: [
        {
          name: "Last-Event-ID",
          in: "header",
          description: "The `id` that the client has seen last: the same as `after`.",
          schema: { type: "string" },
        },
        query("after", "A cursor, as in `changes`; `now` when it is left out.", { type: "string" }, "now"),
        query(
          "list_id",
          "A list that the viewer is a member of.",
          { type: "integer", format: "int64", minimum: 1 },
          12,
        ),
      ],
      responses: {
        200: bytes("The stream.", "text/event-stream"),
        400: problem("BadRequest"),
        401: problem("Unauthorized"),
        403: problem("InsufficientScope"),
        404: problem("NotFoundOrClosed"),
        405: problem("MethodNotAllowed"),
        410: problem("ResyncRequired"),
        429: problem("RateLimited"),
        500: problem("ServerError"),
        503: problem("Unavailable"),
      },
    },
  },
}
