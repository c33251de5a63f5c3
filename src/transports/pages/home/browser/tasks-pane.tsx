import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import { AddForm } from "./add-form.js"
import { BatchBar } from "./batch-bar.js"
import { useCell } from "./cell.js"
import { ConflictsButton } from "./conflicts.js"
import { Connection } from "./connection.js"
import { drawer } from "./drawer.js"
import { nameOf, today } from "./format.js"
import { Icon } from "./icons.js"
import { ListTools } from "./list-tools.js"
import { go, place } from "./place.js"
import { Rows } from "./rows.js"
import { sectionsOf } from "./sections.js"
import { clearSelection, shownTasks } from "./selection.js"
import { client, inboxOf } from "./session.js"
import { noteMade, stableKey } from "./stable-key.js"
import { t } from "./texts.js"
import { useView } from "./use-view.js"

function AddTask({
  list,
  more = {},
}: {
  readonly list: number
  readonly more?: { due_date?: string; starred?: true }
}) {
  return (
    <AddForm
      id="add-task"
      field="new-task"
      label={t.addTask}
      onAdd={(title) => noteMade("task", client.create("task", { list_id: list, title, ...more }))}
    />
  )
}

const SEARCH_AFTER_MS = 120

function SearchField({ q }: { readonly q: string }) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => field.current?.focus(), [])
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <search>
      <form class="add" onSubmit={(event) => event.preventDefault()}>
        <input
          id="search"
          ref={field}
          type="search"
          aria-label={t.search}
          placeholder={t.searchHint}
          defaultValue={q}
          autocomplete="off"
          onInput={(event) => {
            const text = event.currentTarget.value
            clearTimeout(timer.current)
            timer.current = setTimeout(
              () => go({ ...place.get(), view: "search", q: text }, { isReplacing: true }),
              SEARCH_AFTER_MS,
            )
          }}
        />
        <Icon name="search" />
      </form>
    </search>
  )
}

function Nothing({ title, hint }: { readonly title: string; readonly hint?: string }) {
  return (
    <div class="nothing" id="nothing">
      <Icon name="completed" />
      <p>{title}</p>
      {hint && <p class="quiet small">{hint}</p>}
    </div>
  )
}

function Completed({ list }: { readonly list: number }) {
  const tasks = useView((view) => view.tasks(list, true), [list])
  const [isShown, show] = useState(new URLSearchParams(location.search).has("completed"))
  if (tasks.length === 0) return null
  const latest = [...tasks].sort((one, other) => ((one.completed_at ?? "") < (other.completed_at ?? "") ? 1 : -1))
  return (
    <>
      <button
        type="button"
        class="quiet-button show-done"
        id="show-done"
        aria-expanded={isShown}
        onClick={() => show(!isShown)}
      >
        <Icon name="down" />
        {isShown ? t.hideCompleted(tasks.length) : t.showCompleted(tasks.length)}
      </button>
      {isShown && <Rows id="done-tasks" label={t.completedTasks} tasks={latest} />}
    </>
  )
}

/** The tasks of the place where the page is. */
export function TasksPane() {
  const here = useCell(place)
  const day = useCell(today)
  const { view: name, q = "" } = here
  const inbox = useView(inboxOf) ?? 0
  const listId = here.list ?? inbox
  const list = useView((view) => (name === "list" ? view.get("list", listId) : undefined), [name, listId])
  const inputs = [name, listId, q, day]
  const sections = useView(
    (view) => sectionsOf(view, here, day).flatMap((one) => [one.tasks, one.id, one.title, one.orderOf]),
    inputs,
  )
  const isComplete = useView((view) => view.status().isComplete)
  const doneCount = useView((view) => (name === "list" ? view.tasks(listId, true).length : 0), [name, listId])
  const groups = useMemo(() => sectionsOf(client.view, here, day), [...inputs, ...sections])
  const ids = groups.flatMap(({ tasks }) => tasks.map(({ id }) => id))
  useLayoutEffect(() => shownTasks.set(ids))
  const title = name === "list" ? (list ? nameOf(list) : t.yourLists) : t[name]
  useLayoutEffect(clearSelection, [name, list && stableKey("list", list.id)])
  useLayoutEffect(() => {
    document.title = `${title} · Tandem`
  }, [title])
  const scroller = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => scroller.current?.scrollTo(0, 0), [name, list && stableKey("list", list.id)])

  const adds = { today: { due_date: day }, starred: { starred: true as const } }[name as "today" | "starred"]
  const canAdd = (name === "list" && list) || (adds && inbox !== 0)
  return (
    <section class="main" id="tasks" aria-labelledby="list-title">
      <div class="head">
        <button
          type="button"
          class="icon-button drawer-button"
          id="show-lists"
          aria-label={t.showLists}
          onClick={() => drawer.set(true)}
        >
          <Icon name="menu" />
        </button>
        <h1 id="list-title" tabIndex={-1}>
          <bdi>{title}</bdi>
        </h1>
        <Connection />
        {list && <ListTools key={stableKey("list", list.id)} list={list} />}
      </div>
      <ConflictsButton />
      {name === "search" && <SearchField q={q} />}
      {canAdd && <AddTask list={list?.id ?? inbox} more={adds} />}
      <div class="scroller" ref={scroller}>
        <div>
          {groups.map((group) => (
            <div key={group.id}>
              {group.title && group.tasks.length > 0 && (
                <h2 class={`group${group.id === "overdue-tasks" ? " late" : ""}`}>{group.title}</h2>
              )}
              <Rows
                id={group.id}
                label={group.title ?? (name === "completed" ? t.completedTasks : t.openTasks)}
                tasks={group.tasks}
                orderOf={group.orderOf}
                showsList={name !== "list"}
              />
            </div>
          ))}
          {ids.length === 0 && isComplete && (
            <Empty name={name} q={q} hasList={list !== undefined} isDone={doneCount > 0} />
          )}
          {ids.length === 0 && !isComplete && <p class="quiet">{t.tooLarge}</p>}
          {list && <Completed key={stableKey("list", list.id)} list={list.id} />}
        </div>
      </div>
      <BatchBar />
    </section>
  )
}

type EmptyProps = { readonly name: string; readonly q: string; readonly hasList: boolean; readonly isDone: boolean }

function Empty({ name, q, hasList, isDone }: EmptyProps) {
  if (name === "list" && !hasList) return <Nothing title={t.noList} />
  if (name === "list")
    return isDone ? (
      <Nothing title={t.allCompleted} hint={t.allCompletedHint} />
    ) : (
      <Nothing title={t.noTasks} hint={t.noTasksHint} />
    )
  if (name === "search") return q.trim() === "" ? null : <Nothing title={t.nothingFound} hint={t.nothingFoundHint} />
  return <Nothing title={name === "today" ? t.nothingToday : t.nothingHere} />
}
