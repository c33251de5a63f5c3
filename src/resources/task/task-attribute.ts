import { Refusal, stringScalar } from "../../scalars/scalars.js"
import { REMOVABLE } from "./task.fields.js"

/** The name of something that can be removed from a task, as the schema has it. */
export const TaskAttribute = stringScalar({
  name: "TaskAttribute",
  description: `What can be removed from a task: ${REMOVABLE.join(", ")}. Removing starred or completed makes it false.`,
  check: (value) => {
    if (!(REMOVABLE as readonly string[]).includes(value)) throw new Refusal(`must name one of ${REMOVABLE.join(", ")}`)
    return value
  },
})
