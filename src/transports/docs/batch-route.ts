import { MAX_REQUESTS } from "../rest/batch-request.js"
import { type JsonSchema, schemaNamed } from "./json-schema.js"
import { jsonResponse, problem } from "./open-route.js"

const parameter = (name: string) => ({ $ref: `#/components/parameters/${name}` })

const DESCRIPTION = `At most ${MAX_REQUESTS} requests for the other paths in one, each answered as if it had come by itself.

With \`"atomic": true\`, which is the default, they are one transaction. When one is refused nothing of the batch is made: the answer has the status of that refusal, and \`error.request\` names the request. With \`"atomic": false\` each is made for itself, the answer is 200 and tells what became of each; what refers to one that was refused is answered with 424.

\`"$a.id"\` and \`"$a.revision"\`, in a path or where a body has an identifier or a revision, stand for those members of the answer to the earlier request \`a\`. \`Idempotency-Key\` covers the batch. Each request counts in the rate limit. A batch holds no other batch and nothing that talks to the storage or the network (uploads, previews).

GraphQL: the directive \`@atomic\` on a mutation runs all of its root fields in one transaction.`

const EXAMPLE = {
  requests: [
    { id: "a", method: "POST", path: "/api/v1/tasks", body: { list_id: 12, title: "Buy milk" } },
    { id: "b", method: "POST", path: "/api/v1/subtasks", body: { task_id: "$a.id", title: "Fetch the bottles" } },
    { id: "c", method: "PATCH", path: "/api/v1/tasks/84", body: { revision: 3, completed: true } },
  ],
}

/** Many requests in one. */
export const batchPaths: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  "/api/v1/batch": {
    post: {
      operationId: "batch",
      tags: ["Batch"],
      summary: "Run many requests in one",
      description: DESCRIPTION,
      parameters: [parameter("X-Request-Id"), parameter("Idempotency-Key"), parameter("X-Client-Request-Id")],
      requestBody: {
        required: true,
        content: { "application/json": { schema: schemaNamed("BatchInput"), example: EXAMPLE } },
      },
      responses: {
        200: jsonResponse("All of them were run.", schemaNamed("BatchAnswer"), {
          responses: [
            { id: "a", status: 201, body: { id: 85, list_id: 12, title: "Buy milk", revision: 1, type: "task" } },
            { id: "b", status: 201, body: { id: 7, task_id: 85, title: "Fetch the bottles", type: "subtask" } },
            { id: "c", status: 200, body: { id: 84, list_id: 12, title: "Call home", revision: 4, type: "task" } },
          ],
        }),
        400: problem("BadRequestInWords"),
        401: problem("Unauthorized"),
        403: problem("ForbiddenOrInsufficientScope"),
        404: problem("NotFoundOrClosed"),
        405: problem("MethodNotAllowed"),
        409: problem("RevisionConflictOrKeyReused"),
        413: problem("TooLarge"),
        415: problem("UnsupportedEncoding"),
        422: problem("InvalidFields"),
        429: problem("RateLimited"),
        500: problem("ServerError"),
        503: problem("Unavailable"),
      },
    },
  },
}

const ID: JsonSchema = { type: "string", pattern: "^[A-Za-z0-9_-]{1,64}$" }

/** What goes in and out there. */
export const batchSchemas: Readonly<Record<string, JsonSchema>> = {
  BatchInput: {
    type: "object",
    description: "Requests that are run in one.",
    required: ["requests"],
    properties: {
      atomic: {
        type: ["boolean", "null"],
        default: true,
        description: "Whether all of it is made, in one transaction, or nothing.",
      },
      requests: {
        type: "array",
        minItems: 1,
        maxItems: MAX_REQUESTS,
        description: "They are run in this order.",
        items: schemaNamed("BatchedRequest"),
      },
    },
  },
  BatchedRequest: {
    type: "object",
    description: "One request of a batch.",
    required: ["id", "method", "path"],
    properties: {
      id: { ...ID, description: "Names it in the batch and in its answer; no other of the batch has it." },
      method: { type: "string", enum: ["GET", "POST", "PATCH", "PUT", "DELETE"], description: "What to do." },
      path: { type: "string", pattern: "^/api/v1/", description: "From `/api/v1/` on, with its query." },
      body: { type: ["object", "null"], description: "What the path takes. `$a.id` stands for the id of `a`." },
    },
    additionalProperties: true,
  },
  BatchAnswer: {
    type: "object",
    description: "What became of the requests of a batch, in their order.",
    required: ["responses"],
    properties: { responses: { type: "array", minItems: 1, items: schemaNamed("BatchedResponse") } },
  },
  BatchedResponse: {
    type: "object",
    description: "The answer to one request of a batch.",
    required: ["id", "status"],
    properties: {
      id: { ...ID, description: "The request's `id`." },
      status: { type: "integer", minimum: 200, maximum: 599, description: "As it would have been by itself." },
      body: { description: "As it would have been by itself; left out where there is none." },
    },
  },
}
