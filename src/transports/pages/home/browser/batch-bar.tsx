import { useState } from "preact/hooks"
import { moveTasks, removeTasks, setCompleted, setDue, setStarred } from "./acts.js"
import { cell, useCell } from "./cell.js"
import { Dialog } from "./dialog.js"
import { nameOf, nextWeek, plusDays, today } from "./format.js"
import { Icon } from "./icons.js"
import { Menu } from "./menu.js"
import { clearSelection, selection, shownTasks } from "./selection.js"
import { client, viewer } from "./session.js"
import { t } from "./texts.js"
import { useView } from "./use-view.js"

/** The tasks that are being moved to another list. */
const moving = cell<readonly number[] | undefined>(undefined)
export const chooseList = (ids: readonly number[]): void => moving.set(ids)

/** Asks to which list tasks are to be moved. */
export function ListChoice() {
  const ids = useCell(moving)
  const lists = useView((view) =>
    view
      .lists()
      .filter(({ id }) =>
        view.all("membership", id).some(({ user_id, state }) => user_id === viewer?.id && state === "accepted"),
      ),
  )
  const [text, type] = useState("")
  if (ids === undefined) return null
  const close = () => {
    type("")
    moving.set(undefined)
  }
  const move = (id: number) => {
    close()
    moveTasks(ids, id)
    clearSelection()
  }
  const matching = lists.filter((list) => nameOf(list).toLocaleLowerCase().includes(text.trim().toLocaleLowerCase()))
  return (
    <Dialog id="choose-list" title={t.moveToList} onClose={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (matching[0]) move(matching[0].id)
        }}
      >
        <input
          type="search"
          aria-label={t.list}
          placeholder={t.search}
          autofocus
          autocomplete="off"
          onInput={(event) => type(event.currentTarget.value)}
        />
      </form>
      <ul class="choices">
        {matching.map((list) => (
          <li key={list.id}>
            <button type="button" onClick={() => move(list.id)}>
              <Icon name={list.list_type === "inbox" ? "inbox" : "list"} />
              {nameOf(list)}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

/** What can be done with all tasks that are selected. */
export function BatchBar() {
  const { ids, isOn } = useCell(selection)
  const day = useCell(today)
  // In the order in which they are shown; what is gone is selected no more.
  const chosen = useCell(shownTasks).filter((id) => ids.has(id))
  const areCompleted = useView((view) => chosen.every((id) => view.get("task", id)?.completed), [chosen])
  if (!isOn) return null
  const run = (act: (ids: readonly number[]) => void) => () => {
    clearSelection()
    act(chosen)
  }
  const areStarred = chosen.every((id) => client.view.get("task", id)?.starred)
  const due = (text: string, to: string | null) => ({ text, run: run((all) => setDue(all, to)) })
  return (
    <div class="batch" role="toolbar" aria-label={t.selected(chosen.length)}>
      <strong>{t.selected(chosen.length)}</strong>
      {chosen.length > 0 && (
        <>
          <button type="button" class="quiet-button" onClick={run((all) => setCompleted(all, !areCompleted))}>
            <Icon name="tick" />
            <span>{areCompleted ? t.reopen : t.complete}</span>
          </button>
          <button type="button" class="quiet-button" onClick={run((all) => setStarred(all, !areStarred))}>
            <Icon name="star" />
            <span>{areStarred ? t.unstar : t.starIt}</span>
          </button>
          <Menu
            id="batch-due"
            label={t.due}
            icon="today"
            text={t.due}
            items={[
              due(t.today, day),
              due(t.tomorrow, plusDays(day, 1)),
              due(t.nextWeek, nextWeek(day)),
              due(t.noDate, null),
            ]}
          />
          <button type="button" class="quiet-button" onClick={() => chooseList(chosen)}>
            <Icon name="move" />
            <span>{t.moveToList}</span>
          </button>
          <button type="button" class="quiet-button bad" onClick={run(removeTasks)}>
            <Icon name="trash" />
            <span>{t.deleteIt}</span>
          </button>
        </>
      )}
      <button type="button" class="icon-button" aria-label={t.clearSelection} onClick={clearSelection}>
        <Icon name="cross" />
      </button>
    </div>
  )
}
