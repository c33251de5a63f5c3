import { inOrder, SCOPES, type Scope } from "../scalars/scope.js"

/** Asks for refresh tokens, and opens nothing by itself. */
export const OFFLINE = "offline_access"

/** What an application asks for by `scope`, or why it cannot. */
export type Asked = { readonly scopes: readonly Scope[]; readonly offline: boolean } | { readonly fault: string }

/** Reads `scope` of an authorization request. `most` is what the application may ask for, and what it gets when it names no scope. */
export function askedScopes(scope: string | undefined, most: readonly Scope[]): Asked {
  const named = (scope ?? "").split(" ").filter((one) => one !== "")
  if (scope !== undefined && named.length === 0) return { fault: "scope is empty: leave it out, or name scopes." }
  const unknown = named.filter((one) => one !== OFFLINE && !SCOPES.includes(one as Scope))
  if (unknown.length > 0)
    return { fault: `There is no scope ${unknown[0]}. There are ${[...SCOPES, OFFLINE].join(", ")}.` }
  const scopes = inOrder(named)
  const beyond = scopes.filter((one) => !most.includes(one))
  if (beyond.length > 0)
    return { fault: `The application is registered without the scope ${beyond[0]}. It may ask for ${most.join(", ")}.` }
  return { scopes: scopes.length === 0 ? most : scopes, offline: named.includes(OFFLINE) }
}
