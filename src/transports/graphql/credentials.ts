/** The credentials of a request as members of connection_init, in any letter case. */
export function credentialsIn(
  params: Readonly<Record<string, unknown>> | undefined,
): [clientId: unknown, token: unknown, authorization: unknown] {
  const named = new Map(Object.entries(params ?? {}).map(([name, value]) => [name.toLowerCase(), value]))
  return [named.get("x-client-id"), named.get("x-access-token"), named.get("authorization")]
}
