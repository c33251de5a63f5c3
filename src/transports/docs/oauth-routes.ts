import type { JsonSchema } from "./json-schema.js"
import { oauthMetadataPaths } from "./oauth-metadata.js"
import { jsonResponse, problem, query, REQUEST_ID } from "./open-route.js"

const text = (description: string): JsonSchema => ({ type: "string", description })

const CREDENTIALS = {
  client_id: text("The application's client ID; can be sent by HTTP Basic instead."),
  client_secret: text("Its secret; can be sent by HTTP Basic instead. Public applications have none."),
}

const body = (properties: Readonly<Record<string, JsonSchema>>, required: string[], example: unknown) => {
  const schema = { type: "object", properties: { ...properties, ...CREDENTIALS }, required }
  return {
    required: true,
    content: {
      "application/x-www-form-urlencoded": { schema, example },
      "application/json": { schema, example },
    },
  }
}

const ERROR: JsonSchema = {
  type: "object",
  required: ["error", "error_description"],
  properties: { error: text("The error code of RFC 6749."), error_description: text("What is wrong, in words.") },
}

const refusals = (example: unknown) => ({
  400: jsonResponse("What is wrong with the request.", ERROR, example),
  401: jsonResponse("The application's credentials are missing or wrong.", ERROR, {
    error: "invalid_client",
    error_description: "Client authentication failed.",
  }),
  413: jsonResponse("The body is too large.", ERROR, {
    error: "invalid_request",
    error_description: "The body is too large.",
  }),
  415: jsonResponse("The body has a Content-Encoding.", ERROR, {
    error: "invalid_request",
    error_description: "Send the body as it is: no Content-Encoding is supported.",
  }),
  429: {
    ...jsonResponse("Too many wrong secrets or codes.", ERROR, {
      error: "rate_limited",
      error_description: "Too many requests. Try again in 27 seconds.",
    }),
    headers: { ...REQUEST_ID, "Retry-After": { $ref: "#/components/headers/Retry-After" } },
  },
  500: problem("ServerError"),
  503: problem("Unavailable"),
})

const NO_TOKEN = { error: "invalid_request", error_description: "Missing parameter: token." }
const SECRET = { client_id: "app_5fJ2", client_secret: "s3cr3t" }

const inQuery = (name: string, description: string, example: string, required = false) =>
  query(name, description, { type: "string" }, example, required)

const page = (description: string) => ({
  description,
  headers: REQUEST_ID,
  content: { "text/html": { schema: { type: "string" } } },
})

const post = (operationId: string, summary: string, description: string, rest: object) => ({
  post: { operationId, tags: ["OAuth"], summary, description, security: [], ...rest },
})

/** How an application gets, revokes and inspects a token (RFC 6749, 7009, 7662, 8414, 9728). */
export const oauthPaths: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  "/oauth/authorize": {
    get: {
      operationId: "authorize",
      tags: ["OAuth"],
      summary: "Ask a user for access",
      description:
        "Send the user's browser here. It returns to `redirect_uri` with `code`, `iss` and `state`, or with `error`.",
      security: [],
      parameters: [
        inQuery("client_id", "The application's client ID.", "app_5fJ2", true),
        inQuery(
          "redirect_uri",
          "Where the user returns to; registered, and compared byte by byte, but for the port of `http://127.0.0.1` and `http://[::1]`.",
          "https://app.example.org/back",
          true,
        ),
        inQuery("state", "A random value by which the application recognises its request.", "af0ifjsldkj", true),
        inQuery(
          "code_challenge",
          "PKCE: the hash of a secret. Public applications need it.",
          "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        ),
        inQuery("code_challenge_method", "`S256`, the only one.", "S256"),
        inQuery(
          "scope",
          "Some of `read`, `write`, `share`, `manage`, with spaces between them; all that the application is registered with when none is named. `offline_access` asks for a refresh token.",
          "read write offline_access",
        ),
        inQuery(
          "resource",
          "The address of this service (RFC 8707), which needs not be said.",
          "http://127.0.0.1:4000",
        ),
      ],
      responses: {
        200: page("The page."),
        302: {
          description: "A redirect to sign-in, or back to `redirect_uri` with `error` if the request is invalid.",
          headers: { ...REQUEST_ID, Location: { description: "Where to.", schema: { type: "string" } } },
        },
        400: page("A parameter is missing, or the application is unknown. The page says which."),
        403: page("`redirect_uri` is not registered. The user is not redirected."),
        500: page("An internal error. The service's log has the request id."),
        503: page("The database cannot be reached. Try again after `Retry-After`."),
      },
    },
  },
  "/oauth/access_token": post(
    "exchangeCode",
    "Exchange a code or refresh token for a token",
    "Without `grant_type` the response has `access_token` alone; with it, everything that RFC 6749 requires.",
    {
      requestBody: body(
        {
          grant_type: {
            type: "string",
            enum: ["authorization_code", "refresh_token"],
            description: "What is exchanged.",
          },
          code: text("The code: valid once, for ten minutes."),
          redirect_uri: text("The same as in the authorization request."),
          code_verifier: text("PKCE: the secret."),
          refresh_token: text("For `grant_type=refresh_token`."),
          scope: text("For a renewal: some of the scopes that the user has agreed to. Default: all of them."),
          resource: text("The address of this service (RFC 8707), which needs not be said."),
        },
        [],
        { ...SECRET, code: "SplxlOBeZQQYbYS6WxSbIA" },
      ),
      responses: {
        200: jsonResponse(
          "The token.",
          {
            type: "object",
            required: ["access_token"],
            properties: {
              access_token: text("The value of the header `X-Access-Token`, or of `Authorization` behind `Bearer`."),
              token_type: text("Always `Bearer`."),
              expires_in: { type: "integer", description: "Seconds until it expires, if it does." },
              refresh_token: text("If `offline_access` was requested."),
              scope: text("What was granted."),
            },
          },
          { access_token: "2YotnFZFEjr1zCsicMWpAA" },
        ),
        ...refusals({ error: "invalid_grant", error_description: "The code is unknown, used or too old." }),
      },
    },
  ),
  "/oauth/revoke": post(
    "revokeToken",
    "Revoke a token",
    "Revoking a refresh token revokes all tokens of its consent. An unknown token counts as revoked.",
    {
      requestBody: body({ token: text("The token."), token_type_hint: text("Ignored.") }, ["token"], {
        ...SECRET,
        token: "2YotnFZFEjr1zCsicMWpAA",
      }),
      responses: {
        200: jsonResponse("The token is revoked.", { type: "object", maxProperties: 0 }, {}),
        ...refusals(NO_TOKEN),
      },
    },
  ),
  "/oauth/introspect": post(
    "introspectToken",
    "Introspect a token",
    "Another application's token is reported as not active. Public applications cannot ask.",
    {
      requestBody: body({ token: text("The token."), token_type_hint: text("Ignored.") }, ["token"], {
        ...SECRET,
        token: "2YotnFZFEjr1zCsicMWpAA",
      }),
      responses: {
        200: jsonResponse(
          "The token's state.",
          {
            type: "object",
            required: ["active"],
            properties: {
              active: { type: "boolean" },
              client_id: { type: "string" },
              sub: text("The user's identifier."),
              token_type: { type: "string" },
              iat: { type: "integer" },
              exp: { type: "integer" },
              scope: { type: "string" },
            },
          },
          { active: true, client_id: "app_5fJ2", sub: "1", token_type: "Bearer", iat: 1_796_000_000 },
        ),
        ...refusals(NO_TOKEN),
      },
    },
  ),
  ...oauthMetadataPaths,
}
