import { taskOpenTo, taskOwnedBy } from "../../access/access.js"
import { atRevision, precondition } from "../../access/revision.js"
import { childDeletion } from "../../loading/child.statements.js"
import { pageOfChildren, readsOf } from "../../loading/children.js"
import { type Fields, type Id, isTrue, statement } from "../../statement.js"
import { type SeenComment, TaskComment, taskComments } from "./task-comment.type.js"

// $1 is what is asked for, $2 the viewer.

const MADE = "c.created_by_id = $2::bigint"
const MARKED =
  "exists (select from comment_reads mark where mark.comment_id = c.id and mark.user_id = $2::bigint and mark.read)"
const READ = `(${MADE} or ${MARKED})`
const AUTHOR = "(select u.name from users u where u.id = c.created_by_id)"
const COMMENT = `${taskComments.columns("c")}, ${READ}, ${AUTHOR}`
const COLUMNS = taskComments.columns("c").split(",").length

function readComment(fields: Fields, offset = 0): TaskComment | null {
  const row = taskComments.read(fields, offset)
  if (row === null) return null
  return {
    ...row,
    seen: { id: row.id, read: isTrue(fields[offset + COLUMNS]), authorName: fields[offset + COLUMNS + 1] ?? null },
  }
}
const comment = (fields: Fields): TaskComment => readComment(fields) as TaskComment

const OPEN = taskOpenTo("c.task_id", "$2")
/** What statements select of comments, with the viewer as $2. */
export const commentKind = {
  name: "task_comment",
  table: "task_comments",
  row: "c",
  object: TaskComment,
  select: COMMENT,
  read: readComment,
}

/** How comments are read. */
export const commentReads = readsOf(commentKind)

/** The first $4 comments of a task behind the id $3, by id. */
export const pageOfComments = pageOfChildren(commentKind)

/** What the viewer sees of comments beside their rows. */
export const seenComments = statement(
  "seen_comments",
  `select c.id, ${READ}, ${AUTHOR} from task_comments c where c.id = any($1::bigint[]) and ${OPEN}`,
  ([id, read, authorName]): SeenComment => ({ id: id as Id, read: read === "t", authorName: authorName ?? null }),
)

/**
 * Changes a comment's text, or whether the viewer has read it, within the revision window: $1 comment, $2 viewer, $3 revision,
 * $4 request, $5 text, $6 read. Only the author edits the text, and the author has read it, so a write is a change of the comment
 * or a mark, never both; a trigger counts a mark like a child's change. The row is locked before the mark, as by those who
 * delete it, and its answer tells the revision to which either is about to raise it.
 */
export const patchComment = statement(
  "patch_task_comment",
  `with was as materialized (
     select c.*, ${READ} as is_read, ${MADE} as is_own from task_comments c
     where c.id = $1::bigint and ${atRevision("c", "$3")} and ${OPEN} and ($5::text is null or ${MADE}) for no key update of c),
   changed as (
     update task_comments c set text = coalesce($5::text, c.text), updated_by_id = $2::bigint, updated_by_request_id = $4
     from was where c.id = was.id and ($5::text is not null or $6::boolean is null)),
   marked as (
     insert into comment_reads (comment_id, user_id, read, updated_by_request_id)
     select was.id, $2::bigint, $6::boolean, $4 from was where $5::text is null and $6::boolean is not null
     on conflict (comment_id, user_id) do update set read = excluded.read, updated_by_request_id = excluded.updated_by_request_id),
   c as (
     select was.id, was.task_id, coalesce($5::text, was.text) as text, was.created_at, was.created_by_id, was.created_by_request_id,
       was.revision + 1 as revision, was.is_own or coalesce($6::boolean, was.is_read) as is_read
     from was)
   select ${taskComments.columns("c")}, c.is_read, ${AUTHOR} from c`,
  comment,
)

/** Deletes a comment of the viewer's own or on a list that the viewer owns: $1 comment, $2 viewer, $3 revision, $4 request. */
export const deleteCommentRow = childDeletion(commentKind, `${OPEN} and (${MADE} or ${taskOwnedBy("c.task_id", "$2")})`)

/** How a comment stands to a reader who would mark it. */
export const commentPrecondition = precondition("task_comment", "task_comments c", "c", OPEN)
/** How a comment stands to somebody who would edit its text. */
export const commentPreconditionToEdit = precondition("task_comment_to_edit", "task_comments c", "c", OPEN, MADE)
/** How a comment stands to somebody who would delete it. */
export const commentPreconditionToDelete = precondition(
  "task_comment_to_delete",
  "task_comments c",
  "c",
  OPEN,
  `(${MADE} or ${taskOwnedBy("c.task_id", "$2")})`,
)
