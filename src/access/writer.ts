import type { Actor, Context, Viewer } from "../context.js"

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

/** The application that writes, where some webhook leaves out what that one does. */
export function writerToName({ viewer, skippedWriters }: Pick<Context, "viewer" | "skippedWriters">): string | null {
  const writer = writerOf(viewer)
  return writer !== null && skippedWriters.has(writer) ? writer : null
}

/** What triggers write beside each event: the user, the request and, where it is to be told, the writer's connection. */
export const actorOf = (context: Pick<Context, "viewer" | "requestId" | "skippedWriters">): Actor => ({
  userId: context.viewer.userId,
  requestId: context.requestId,
  writer: writerToName(context),
})
