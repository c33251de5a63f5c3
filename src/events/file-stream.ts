import type { Viewer } from "../context.js"
import type { Id } from "../statement.js"
import { openAccountStream } from "./account-stream.js"
import type { AccountEvent } from "./event.type.js"
import { openListStream } from "./list-stream.js"
import type { Receiver, Stream, StreamParts } from "./stream.js"

/**
 * Opens the files that others attach, in one list or in all that the viewer is a member of: from now on, or behind the cursor
 * `after` of one of them. (§6, §9 Events)
 */
export function openFileStream(
  parts: StreamParts,
  viewer: Viewer,
  { listId, after }: { listId?: Id | null; after?: string | null },
  receiver: Receiver,
): Stream {
  const isNewFile = ({ subjectType, operation, actorId }: AccountEvent) =>
    subjectType === "file" && operation === "CREATE" && actorId !== viewer.userId
  const selected: Receiver = {
    ...receiver,
    send(event) {
      if (isNewFile(event)) receiver.send(event)
    },
  }
  return listId == null
    ? openAccountStream(parts, viewer, { after }, selected)
    : openListStream(parts, viewer, { listId, after }, selected)
}
