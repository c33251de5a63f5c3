/** Where the metadata of RFC 9728 is. */
export const RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource"

/** What of the service tokens open, below its address: all of it, and its two interfaces. */
export const RESOURCE_PATHS = ["", "/api/v1", "/graphql"] as const

/** Whether `resource`, one or several with spaces between them, names nothing but this service (RFC 8707). */
export function isOurs(resource: string, publicUrl: string): boolean {
  const ours = RESOURCE_PATHS.flatMap((path) => [`${publicUrl}${path}`, `${publicUrl}${path}/`])
  return resource.split(" ").every((one) => ours.includes(one))
}

/** What the authorization server can do (RFC 8414). */
export function serverMetadata(issuer: string, scopes: readonly string[]): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/access_token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    scopes_supported: [...scopes, "offline_access"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: [...AUTHENTICATION, "none"],
    revocation_endpoint_auth_methods_supported: [...AUTHENTICATION, "none"],
    introspection_endpoint_auth_methods_supported: AUTHENTICATION,
    authorization_response_iss_parameter_supported: true,
    protected_resources: RESOURCE_PATHS.map((path) => `${issuer}${path}`),
    service_documentation: `${issuer}/docs`,
  }
}

const AUTHENTICATION = ["client_secret_post", "client_secret_basic"]

/** Who gives tokens for what is at `path`, and how they are sent (RFC 9728). */
export const resourceMetadata = (publicUrl: string, path: string, scopes: readonly string[]): object => ({
  resource: `${publicUrl}${path}`,
  authorization_servers: [publicUrl],
  scopes_supported: scopes,
  bearer_methods_supported: ["header"],
  resource_name: "Tandem",
  resource_documentation: `${publicUrl}/docs`,
})
