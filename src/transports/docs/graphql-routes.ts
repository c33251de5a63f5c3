import { type JsonSchema, schemaNamed } from "./json-schema.js"
import { bytes, jsonResponse, open, problem } from "./open-route.js"

const ANSWERED = { data: { lists: [{ id: "12", title: "Groceries" }] } }
const ANSWER = jsonResponse("The result, or its errors.", schemaNamed("GraphqlAnswer"), ANSWERED)

/** The GraphQL endpoint, and the schema as text. */
export const graphqlPaths: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  "/graphql": {
    post: {
      operationId: "graphql",
      tags: ["GraphQL"],
      summary: "Run a GraphQL operation",
      description:
        "A browser that opens this address gets an [explorer](/graphql). Subscriptions come over a WebSocket at the same address, in the protocol `graphql-transport-ws`; the two headers, or `Authorization`, are the payload of `connection_init`. With `Accept: text/event-stream` they, and the answers to all operations, are server-sent events, in the *distinct connections mode* of [GraphQL over SSE](https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md); `id` of an event is the cursor behind it, and `Last-Event-ID` counts as `after`, for `listUpdated`, `fileCreated` and `reminderDue` too. A user has at most 100 such streams. All types are in [schema.graphql](/schema.graphql).",
      requestBody: {
        required: true,
        content: {
          "application/json": { schema: schemaNamed("GraphqlRequest"), example: { query: "{ lists { id title } }" } },
        },
      },
      responses: {
        200: {
          ...ANSWER,
          content: {
            ...ANSWER.content,
            "text/event-stream": {
              schema: { type: "string" },
              example: `event: next\ndata: ${JSON.stringify(ANSWERED)}\n\nevent: complete\ndata: \n\n`,
            },
          },
        },
        400: jsonResponse(
          "The operation is not valid GraphQL, or not valid for the schema.",
          schemaNamed("GraphqlAnswer"),
          {
            errors: [
              { message: 'Cannot query field "x" on type "Query".', extensions: { code: "GRAPHQL_VALIDATION_FAILED" } },
            ],
          },
        ),
        401: jsonResponse(
          "The headers are missing or invalid, and the operation asks for more than the schema.",
          schemaNamed("GraphqlAnswer"),
          {
            errors: [{ message: "You are not authorized to make this request.", extensions: { code: "UNAUTHORIZED" } }],
          },
        ),
        403: jsonResponse(
          "The token lacks a scope that the operation needs. Nothing was run.",
          schemaNamed("GraphqlAnswer"),
          {
            errors: [
              {
                message: "This needs a token with the scope write.",
                extensions: { code: "INSUFFICIENT_SCOPE", scope: "write" },
              },
            ],
          },
        ),
        406: jsonResponse(
          "Neither `application/json` nor `application/graphql-response+json` nor `text/event-stream` is accepted.",
          schemaNamed("GraphqlAnswer"),
          {
            errors: [{ message: "GraphQL is answered as application/json.", extensions: { code: "BAD_REQUEST" } }],
          },
        ),
        413: problem("TooLarge"),
        429: problem("RateLimited"),
        500: problem("ServerError"),
        503: problem("Unavailable"),
      },
    },
  },
  "/schema.graphql": {
    get: open("GraphQL", "schemaText", "Get the schema", {
      description: "Refused like introspection: in production, unless the operator allows it.",
      responses: {
        200: bytes("All types, with their descriptions.", "application/graphql"),
        304: problem("NotModified"),
        404: problem("NotFound"),
      },
    }),
  },
}

/** Requests and responses of the GraphQL endpoint. */
export const graphqlSchemas: Readonly<Record<string, JsonSchema>> = {
  GraphqlRequest: {
    type: "object",
    required: ["query"],
    properties: {
      query: { type: "string", description: "The document." },
      operationName: { type: ["string", "null"], description: "Which of its operations to run." },
      variables: { type: ["object", "null"], description: "The values of its variables." },
    },
  },
  GraphqlAnswer: {
    type: "object",
    properties: {
      data: { type: ["object", "null"], description: "The result of the operation." },
      errors: {
        type: "array",
        items: {
          type: "object",
          required: ["message"],
          properties: {
            message: { type: "string" },
            path: { type: "array", items: { type: ["string", "integer"] } },
            extensions: {
              type: "object",
              properties: {
                code: { type: "string", description: "The `type` of the REST error, in capitals." },
                scope: { type: "string", description: "Of INSUFFICIENT_SCOPE: the scopes that are needed." },
                fields: {
                  type: "object",
                  description: "What is wrong, by field.",
                  additionalProperties: { type: "array", items: { type: "string" } },
                },
              },
            },
          },
        },
      },
    },
  },
}
