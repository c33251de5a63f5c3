import type { Task } from "../../../../client/client.js"
import { setCompleted, setStarred, step } from "./acts.js"
import { useCell } from "./cell.js"
import { startDrag } from "./drag.js"
import { count, dayInWords, nameOf, today } from "./format.js"
import { Icon } from "./icons.js"
import { leadsTo, place } from "./place.js"
import { selection, selectUpTo, shownTasks, toggleSelected } from "./selection.js"
import { base, viewer } from "./session.js"
import { stableKey } from "./stable-key.js"
import { t } from "./texts.js"
import { useView } from "./use-view.js"

type Props = {
  readonly task: Task
  readonly top: number
  readonly place: number
  readonly of: number
  /** Whether the tab key stops in it. */
  readonly isCurrent: boolean
  readonly isOrdered: boolean
  readonly showsList: boolean
}

/** What is in a task, as far as its row tells. */
function Badges({ task, showsList }: { readonly task: Task; readonly showsList: boolean }) {
  const { id, list_id, assignee_id, recurrence_type } = task
  const comments = useView((view) => view.all("task_comment", id), [id])
  const files = useView((view) => view.all("file", id).length, [id])
  const hasNotes = useView((view) => view.all("note", id).some(({ content }) => content.trim() !== ""), [id])
  const subtasks = useView((view) => view.all("subtask", id), [id])
  const hasReminder = useView((view) => view.all("reminder", id).length > 0, [id])
  const list = useView((view) => (showsList ? view.get("list", list_id) : undefined), [list_id, showsList])
  const assignee = useView((view) => assignee_id && view.get("user", assignee_id)?.name, [assignee_id])
  const isUnread = comments.some(({ read }) => !read)
  const done = subtasks.filter(({ completed }) => completed).length
  return (
    <span class="badges">
      {list && (
        <span class="badge in-list">
          <bdi>{nameOf(list)}</bdi>
        </span>
      )}
      {subtasks.length > 0 && (
        <span class="badge" title={t.steps(done, subtasks.length)}>
          <Icon name="steps" />
          <span aria-hidden="true">
            {done}/{subtasks.length}
          </span>
          <span class="unseen">, {t.steps(done, subtasks.length)}</span>
        </span>
      )}
      {hasNotes && (
        <span class="badge" title={t.notesBadge}>
          <Icon name="note" />
          <span class="unseen">, {t.notesBadge}</span>
        </span>
      )}
      {files > 0 && (
        <span class="badge" title={t.filesBadge(files)}>
          <Icon name="clip" />
          <span aria-hidden="true">{count(files)}</span>
          <span class="unseen">, {t.filesBadge(files)}</span>
        </span>
      )}
      {comments.length > 0 && (
        <span class={`badge${isUnread ? " unread" : ""}`} title={t.commentsBadge(comments.length)}>
          <Icon name="comment" />
          <span aria-hidden="true">{count(comments.length)}</span>
          <span class="unseen">
            , {t.commentsBadge(comments.length)}
            {isUnread && `, ${t.unreadBadge}`}
          </span>
        </span>
      )}
      {recurrence_type && (
        <span class="badge" title={t.repeatsBadge}>
          <Icon name="repeat" />
          <span class="unseen">, {t.repeatsBadge}</span>
        </span>
      )}
      {hasReminder && (
        <span class="badge" title={t.reminderBadge}>
          <Icon name="bell" />
          <span class="unseen">, {t.reminderBadge}</span>
        </span>
      )}
      <Due task={task} />
      {assignee && assignee_id !== viewer?.id && (
        <img
          class="face"
          src={`${base}/api/v1/avatar?user_id=${assignee_id}&size=64`}
          alt={t.assignedTo(assignee)}
          title={t.assignedTo(assignee)}
          width="24"
          height="24"
          loading="lazy"
        />
      )}
    </span>
  )
}

function Due({ task: { due_date, completed } }: { readonly task: Task }) {
  const now = useCell(today)
  if (due_date === undefined) return null
  const state = completed ? "" : due_date < now ? " late" : due_date === now ? " now" : ""
  return (
    <time class={`due${state}`} dateTime={due_date}>
      {dayInWords(due_date, now)}
    </time>
  )
}

/** One task of a list. */
export function Row({ task, top, place: number, of, isCurrent, isOrdered, showsList }: Props) {
  const { id, title, completed, starred } = task
  const key = stableKey("task", id)
  const here = useCell(place)
  const chosen = useCell(selection)
  const isWaiting = useView((view) => view.isWaiting("task", id), [id])
  const openId = useView((view) => here.task && view.get("task", here.task)?.id, [here.task])
  const isSelected = chosen.ids.has(id)
  const tabIndex = isCurrent ? 0 : -1
  const state = [isSelected && "selected", id === openId && "opened", completed && "completed", isWaiting && "waiting"]
  const link = leadsTo({ ...here, task: id })

  function onClick(event: MouseEvent) {
    if (event.ctrlKey || event.metaKey) toggleSelected(id)
    else if (event.shiftKey) selectUpTo(id, shownTasks.get())
    else if (chosen.isOn) toggleSelected(id)
    else return link.onClick(event)
    event.preventDefault()
  }
  function onGripKey(event: KeyboardEvent) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key] as -1 | 1 | undefined
    if (by === undefined || event.isComposing || event.keyCode === 229) return
    event.preventDefault()
    event.stopPropagation()
    step("task", id, by)
  }

  return (
    <li
      class={`task ${state.filter(Boolean).join(" ")}`}
      data-id={id}
      aria-setsize={of}
      aria-posinset={number}
      style={{ transform: `translateY(${top}px)` }}
      onPointerDown={(event) => startDrag(event, { kind: "task", id, title })}
    >
      {isOrdered ? (
        <button
          type="button"
          class="grip"
          id={`grip-${key}`}
          tabIndex={-1}
          aria-describedby="how-to-move"
          onKeyDown={onGripKey}
        >
          <Icon name="grip" />
          <span class="unseen">{t.moveTask(title, number, of)}</span>
        </button>
      ) : (
        <span class="grip" />
      )}
      <label class="check">
        <input
          type="checkbox"
          id={`done-${key}`}
          checked={completed}
          tabIndex={tabIndex}
          aria-label={t.isDone(title)}
          onChange={(event) => setCompleted([id], event.currentTarget.checked)}
        />
        <Icon name="tick" />
      </label>
      <a
        class="title"
        id={`open-${key}`}
        tabIndex={tabIndex}
        draggable={false}
        href={link.href}
        onClick={onClick}
        aria-current={id === openId ? "true" : undefined}
      >
        <span class="name">
          <bdi>{title}</bdi>
        </span>
        {isSelected && <span class="unseen">, {t.selectedHint}</span>}
        {isWaiting && <span class="unseen">, {t.waiting}</span>}
        <Badges task={task} showsList={showsList} />
      </a>
      <button
        type="button"
        class="star"
        id={`star-${key}`}
        tabIndex={tabIndex}
        aria-pressed={starred}
        aria-label={t.star(title)}
        onClick={() => setStarred([id], !starred)}
      >
        <Icon name="star" />
      </button>
    </li>
  )
}
