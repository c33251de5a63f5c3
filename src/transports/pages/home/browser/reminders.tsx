import type { Task } from "../../../../client/client.js"
import { remove } from "./acts.js"
import { instantAsLocal, plusDays, today } from "./format.js"
import { Icon } from "./icons.js"
import { client } from "./session.js"
import { t } from "./texts.js"
import { useView } from "./use-view.js"
import { ValueField } from "./value-field.js"

const MORNING = "T09:00"

/** When the viewer wants to be reminded of a task. */
export function Reminders({ task: { id, due_date } }: { readonly task: Task }) {
  const reminders = useView((view) => view.all("reminder", id), [id])
  const now = new Date()
  const add = () => {
    const morning = `${due_date ?? today.get()}${MORNING}`
    const day = new Date(morning) > now ? morning : `${plusDays(today.get(), 1)}${MORNING}`
    client.create("reminder", { task_id: id, date: new Date(day).toISOString() })
  }
  return (
    <div class="fact">
      <span class="label" id="reminders-label">
        <Icon name="bell" />
        {t.reminders}
      </span>
      <fieldset class="value" aria-labelledby="reminders-label">
        {reminders.map((reminder) => (
          <div class="line" key={reminder.id}>
            <ValueField
              type="datetime-local"
              class="reminder"
              aria-label={t.remindAt}
              value={instantAsLocal(reminder.date)}
              onChange={(event) => {
                const { value } = event.currentTarget
                if (value === "") event.currentTarget.value = instantAsLocal(reminder.date)
                else client.update("reminder", reminder.id, { date: new Date(value).toISOString() })
              }}
            />
            <button
              type="button"
              class="icon-button"
              aria-label={t.deleteReminder}
              onClick={() => remove("reminder", [reminder.id], t.deleted(t.reminder))}
            >
              <Icon name="cross" />
            </button>
          </div>
        ))}
        <button type="button" class="chip" id="add-reminder" onClick={add}>
          {t.addReminder}
        </button>
      </fieldset>
    </div>
  )
}
