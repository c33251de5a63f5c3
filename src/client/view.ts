import type { Command } from "./command.js"
import { type Filter, found } from "./find.js"
import { type AnyObject, type Kind, keyOf, type Movable, type Objects, parentOf } from "./kinds.js"
import { inOrder, moved } from "./order.js"
import { childrenKey, namedKey, type State } from "./state.js"
import type { Status } from "./status.js"
import type { Watch } from "./watch.js"

/**
 * What an application shows: what the service has, with the commands that wait already carried out. Objects and arrays stay
 * the same ones as long as nothing in them changes, and none may be altered.
 */
export type View = {
  /** One object; undefined where there is none. A temporary id is good for ever. */
  get<K extends Kind>(kind: K, id: number): Objects[K] | undefined
  /** All of a kind, by id ascending; with `parent` those that are in that object: the notes of a task, the members of a list. */
  all<K extends Kind>(kind: K, parent?: number): readonly Objects[K][]
  /** Lists in the user's order, those that they are invited to among them. */
  lists(): readonly Objects["list"][]
  /** The tasks of a list in its order: open ones, completed ones with `true`. */
  tasks(list: number, completed?: boolean): readonly Objects["task"][]
  /** The subtasks of a task in its order, open and completed ones. */
  subtasks(task: number): readonly Objects["subtask"][]
  /** Tasks of all lists, as `GET /api/v1/tasks/find` finds them: smart lists and search, without asking the service. */
  find(filter: Filter): readonly Objects["task"][]
  /** Whose account it is; undefined before the first synchronisation. */
  viewer(): Objects["user"] | undefined
  /** How it stands with the service. */
  status(): Status
  /** Commands that are still to be carried out, in their order. */
  waiting(): readonly Command[]
  /** Commands that wait for the application: conflicts and refusals, to be shown. See `retry` and `drop`. */
  aside(): readonly Command[]
  /** Whether something of the object has not reached the service. */
  isWaiting(kind: Kind, id: number): boolean
}

/** Shows a state. What is read through it is noted by the watch. */
export function createView(state: State, watch: Watch, status: () => Status): View {
  const { read, memo } = watch

  const idOf = (given: number): number => {
    if (given < 0) read(namedKey(given))
    return state.idOf(given)
  }
  /** An object, where what it is in is there too. Who reads all of a kind reads it with the name of that. */
  function present(kind: Kind, id: number): AnyObject | undefined {
    const object = state.whole(kind, id)
    const parent = object && parentOf(kind, object)
    return parent === undefined || get(...parent) !== undefined ? object : undefined
  }
  function get(kind: Kind, given: number): AnyObject | undefined {
    const id = idOf(given)
    read(keyOf(kind, id))
    return present(kind, id)
  }

  function all(kind: Kind, given?: number): readonly AnyObject[] {
    const parent = given === undefined ? undefined : idOf(given)
    return memo(`all/${kind}/${parent ?? ""}`, () => {
      read(parent === undefined ? kind : childrenKey(kind, parent))
      // Each parent is looked for once, however many objects are in it.
      const parents = new Map<number, boolean>()
      const isIn = (object: AnyObject): boolean => {
        const [of, id] = parentOf(kind, object) ?? []
        if (of === undefined || id === undefined) return true
        if (!parents.has(id)) parents.set(id, get(of, id) !== undefined)
        return parents.get(id) as boolean
      }
      const objects = [...state.ids(kind, parent)].map((id) => state.whole(kind, id) as AnyObject)
      return objects.filter(isIn).sort(byId)
    })
  }

  /** The order of what is in an object. */
  function ordered(kind: Movable, within: number, objects: readonly AnyObject[]): readonly AnyObject[] {
    read(`moves/${kind}/${within}`)
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
    find: (filter: Filter) =>
      memo(`find/${JSON.stringify(filter)}`, () =>
        found(filter, {
          tasks: (list) => all("task", list) as readonly Objects["task"][],
          every(kind) {
            read(kind)
            return [...state.ids(kind)].map((id) => state.whole(kind, id) as AnyObject)
          },
          viewerId: viewerId(),
        }),
      ),
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

/** What has only a temporary id comes last, in the order in which it was made. */
const byId = (one: AnyObject, other: AnyObject): number =>
  one.id < 0 || other.id < 0 ? other.id - one.id : one.id - other.id
