import type { Status, View } from "./api.js"
import { type Filter, found } from "./find.js"
import { type AnyObject, type Kind, keyOf, type Movable, parentOf } from "./kinds.js"
import { inOrder, moved } from "./order.js"
import { childrenKey, movesKey, nameKey, type State } from "./state.js"
import type { Watch } from "./watch.js"

/** Shows a state. What is read through it is noted by the watch. */
export function createView(state: State, { read, memo }: Watch, status: () => Status): View {
  const idOf = (given: number): number => {
    if (given < 0) read(nameKey(given))
    return state.idOf(given)
  }
  /** An object, where what it is in is there too. */
  function get(kind: Kind, given: number): AnyObject | undefined {
    const id = idOf(given)
    read(keyOf(kind, id))
    const object = state.whole(kind, id)
    return object && isIn(object) ? object : undefined
  }
  /** Whether what an object is in is there. */
  function isIn(object: AnyObject): boolean {
    const parent = parentOf(object)
    return parent === undefined || get(...parent) !== undefined
  }
  function all(kind: Kind, given?: number): readonly AnyObject[] {
    const parent = given === undefined ? undefined : idOf(given)
    return memo(`all/${kind}/${parent ?? ""}`, () => {
      read(parent === undefined ? kind : childrenKey(kind, parent))
      const objects = state.all(kind, parent)
      // All of them are in the same object then.
      return parent === undefined ? objects.filter(isIn) : objects.slice(0, 1).every(isIn) ? objects : []
    })
  }
  /** The order of what is in an object. */
  function ordered(kind: Movable, within: number, objects: readonly AnyObject[]): readonly AnyObject[] {
    read(movesKey(kind, within))
    const values = get(`${kind}_position`, within)?.values ?? []
    const byIds = new Map(objects.map((object) => [object.id, object]))
    const order = moved(inOrder(byIds.keys(), values as number[]), state.moves(kind, within))
    return order.map((id) => byIds.get(id) as AnyObject)
  }
  const viewerId = () => {
    read("list")
    return state.viewerId()
  }
  const commands = (isAside: boolean) =>
    memo(`queue/${isAside}`, () => {
      read("queue")
      return state.queue.filter(({ aside }) => (aside !== undefined) === isAside)
    })

  const view = {
    get,
    all,
    lists: () => memo("lists", () => ordered("list", viewerId() ?? 0, all("list"))),
    tasks: (given: number, completed = false) => {
      const list = idOf(given)
      return memo(`tasks/${list}/${completed}`, () =>
        ordered("task", list, all("task", list)).filter((task) => task.completed === completed),
      )
    },
    subtasks: (given: number) => {
      const task = idOf(given)
      return memo(`subtasks/${task}`, () => ordered("subtask", task, all("subtask", task)))
    },
    find: (filter: Filter) => memo(`find/${JSON.stringify(filter)}`, () => found(filter, all, viewerId())),
    viewer: () => get("user", viewerId() ?? 0),
    status: () => {
      read("status")
      return status()
    },
    waiting: () => commands(false),
    aside: () => commands(true),
    isWaiting(kind: Kind, given: number) {
      const id = idOf(given)
      return commands(false).some((command) => command.kind === kind && command.target === id)
    },
  }
  return view as unknown as View
}
