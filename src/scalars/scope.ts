import { registerEnumType } from "type-graphql"

/** What a token may be good for. Written as OAuth writes it. (ADR 41) */
export enum Scope {
  read = "read",
  write = "write",
  share = "share",
  manage = "manage",
}

/** What each is good for, for developers. */
export const SCOPES_IN_WORDS: Readonly<Record<Scope, string>> = {
  [Scope.read]: "See everything that the user sees.",
  [Scope.write]: "Create, change and delete lists, folders, settings and what is in lists.",
  [Scope.share]: "Invite people to lists, accept or decline invitations, remove members, leave.",
  [Scope.manage]:
    "Change the account, and manage webhooks and devices. With a personal token also tokens, applications and calendar feeds.",
}
registerEnumType(Scope, {
  name: "Scope",
  description: "What an access token is good for, and what an application may ask its users for.",
  valuesConfig: Object.fromEntries(
    Object.entries(SCOPES_IN_WORDS).map(([scope, description]) => [scope, { description }]),
  ),
})

/** All scopes, in the order in which they are listed everywhere. */
export const SCOPES: readonly Scope[] = Object.values(Scope)

/** Those of some scopes that are known, each once, in order. */
export const inOrder = (scopes: Iterable<string>): Scope[] => {
  const named = new Set(scopes)
  return SCOPES.filter((scope) => named.has(scope))
}

/** What a column of scopes holds, as {@link scopesColumn} writes it. */
export const scopesIn = (text: string): Scope[] => inOrder(text.split(" "))

/** The column `scopes` of a table for {@link scopesIn}. */
export const scopesColumn = (table: string): string => `array_to_string(${table}.scopes, ' ')`
