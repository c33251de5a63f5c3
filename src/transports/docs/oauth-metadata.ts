import { RESOURCE_METADATA_PATH, RESOURCE_PATHS } from "../../oauth/resource.js"
import { jsonResponse, REQUEST_ID } from "./open-route.js"

/** What an application reads before it asks for a token (RFC 8414, RFC 9728). */
export const oauthMetadataPaths: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  "/.well-known/oauth-authorization-server": {
    get: {
      operationId: "oauthMetadata",
      tags: ["OAuth"],
      summary: "Get the OAuth metadata",
      security: [],
      responses: {
        200: jsonResponse(
          "The metadata of RFC 8414.",
          {
            type: "object",
            required: ["issuer", "token_endpoint"],
            properties: { issuer: { type: "string" }, token_endpoint: { type: "string" } },
            additionalProperties: true,
          },
          { issuer: "http://127.0.0.1:4000", token_endpoint: "http://127.0.0.1:4000/oauth/access_token" },
        ),
        400: { description: "The request is not valid HTTP.", headers: REQUEST_ID },
      },
    },
  },
  ...Object.fromEntries(
    RESOURCE_PATHS.map((path, index) => [
      `${RESOURCE_METADATA_PATH}${path}`,
      {
        get: {
          operationId: `resourceMetadata${["", "OfRest", "OfGraphql"][index]}`,
          tags: ["OAuth"],
          summary: `Get the metadata of ${path === "" ? "the service" : path}`,
          security: [],
          responses: {
            200: jsonResponse(
              "The metadata of RFC 9728: who gives tokens, and how they are sent.",
              {
                type: "object",
                required: ["resource", "authorization_servers"],
                properties: {
                  resource: { type: "string" },
                  authorization_servers: { type: "array", items: { type: "string" } },
                },
                additionalProperties: true,
              },
              { resource: `http://127.0.0.1:4000${path}`, authorization_servers: ["http://127.0.0.1:4000"] },
            ),
            400: { description: "The request is not valid HTTP.", headers: REQUEST_ID },
          },
        },
      },
    ]),
  ),
}
