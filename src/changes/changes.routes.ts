import { get, type Revised, type Route } from "../operations/route.js"
import { FILE } from "../resources/file/file.routes.js"
import { FOLDER } from "../resources/folder/folder.routes.js"
import { LIST } from "../resources/list/list.routes.js"
import { MEMBERSHIP } from "../resources/membership/membership.routes.js"
import { NOTE } from "../resources/note/note.routes.js"
import { LIST_POSITION, SUBTASK_POSITION, TASK_POSITION } from "../resources/position/position.routes.js"
import { REMINDER } from "../resources/reminder/reminder.routes.js"
import { SETTING } from "../resources/setting/setting.routes.js"
import { SUBTASK } from "../resources/subtask/subtask.routes.js"
import { TASK } from "../resources/task/task.routes.js"
import { COMMENT } from "../resources/task-comment/task-comment.routes.js"
import { USER } from "../resources/user/user.routes.js"
import type { Root } from "../resources/user/user.type.js"
import { WEBHOOK } from "../resources/webhook/webhook.routes.js"
import type { ChangePage } from "./change.type.js"

/** Each kind of object with the members that its own routes show. */
const DATA = Object.entries({
  User: USER,
  Setting: SETTING,
  List: LIST,
  Membership: MEMBERSHIP,
  Folder: FOLDER,
  ListPosition: LIST_POSITION,
  // Files have another type of address, and every other object is in a list: one selection cannot have both under one name.
  Webhook: WEBHOOK.replace(" url ", " webhookUrl: url ").replace("listId", "webhookListId: listId"),
  Task: TASK,
  TaskPosition: TASK_POSITION,
  Subtask: SUBTASK,
  Note: NOTE,
  Reminder: REMINDER,
  TaskComment: COMMENT,
  File: FILE,
  SubtaskPosition: SUBTASK_POSITION,
})
  .map(([type, members]) => `... on ${type} { ${members} }`)
  .join(" ")

const DAY_MS = 86_400_000

/** A root is known by its revision. Its cursor is given anew each day, as it is good for 30. */
const revisionsOf = ({ id, revision }: Root): readonly Revised[] => [
  { id, revision },
  { id, revision: Math.floor(Date.now() / DAY_MS) },
]

const isEmpty = ({ changes, hasMore }: ChangePage): boolean => changes.length === 0 && !hasMore

/** What has changed; §4 leaves its routes open. */
export const changesRoutes: readonly Route[] = [
  get("/root", "query { root { id __typename revision userId cursor } }", { knownByRevisions: revisionsOf }),
  get(
    "/changes",
    `query ($after: String, $limit: Int) { changes(after: $after, first: $limit) {
       changes { type id operation listId revision actorId requestId data { ${DATA} } } cursor hasMore full } }`,
    { isNeverKept: true, waitsWhile: isEmpty },
  ),
  get(
    "/history",
    `query ($listId: ID, $taskId: ID, $limit: Int, $after: String) {
       history(listId: $listId, taskId: $taskId, first: $limit, after: $after) {
         events { id operation subjectType subjectId listId listRevision revision actorId requestId occurredAt before after } cursor hasMore } }`,
  ),
]
