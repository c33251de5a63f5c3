import type { Reply } from "../support/client.js"
import type { Person } from "../support/make.js"

/** Somebody who reads and writes. */
export type Actor = Pick<Person, "id" | "get" | "post" | "patch" | "delete">

/** The same numbers in every run. */
export function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

/** Does something at random to what two people share, and to memberships; gives the answer. */
export async function disturb(roll: (sides: number) => number, [ann, bob]: readonly [Actor, Actor]): Promise<Reply> {
  const who = roll(2) === 0 ? ann : bob
  const lists = (await who.get("/lists")).body
  const list = lists[roll(lists.length)]
  const tasks = (await who.get(`/tasks?list_id=${list.id}`)).body
  const task = Array.isArray(tasks) ? tasks[roll(tasks.length)] : undefined
  const memberships = (await who.get(`/memberships?list_id=${list.id}`)).body
  const own = Array.isArray(memberships) ? memberships.find(({ user_id }: any) => user_id === who.id) : undefined
  const to = lists[roll(lists.length)]
  const acts: (() => Promise<Reply>)[] = [
    () => who.post("/tasks", { list_id: list.id, title: "Buy milk" }),
    () => who.post("/tasks", { list_id: list.id, title: "Buy milk" }),
    () => who.post("/lists", { title: "New" }),
    () => who.patch(`/lists/${list.id}`, { revision: list.revision, title: "Renamed" }),
    () => who.post("/memberships", { list_id: list.id, user_id: who === ann ? bob.id : ann.id }),
    () => who.patch(`/memberships/${own?.id}`, { revision: own?.revision, state: "accepted" }),
    () => who.patch(`/memberships/${own?.id}`, { revision: own?.revision, state: "accepted" }),
    () => who.delete(`/memberships/${own?.id}?revision=${own?.revision}`),
    () => who.post("/folders", { title: "Folder", list_ids: [list.id] }),
    () => who.post("/settings", { key: `k${roll(3)}`, value: String(roll(9)) }),
    () => who.patch(`/task_positions/${list.id}`, { revision: 1 + roll(3), values: [1] }),
  ]
  if (roll(9) === 0) acts.push(() => who.delete(`/lists/${list.id}?revision=${list.revision}`))
  if (task !== undefined)
    acts.push(
      () => who.patch(`/tasks/${task.id}`, { revision: task.revision, title: `Title ${roll(100)}` }),
      () => who.patch(`/tasks/${task.id}`, { revision: task.revision, completed: true }),
      () => who.patch(`/tasks/${task.id}`, { revision: task.revision, list_id: to.id }),
      () => who.patch(`/tasks/${task.id}`, { revision: task.revision, list_id: to.id }),
      () => who.delete(`/tasks/${task.id}?revision=${task.revision}`),
      () => who.post("/subtasks", { task_id: task.id, title: "Step" }),
      () => who.post("/subtasks", { task_id: task.id, title: "Step" }),
      () => who.post("/notes", { task_id: task.id, content: "Note" }),
      () => who.post("/task_comments", { task_id: task.id, text: "Look" }),
      () => who.post("/reminders", { task_id: task.id, date: "2031-01-01T00:00:00Z" }),
      () => who.patch(`/subtask_positions/${task.id}`, { revision: 1, values: [1] }),
    )
  return (acts[roll(acts.length)] as () => Promise<Reply>)()
}
