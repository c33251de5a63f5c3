import type { Scope } from "../../scalars/scope.js"

/** The two ways to authenticate; tokens need the same scopes in both. */
export const securityOf = (needs: readonly Scope[]) => [{ clientId: [], accessToken: [] }, { oauth: [...needs] }]
