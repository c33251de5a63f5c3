import type { Viewer } from "../context.js"

/** The client ID of tokens that users make themselves. */
export const PERSONAL_CLIENT_ID = "personal"

/**
 * Which application writes, as webhooks remember it: one that users let in, for all of them, or a user's own token. Null
 * for what has neither, such as the command line.
 */
export function writerOf({ clientId, applicationId, tokenId }: Partial<Viewer>): string | null {
  if (clientId === PERSONAL_CLIENT_ID) return `token ${tokenId}`
  return applicationId === undefined ? null : `application ${applicationId}`
}
