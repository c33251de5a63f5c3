import { DONE, HOME, LIST, TASK } from "./documents.js"
import { takeEvent } from "./state.js"

/** @import { State, LiveEvent, HomeData } from "./state.js" */

/** How long events are gathered before what they do not say is read. */
const SOON_MS = { home: 150, list: 150, task: 0 }

/**
 * Reads what events do not say, and whatever somebody chooses to look at. What happens while an answer is on its way is
 * applied to it again: an answer can be older than an event that came before it.
 * @param {{ state: State, ask: import("./api.js").Ask, render: () => void, load: () => Promise<HomeData> }} parts
 */
export function createReading({ state, ask, render, load }) {
  /** @type {Set<LiveEvent[]>} */
  const underWay = new Set()

  /** @template T @param {() => Promise<T>} read @param {(answer: T) => void} apply */
  async function during(read, apply) {
    /** @type {LiveEvent[]} */
    const meanwhile = []
    underWay.add(meanwhile)
    try {
      apply(await read())
    } finally {
      underWay.delete(meanwhile)
    }
    for (const event of meanwhile) takeEvent(state, event)
    render()
  }

  const readHome = () =>
    during(
      () => ask(HOME),
      (home) => {
        state.home = home
      },
    )

  /** Another list than the one that is shown, or the same again. @type {(id: string) => Promise<void>} */
  const readList = (id) =>
    during(
      () => Promise.all([ask(LIST, { id }), state.done !== null && state.list?.id === id ? ask(DONE, { id }) : null]),
      ([{ list }, done]) => {
        state.list = list
        state.done = done === null ? null : done.list.tasks
        state.news.delete(id)
      },
    )

  const readDone = (/** @type {string} */ id) =>
    during(
      () => ask(DONE, { id }),
      ({ list }) => {
        if (state.list?.id === id) state.done = list.tasks
      },
    )

  const readTask = (/** @type {string} */ id) =>
    during(
      () => ask(TASK, { id }),
      ({ task }) => {
        state.task = task
      },
    )

  /** Everything at once, as the page was first read; gives the place of the events behind it. */
  async function readAll() {
    /** @type {string | null} */
    let cursor = null
    await during(load, (data) => {
      Object.assign(state, { home: data.home, list: data.list, done: data.done, task: data.task })
      cursor = data.cursor
    })
    return cursor
  }

  /** @type {Set<string>} */
  const soon = new Set()
  const readers = {
    home: readHome,
    list: async () => {
      if (state.list !== null) await readList(state.list.id)
    },
    task: async () => {
      if (state.task !== null) await readTask(state.task.id)
    },
  }

  /** @param {LiveEvent} event */
  function take(event) {
    for (const meanwhile of underWay) meanwhile.push(event)
    for (const what of takeEvent(state, event)) {
      if (soon.has(what)) continue
      soon.add(what)
      setTimeout(() => {
        soon.delete(what)
        // A failure shows as a connection that is lost, after which more is read than this.
        readers[what]().catch(() => {})
      }, SOON_MS[what])
    }
    render()
  }

  return { readHome, readList, readDone, readTask, readAll, take }
}
