// What somebody does with lists and folders.
import { putBehind, remove } from "./acts.js"
import { ask } from "./dialog.js"
import { nameOf } from "./format.js"
import { go } from "./place.js"
import { client, viewer } from "./session.js"
import { noteMade } from "./stable-key.js"
import { t } from "./texts.js"

/** Makes a list and goes there. */
export const addList = (title: string): void =>
  go({ view: "list", list: noteMade("list", client.create("list", { title })) })

/** Undefined for a list in no folder; a list is in one at most. */
export const folderOf = (listId: number) => client.view.all("folder").find(({ list_ids }) => list_ids.includes(listId))

/** Puts a list into a folder, or into none. */
export function putInFolder(listId: number, folderId: number | undefined): void {
  const before = folderOf(listId)
  if (before?.id === folderId) return
  if (before !== undefined)
    client.update("folder", before.id, { list_ids: before.list_ids.filter((id) => id !== listId) })
  const folder = folderId === undefined ? undefined : client.view.get("folder", folderId)
  if (folder !== undefined) client.update("folder", folder.id, { list_ids: [...folder.list_ids, listId] })
}

/** Puts a list behind another one, and into the folder of what it is put next to. */
export function placeList(id: number, after: number | null, folderId: number | undefined): void {
  if (after !== id) putBehind("list", [id], after)
  putInFolder(id, folderId)
}

/** The viewer's own membership of a list. */
export const ownMembership = (listId: number) =>
  client.view.all("membership", listId).find(({ user_id }) => user_id === viewer?.id)

/** Asks, then deletes a list for everybody, or leaves it. */
export function endList(listId: number): void {
  const list = client.view.get("list", listId)
  if (list === undefined) return
  const title = nameOf(list)
  const membership = ownMembership(listId)
  const isOwner = list.owner_id === viewer?.id
  if (!isOwner && membership === undefined) return
  ask({
    title: isOwner ? t.deleteListAsked(title) : t.leaveListAsked(title),
    hint: isOwner ? t.deleteListHint : t.leaveListHint,
    yes: isOwner ? t.deleteList : t.leaveList,
    run() {
      go({ view: "list" })
      if (isOwner) remove("list", [list.id], t.listDeleted(title))
      else if (membership) remove("membership", [membership.id], t.listLeft(title))
    },
  })
}
