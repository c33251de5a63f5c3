import type { JsonSchema } from "./json-schema.js"
import { answer, problem, query, REQUEST_ID } from "./open-route.js"

const text = (description: string): JsonSchema => ({ type: "string", description })

const CREDENTIALS = {
  client_id: text("The application's client ID; may come by HTTP Basic instead."),
  client_secret: text("Its secret; may come by HTTP Basic instead."),
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
  properties: { error: text("As RFC 6749 names it."), error_description: text("What is wrong, in words.") },
}

const refusals = (example: unknown) => ({
  400: answer("What is wrong with the request.", ERROR, example),
  401: answer("The application has not proved who it is.", ERROR, {
    error: "invalid_client",
    error_description: "Client authentication failed.",
  }),
  413: answer("The body is too large.", ERROR, {
    error: "invalid_request",
    error_description: "The body is too large.",
  }),
  415: answer("The body came in a Content-Encoding.", ERROR, {
    error: "invalid_request",
    error_description: "Send the body as it is: no Content-Encoding is supported.",
  }),
  429: {
    ...answer("Too many wrong secrets or codes.", ERROR, {
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

/** How an application comes to a token, and what it may do with it (RFC 6749, 7009, 7662, 8414). */
export const oauthPaths: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  "/oauth/authorize": {
    get: {
      operationId: "authorize",
      tags: ["OAuth"],
      summary: "The page on which a user lets an application in",
      description:
        "Send the user's browser here. It comes back to `redirect_uri` with `code` and `state`, or with `error`.",
      security: [],
      parameters: [
        inQuery("client_id", "The application's client ID.", "app_5fJ2", true),
        inQuery(
          "redirect_uri",
          "Where the user returns to; registered, and compared byte by byte.",
          "https://app.example.org/back",
          true,
        ),
        inQuery("state", "What the application knows its request by: unguessable.", "af0ifjsldkj", true),
        inQuery("code_challenge", "PKCE: the hash of a secret.", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
        inQuery("code_challenge_method", "`S256`, the only one.", "S256"),
        inQuery("scope", "`offline_access` asks for a refresh token.", "offline_access"),
      ],
      responses: {
        200: page("The page."),
        302: {
          description: "To sign in first, or back to `redirect_uri` with `error` where the request is at fault.",
          headers: { ...REQUEST_ID, Location: { description: "Where to.", schema: { type: "string" } } },
        },
        400: page("A parameter is missing, or the application is unknown. The page says which."),
        403: page("`redirect_uri` is not registered. Nobody is led there."),
        500: page("A fault of the service. Its log has the request id."),
        503: page("The database cannot be reached. Try again after `Retry-After`."),
      },
    },
  },
  "/oauth/access_token": post(
    "exchangeCode",
    "Exchanges a code for a token, or renews one",
    "Without `grant_type` the answer has `access_token` alone; with it, everything that RFC 6749 asks for.",
    {
      requestBody: body(
        {
          grant_type: {
            type: "string",
            enum: ["authorization_code", "refresh_token"],
            description: "What is exchanged.",
          },
          code: text("The code: good once, for ten minutes."),
          redirect_uri: text("As it was when the code was asked for."),
          code_verifier: text("PKCE: the secret."),
          refresh_token: text("For `grant_type=refresh_token`."),
        },
        [],
        { ...SECRET, code: "SplxlOBeZQQYbYS6WxSbIA" },
      ),
      responses: {
        200: answer(
          "The token.",
          {
            type: "object",
            required: ["access_token"],
            properties: {
              access_token: text("To be sent as `X-Access-Token`."),
              token_type: text("Always `Bearer`."),
              expires_in: { type: "integer", description: "Seconds, where it ends." },
              refresh_token: text("Where `offline_access` was asked for."),
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
    "Ends a token",
    "A refresh token ends with all that its consent gave. An unknown token is as good as ended.",
    {
      requestBody: body({ token: text("The token."), token_type_hint: text("Not needed.") }, ["token"], {
        ...SECRET,
        token: "2YotnFZFEjr1zCsicMWpAA",
      }),
      responses: {
        200: answer("It has ended.", { type: "object", maxProperties: 0 }, {}),
        ...refusals(NO_TOKEN),
      },
    },
  ),
  "/oauth/introspect": post(
    "introspectToken",
    "What a token is good for",
    "Nothing is said of another application's token but that it is not active.",
    {
      requestBody: body({ token: text("The token."), token_type_hint: text("Not needed.") }, ["token"], {
        ...SECRET,
        token: "2YotnFZFEjr1zCsicMWpAA",
      }),
      responses: {
        200: answer(
          "What it is good for.",
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
  "/.well-known/oauth-authorization-server": {
    get: {
      operationId: "oauthMetadata",
      tags: ["OAuth"],
      summary: "Where all of this is, for libraries",
      security: [],
      responses: {
        200: answer(
          "The metadata of RFC 8414.",
          {
            type: "object",
            required: ["issuer", "token_endpoint"],
            properties: { issuer: { type: "string" }, token_endpoint: { type: "string" } },
            additionalProperties: true,
          },
          { issuer: "http://127.0.0.1:4000", token_endpoint: "http://127.0.0.1:4000/oauth/access_token" },
        ),
        400: { description: "What came is no HTTP.", headers: REQUEST_ID },
      },
    },
  },
}
