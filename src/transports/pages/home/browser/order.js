import { Refused } from "./api.js"
import { ORDER_TASKS } from "./documents.js"
import { inOrder } from "./state.js"

/** @import { State } from "./state.js" */

const MAX_CONFLICTS = 5

/** The order in which `id` stands before `before`, or behind all else. @type {(ids: readonly string[], id: string, before: string | null) => string[]} */
function moved(ids, id, before) {
  const others = ids.filter((one) => one !== id)
  const place = before !== null && others.includes(before) ? others.indexOf(before) : others.length
  return [...others.slice(0, place), id, ...others.slice(place)]
}

/**
 * Writes where somebody puts tasks. The new order shows at once; when another one was written in the meantime, that is read
 * and the moves are made in it.
 * @param {{ state: State, ask: import("./api.js").Ask, render: () => void, readList: (id: string) => Promise<void> }} parts
 */
export function createOrder({ state, ask, render, readList }) {
  /** @type {{ id: string, before: string | null }[]} */
  let moves = []
  /** @type {Promise<void> | undefined} */
  let writing

  function wanted() {
    const { list } = state
    if (list === null) return []
    const named = new Set([...list.taskPosition.values, ...inOrder(list.tasks, []).map(({ id }) => id)])
    return moves.reduce((ids, { id, before }) => moved(ids, id, before), [...named])
  }

  async function write() {
    for (let conflicts = 0; moves.length > 0 && state.list !== null; ) {
      const { id, taskPosition } = state.list
      const count = moves.length
      const input = { revision: taskPosition.revision, values: wanted() }
      try {
        const { updateTaskPosition } = await ask(ORDER_TASKS, { id, input })
        moves = moves.slice(count)
        if (updateTaskPosition.revision >= state.list.taskPosition.revision)
          state.list.taskPosition = updateTaskPosition
      } catch (error) {
        const isConflict = error instanceof Refused && error.code === "CONFLICT"
        if (!isConflict || ++conflicts > MAX_CONFLICTS) throw error
        await readList(id)
      }
    }
  }

  return {
    /** Resolves when the order is written. @type {(id: string, before: string | null) => Promise<void>} */
    move(id, before) {
      moves.push({ id, before })
      state.wantedOrder = wanted()
      render()
      writing ??= write().finally(() => {
        moves = []
        writing = undefined
        state.wantedOrder = null
        render()
      })
      return writing
    },
    settled: () => writing?.catch(() => {}),
  }
}
