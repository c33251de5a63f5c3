import { type Client, memoryStore, type Store } from "../../src/client/client.js"
import type { Person } from "../support/make.js"
import { clientOf, makeWay, settled, type Way } from "./way.js"

/** A number from 0 up to `below`, the same each time for the same seed. */
export type Dice = (below: number) => number

/** mulberry32 */
export function diceOf(seed: number): Dice {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

type Device = { readonly person: Person; readonly store: Store; client: Client; way: Way }
/** One value that one member of one object was to have, and the value that was seen before. */
type Write = {
  readonly command: string
  readonly of: string
  readonly member: string
  readonly from: unknown
  readonly to: unknown
}

const KINDS = ["task", "subtask", "note"] as const

/**
 * Lets three devices, two of them of one person, do random things in one list: they are cut off, lose answers, and are killed
 * and started again with what their store has. Gives what was wrong in the end, which should be nothing.
 */
export async function play(
  people: readonly [Person, Person],
  list: { id: number },
  dice: Dice,
  steps = 40,
): Promise<string[]> {
  const [ann, bob] = people
  const devices = await Promise.all([ann, ann, bob].map(startDevice))
  const writes: Write[] = []
  const creates: { readonly command: string; readonly name: string; readonly inside: string | undefined }[] = []
  const deletes = new Map<string, string>()
  let count = 0

  const text = () => `v${++count}`
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[dice(items.length)]
  /** What an object is called by all devices: the word that stays in its text. */
  const nameOf = (object: object): string =>
    String((object as any).title ?? (object as any).content).split(" ")[0] as string

  function act({ client }: Device): void {
    const { view } = client
    const tasks = [...view.tasks(list.id), ...view.tasks(list.id, true)]
    const task = pick(tasks)
    const kind = pick(KINDS) as (typeof KINDS)[number]
    const note = (given: { command: string }, object: object, values: Record<string, unknown>) => {
      for (const [member, to] of Object.entries(values))
        writes.push({ command: given.command, of: nameOf(object), member, from: (object as any)[member], to })
    }
    switch (task === undefined ? 0 : dice(8)) {
      case 0:
      case 1: {
        const name = `n${++count}`
        const inTask = task !== undefined && kind !== "task"
        const given = !inTask
          ? client.create("task", { list_id: list.id, title: `${name} ${text()}` })
          : kind === "note"
            ? client.create("note", { task_id: task.id, content: `${name} ${text()}` })
            : client.create("subtask", { task_id: task.id, title: `${name} ${text()}` })
        creates.push({ command: given.command, name, inside: inTask ? nameOf(task) : undefined })
        return
      }
      case 2:
      case 3: {
        const values = {
          title: `${nameOf(task!)} ${text()}`,
          ...(dice(2) === 0 && { due_date: `2031-01-${10 + dice(20)}` }),
        }
        note(client.update("task", task!.id, values), task!, { title: values.title })
        return
      }
      case 4:
        return void client.update(
          "task",
          task!.id,
          dice(2) === 0 ? { starred: dice(2) === 0 } : { completed: dice(2) === 0 },
        )
      case 5: {
        const object = pick(view.all("note", task!.id))
        if (object === undefined) return
        const content = `${nameOf(object)} ${text()}`
        note(client.update("note", object.id, { content }), object, { content })
        return
      }
      case 6: {
        const after = pick([undefined, ...tasks])
        if (after?.id !== task!.id) client.move("task", task!.id, after?.id ?? null)
        return
      }
      default: {
        const object = kind === "task" ? (dice(3) === 0 ? task : undefined) : pick(view.all(kind, task!.id))
        if (object === undefined) return
        deletes.set(client.delete(kind, object.id).command, nameOf(object))
      }
    }
  }

  async function startDevice(person: Person): Promise<Device> {
    const [store, way] = [memoryStore(), makeWay()]
    const client = clientOf(person, way, { store })
    await client.start()
    await settled(client)
    return { person, store, client, way }
  }

  for (let step = 0; step < steps; step++) {
    const device = pick(devices) as Device
    switch (dice(8)) {
      case 0:
        device.way.isCut = !device.way.isCut
        if (!device.way.isCut) device.client.tryNow()
        break
      case 1:
        device.way.answersToLose = 1
        break
      case 2: {
        // Killed wherever it is: what it had in memory is gone, and what the service was asked goes on.
        await device.client.kept()
        void device.client.stop()
        device.way.isCut = true
        device.way = makeWay()
        device.client = clientOf(device.person, device.way, { store: device.store })
        await device.client.start()
        break
      }
      default:
        act(device)
    }
    if (dice(3) === 0) await new Promise((resolve) => setTimeout(resolve, dice(15)))
  }

  const violations: string[] = []
  for (const { way } of devices) Object.assign(way, { isCut: false, answersToLose: 0 })
  // Until nobody has anything to send, and everybody has heard of it.
  for (let round = 0; round < 2; round++)
    for (const { client } of devices) {
      await settleWhatWaits(client)
      client.tryNow()
    }
  const asides = devices.flatMap(({ client }) => client.view.aside())
  const [server, lists] = await Promise.all([everything(ann, list.id), ann.get(`/lists/${list.id}`)])
  if (lists.status !== 200) violations.push("the list is gone")
  for (const [index, { client }] of devices.entries()) {
    const level = () => JSON.stringify(shownBy(client, list.id)) === JSON.stringify(server)
    for (let patience = 3_000; !level() && patience > 0; patience--)
      await new Promise((resolve) => setTimeout(resolve, 10))
    if (!level()) violations.push(`device ${index} is not level: ${difference(shownBy(client, list.id), server)}`)
  }
  const waits = new Map(asides.map((command) => [command.id, Object.keys(command.values)]))
  const deleted = new Set([...deletes].filter(([command]) => !waits.has(command)).map(([, name]) => name))
  for (const { command, name, inside } of creates) {
    const made = Object.values(server)
      .flat()
      .filter((object: any) => nameOf(object) === name)
    if (made.length > 1) violations.push(`${name} was made ${made.length} times`)
    const isGone = deleted.has(name) || (inside !== undefined && deleted.has(inside))
    if (made.length === 0 && !waits.has(command) && !isGone) violations.push(`${name} was acknowledged and is lost`)
  }
  for (const object of Object.values(server).flat() as any[])
    for (const member of ["title", "content"]) {
      // Every write that was carried out has been seen by the one that wrote after it.
      const carriedOut = writes.filter(
        (write) =>
          write.of === nameOf(object) && write.member === member && !waits.get(write.command)?.includes(member),
      )
      const seen = new Set<unknown>()
      for (let value: unknown = object[member]; value !== undefined && !seen.has(value); ) {
        seen.add(value)
        value = carriedOut.find(({ to }) => to === value)?.from
      }
      for (const { to } of carriedOut) if (!seen.has(to)) violations.push(`${to} was overwritten, and nobody was asked`)
    }
  await Promise.all(devices.map(({ client }) => client.stop()))
  return violations
}

async function settleWhatWaits(client: Client): Promise<void> {
  const cancel = setInterval(() => client.tryNow(), 50)
  await settled(client).finally(() => clearInterval(cancel))
}

/** The objects that only one side has. */
function difference(shown: Record<string, any[]>, server: Record<string, any[]>): string {
  const texts = [shown, server].map((side) =>
    Object.values(side)
      .flat()
      .map((object) => JSON.stringify(object)),
  )
  const [mine, theirs] = texts as [string[], string[]]
  const only = (some: string[], others: string[]) => some.filter((one) => !others.includes(one)).join(", ")
  return `it shows ${only(mine, theirs)}; the service has ${only(theirs, mine)}`
}

const bare = ({ revision: _, updated_at: __, ...object }: any) =>
  Object.fromEntries(Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1)))
const byId = (one: { id: number }, other: { id: number }) => one.id - other.id

/** What the service has in a list, without what bubbles. */
async function everything(person: Person, listId: number): Promise<Record<string, any[]>> {
  const asked = ["tasks?completed=false&", "tasks?completed=true&", "subtasks?", "notes?"]
  const answers = await Promise.all(asked.map(async (path) => (await person.get(`/${path}list_id=${listId}`)).body))
  const [open, done, subtasks, notes] = answers.map((objects) => objects.map(bare).sort(byId))
  return { task: [...open, ...done].sort(byId), subtask: subtasks, note: notes }
}

function shownBy({ view }: Client, listId: number): Record<string, any[]> {
  const tasks = view.all("task", listId)
  const inside = (kind: "subtask" | "note") =>
    tasks.flatMap(({ id }) => view.all(kind, id) as readonly { id: number }[])
  return {
    task: tasks.map(bare).sort(byId as never),
    subtask: inside("subtask")
      .map(bare)
      .sort(byId as never),
    note: inside("note")
      .map(bare)
      .sort(byId as never),
  } as Record<string, any[]>
}
