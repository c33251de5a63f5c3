import type { List, Task } from "../../../../client/client.js"
import { moveTasks } from "./acts.js"
import { useCell } from "./cell.js"
import { nameOf, nextWeek, plusDays, today } from "./format.js"
import { Icon } from "./icons.js"
import { client, viewer } from "./session.js"
import { t } from "./texts.js"
import { useView } from "./use-view.js"
import { ValueField } from "./value-field.js"

type Props = { readonly task: Task }

/** When a task is due, with the days that are chosen most. */
export function DueDate({ task: { id, due_date } }: Props) {
  const day = useCell(today)
  const set = (value: string | null) => void client.update("task", id, { due_date: value })
  const choices: [string, string | null][] = [
    [t.today, day],
    [t.tomorrow, plusDays(day, 1)],
    [t.nextWeek, nextWeek(day)],
    [t.noDate, null],
  ]
  return (
    <div class="fact">
      <label for="task-due">
        <Icon name="today" />
        {t.due}
      </label>
      <div class="value">
        <ValueField
          type="date"
          id="task-due"
          value={due_date ?? ""}
          max="9999-12-31"
          onChange={(event) => set(event.currentTarget.value || null)}
        />
        <fieldset class="chips" aria-label={t.due}>
          {choices.map(([text, value]) => (
            <button
              type="button"
              key={text}
              class="chip"
              aria-pressed={(due_date ?? null) === value}
              onClick={() => set(value)}
            >
              {text}
            </button>
          ))}
        </fieldset>
      </div>
    </div>
  )
}

const PERIODS = ["day", "week", "month", "year"] as const

/** How often a task comes back. */
export function Recurrence({ task: { id, recurrence_type, recurrence_count = 1 } }: Props) {
  const set = (type: (typeof PERIODS)[number] | null, count: number | null) =>
    void client.update("task", id, { recurrence_type: type, recurrence_count: count })
  return (
    <div class="fact">
      <label for="task-repeats">
        <Icon name="repeat" />
        {t.repeats}
      </label>
      <div class="value line">
        {recurrence_type && (
          <label class="line" for="task-every">
            {t.every}
            <ValueField
              type="number"
              id="task-every"
              min="1"
              max="999"
              value={String(recurrence_count)}
              onChange={(event) => {
                const { valueAsNumber, validity } = event.currentTarget
                if (validity.valid && valueAsNumber >= 1) set(recurrence_type, valueAsNumber)
                else event.currentTarget.value = String(recurrence_count)
              }}
            />
          </label>
        )}
        <select
          id="task-repeats"
          value={recurrence_type ?? ""}
          onChange={(event) => {
            const type = PERIODS.find((one) => one === event.currentTarget.value)
            set(type ?? null, type === undefined ? null : recurrence_count)
          }}
        >
          <option value="">{t.never}</option>
          {PERIODS.map((one) => (
            <option key={one} value={one}>
              {recurrence_type && recurrence_count !== 1
                ? t.periods[one]
                : recurrence_type
                  ? t.period[one]
                  : `${t.every} ${t.period[one]}`}
            </option>
          ))}
        </select>
      </div>
    </div>
  )
}

/** Whom a task is assigned to: a member of its list. */
export function Assignee({ task, list }: Props & { readonly list: List }) {
  const { id, assignee_id } = task
  const people = useView(
    (view) =>
      view
        .all("membership", list.id)
        .filter(({ state }) => state === "accepted")
        .map(({ user_id }) => view.get("user", user_id)),
    [list.id],
  )
  if (people.length < 2 && assignee_id === undefined) return null
  return (
    <div class="fact">
      <label for="task-assignee">
        <Icon name="assigned" />
        {t.assignee}
      </label>
      <select
        id="task-assignee"
        class="value"
        value={assignee_id ?? ""}
        onChange={(event) => void client.update("task", id, { assignee_id: Number(event.currentTarget.value) || null })}
      >
        <option value="">{t.nobody}</option>
        {people.map(
          (user) =>
            user && (
              <option key={user.id} value={user.id}>
                {user.id === viewer?.id ? `${user.name} (${t.you})` : user.name}
              </option>
            ),
        )}
      </select>
    </div>
  )
}

/** Which list a task is in; another one moves it. */
export function ListOf({ task: { id, list_id } }: Props) {
  const lists = useView((view) =>
    view
      .lists()
      .filter((list) =>
        view.all("membership", list.id).some(({ user_id, state }) => user_id === viewer?.id && state === "accepted"),
      ),
  )
  return (
    <div class="fact">
      <label for="task-list">
        <Icon name="list" />
        {t.list}
      </label>
      <select
        id="task-list"
        class="value"
        value={list_id}
        onChange={(event) => moveTasks([id], Number(event.currentTarget.value))}
      >
        {lists.map((list) => (
          <option key={list.id} value={list.id}>
            {nameOf(list)}
          </option>
        ))}
      </select>
    </div>
  )
}
