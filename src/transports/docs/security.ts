import { PERSONAL_CLIENT_ID } from "../../access/writer.js"
import { SCOPES_IN_WORDS, type Scope } from "../../scalars/scope.js"

/** The two ways to authenticate; tokens need the same scopes in both. */
export const securityOf = (needs: readonly Scope[]) => [{ clientId: [], accessToken: [] }, { oauth: [...needs] }]

/** How requests are authenticated. Addresses are relative to the server. */
export const SECURITY_SCHEMES = {
  clientId: {
    type: "apiKey",
    in: "header",
    name: "X-Client-ID",
    description: `The application's client ID; \`${PERSONAL_CLIENT_ID}\` for a personal token.`,
  },
  accessToken: { type: "apiKey", in: "header", name: "X-Access-Token", description: "The user's token." },
  oauth: {
    type: "oauth2",
    description:
      "`Authorization: Bearer` with the token, in place of the two headers. Personal tokens are sent in the same way.",
    flows: {
      authorizationCode: {
        authorizationUrl: "/oauth/authorize",
        tokenUrl: "/oauth/access_token",
        refreshUrl: "/oauth/access_token",
        scopes: SCOPES_IN_WORDS,
      },
    },
  },
  metricsToken: { type: "http", scheme: "bearer", description: "What `METRICS_TOKEN` is set to." },
}
