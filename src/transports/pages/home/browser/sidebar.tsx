import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type { Folder, List, View } from "../../../../client/client.js"
import { AddForm } from "./add-form.js"
import { useCell } from "./cell.js"
import { closeDrawer, drawer } from "./drawer.js"
import { FolderGroup } from "./folder-group.js"
import { today } from "./format.js"
import { Icon, type IconName } from "./icons.js"
import { Invitations } from "./invitations.js"
import { addList } from "./list-acts.js"
import { Count, ListLink } from "./list-link.js"
import { NameForm } from "./name-form.js"
import { leadsTo, place, type SmartView } from "./place.js"
import { client, viewer } from "./session.js"
import { t } from "./texts.js"
import { useView } from "./use-view.js"

/** The lists that the viewer has joined, by the folder that shows them. */
function grouped(view: View): (List | readonly [Folder, List[]])[] {
  const isPending = (list: List) =>
    view.all("membership", list.id).some(({ user_id, state }) => user_id === viewer?.id && state === "pending")
  const lists = view.lists().filter((list) => list.list_type !== "inbox" && !isPending(list))
  const groups = new Map(view.all("folder").map((folder) => [folder.id, [folder, [] as List[]] as const]))
  const folders = new Map(view.all("folder").flatMap(({ id, list_ids }) => list_ids.map((list) => [list, id] as const)))
  const shown = new Set<unknown>()
  const rows = lists.flatMap((list): (List | readonly [Folder, List[]])[] => {
    const group = groups.get(folders.get(list.id) ?? 0)
    if (group === undefined) return [list]
    group[1].push(list)
    if (shown.has(group)) return []
    shown.add(group)
    return [group]
  })
  return [...rows, ...[...groups.values()].filter((group) => !shown.has(group))]
}

/** How many tasks are due today, or were due before. */
function dueCount(view: View, day: string): number {
  let number = 0
  for (const { completed, due_date } of view.all("task")) if (!completed && due_date && due_date <= day) number++
  return number
}

function SmartLink({
  view,
  icon,
  text,
  of = 0,
}: {
  readonly view: SmartView | "search"
  readonly icon: IconName
  readonly text: string
  readonly of?: number
}) {
  const here = useCell(place)
  return (
    <li data-drop={`view:${view}`}>
      <a
        {...leadsTo({ view }, closeDrawer)}
        id={`view-${view}`}
        draggable={false}
        aria-current={here.view === view ? "page" : undefined}
      >
        <Icon name={icon} />
        <span class="name">{text}</span>
        <Count of={of} />
      </a>
    </li>
  )
}

/** All places of the page. */
export function Sidebar() {
  const isOpen = useCell(drawer)
  const day = useCell(today)
  const inbox = useView((view) => view.lists().find(({ list_type }) => list_type === "inbox"))
  const rows = useView((view) => grouped(view))
  const due = useView((view) => dueCount(view, day), [day])
  const [isNaming, name] = useState(false)
  const nav = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    if (isOpen) nav.current?.querySelector<HTMLElement>("[aria-current], a")?.focus()
  }, [isOpen])
  return (
    <>
      {isOpen && <div class="shade" aria-hidden="true" onClick={closeDrawer} />}
      <nav class={`sidebar${isOpen ? " shown" : ""}`} id="lists" ref={nav} aria-label={t.lists}>
        <Invitations />
        <ul class="places">
          <SmartLink view="search" icon="search" text={t.search} />
          {inbox && <ListLink list={inbox} />}
          <SmartLink view="today" icon="today" text={t.today} of={due} />
          <SmartLink view="week" icon="week" text={t.week} />
          <SmartLink view="starred" icon="star" text={t.starred} />
          <SmartLink view="assigned" icon="assigned" text={t.assigned} />
          <SmartLink view="completed" icon="completed" text={t.completed} />
        </ul>
        <h2 class="group" id="lists-title">
          {t.lists}
        </h2>
        <ul class="places" id="all-lists" aria-labelledby="lists-title">
          {rows.map((row) =>
            "title" in row ? (
              <ListLink key={row.id} list={row} />
            ) : (
              <FolderGroup key={`folder-${row[0].id}`} folder={row[0]} lists={row[1]} />
            ),
          )}
        </ul>
        <AddForm
          id="add-list"
          field="new-list"
          label={t.newList}
          button={t.createList}
          onAdd={(title) => {
            addList(title)
            closeDrawer()
          }}
        />
        {isNaming ? (
          <NameForm
            id="new-folder"
            label={t.folderName}
            onDone={(title) => {
              name(false)
              if (title !== undefined) client.create("folder", { title, list_ids: [] })
            }}
          />
        ) : (
          <button type="button" class="quiet-button" id="add-folder" onClick={() => name(true)}>
            <Icon name="folder" />
            {t.newFolder}
          </button>
        )}
      </nav>
    </>
  )
}
