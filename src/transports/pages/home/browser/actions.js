import { Refused, Unreached } from "./api.js"
import * as documents from "./documents.js"
import { newUuid } from "./new-uuid.js"
import { openTasks, takeComment, takeTask } from "./state.js"
import { attach } from "./upload.js"

/** @import { State, Task } from "./state.js" */

/**
 * What somebody can do here. Each shows at once what is to come, and what is when that was refused.
 * @param {object} page
 * @param {State} page.state
 * @param {import("./api.js").Ask} page.ask
 * @param {() => void} page.render
 * @param {ReturnType<typeof import("./reading.js").createReading>} page.reading
 * @param {(text: string) => void} page.say for screen readers
 * @param {(text: string) => void} page.warn for everybody
 */
export function createActions({ state, ask, render, reading, say, warn }) {
  /** Says why something was not done. @param {unknown} error */
  function explain(error) {
    if (error instanceof Unreached) return warn(`${error.message} Nothing was changed: try again when you are online.`)
    if (!(error instanceof Refused)) throw error
    const [fault] = Object.values(error.fields)
    warn(fault ? `Not saved: it ${fault.join(", ")}.` : error.message)
  }

  /** @template T @param {() => Promise<T>} work @returns {Promise<T | undefined>} */
  async function unlessRefused(work) {
    try {
      return await work()
    } catch (error) {
      explain(error)
    } finally {
      render()
    }
  }

  /** @type {(id: string) => Task | undefined} */
  const taskOf = (id) =>
    [...(state.list?.tasks ?? []), ...(state.done ?? []), ...(state.task ? [state.task] : [])].find(
      (task) => task.id === id,
    )

  /**
   * Changes a task. A change that sets a state, such as completed, is retried after a conflict; a text is not, for that would
   * overwrite the other user's text.
   * @param {string} id @param {Partial<Task>} changes
   */
  async function changeTask(id, changes) {
    const task = taskOf(id)
    if (task === undefined) return
    state.wanted.set(id, { ...state.wanted.get(id), ...changes })
    render()
    const send = async () =>
      (await ask(documents.UPDATE_TASK, { id, input: { revision: taskOf(id)?.revision ?? task.revision, ...changes } }))
        .updateTask
    await unlessRefused(async () => {
      try {
        takeTask(state, await send().catch(again))
      } finally {
        state.wanted.delete(id)
      }
    })

    /** @param {unknown} error */
    async function again(error) {
      if (!(error instanceof Refused) || error.code !== "CONFLICT") throw error
      await reading.readList(/** @type {Task} */ (task).listId)
      if ("title" in changes)
        throw new Refused({ message: "Another user changed this task at the same time. This is its current state." })
      return send()
    }
  }

  const rowOf = (/** @type {string} */ id) => state.home.lists.find((list) => list.id === id)

  /** Something with a list or a membership, after which all lists are read again. @param {string} query @param {Record<string, unknown>} variables @param {string} [requestId] */
  const change = (query, variables, requestId) =>
    unlessRefused(async () => {
      const answer = await ask(query, variables, requestId)
      state.asking = null
      await reading.readHome()
      return answer
    })

  /** @type {Promise<unknown>} */
  let turn = Promise.resolve()
  /** What is made stands in the order in which it was made here: the next request waits for the one before. @template T @param {() => Promise<T>} work @returns {Promise<T>} */
  function inTurn(work) {
    const mine = turn.then(work)
    turn = mine.catch(() => {})
    return mine
  }

  return {
    changeTask,

    /** Gives whether it was made. @param {string} title */
    async addTask(title) {
      const listId = /** @type {string} */ (state.list?.id)
      const requestId = newUuid()
      state.adding.push({ requestId, title })
      render()
      const made = await unlessRefused(async () => {
        try {
          const { createTask } = await inTurn(() => ask(documents.CREATE_TASK, { input: { listId, title } }, requestId))
          takeTask(state, createTask)
          return true
        } finally {
          state.adding = state.adding.filter((one) => one.requestId !== requestId)
        }
      })
      if (made) say(`Added ${title}.`)
      return made ?? false
    },

    /** @param {string} id */
    async deleteTask(id) {
      const task = taskOf(id)
      if (task === undefined) return
      await unlessRefused(async () => {
        await ask(documents.DELETE_TASK, { id, revision: task.revision })
        Object.assign(state, { task: null, asking: null })
        await reading.readList(task.listId)
        say(`Deleted ${task.title}.`)
      })
    },

    /** @param {string} title */
    addList: (title) => change(documents.CREATE_LIST, { input: { title } }, newUuid()),
    /** @param {string} id @param {string} title */
    renameList: (id, title) => change(documents.UPDATE_LIST, { id, input: { revision: rowOf(id)?.revision, title } }),
    /** @param {string} id */
    deleteList: (id) => change(documents.DELETE_LIST, { id, revision: rowOf(id)?.revision }),

    /** @param {string} listId @param {string} email */
    invite: (listId, email) =>
      unlessRefused(async () => {
        await ask(documents.INVITE, { input: { listId, email } })
        await reading.readList(listId)
        say(`Invited ${email}.`)
        return true
      }),
    /** @param {{ id: string, revision: number }} membership */
    accept: ({ id, revision }) => change(documents.ACCEPT, { id, revision }),
    /** Ends a membership: one's own, or as the list's owner another's. @param {{ id: string, revision: number }} membership */
    leave: ({ id, revision }) => change(documents.LEAVE, { id, revision }),

    /** @param {string} taskId @param {string} text */
    addComment: (taskId, text) =>
      unlessRefused(async () => {
        const { createTaskComment } = await ask(documents.CREATE_COMMENT, { input: { taskId, text } }, newUuid())
        if (state.task?.id === taskId) takeComment(state, createTaskComment)
        return true
      }),

    /** @param {string} taskId @param {globalThis.File} file */
    async attach(taskId, file) {
      if (file.size === 0) return warn(`${file.name} is empty: there is nothing to attach.`)
      const upload = { key: newUuid(), name: file.name, share: 0 }
      state.uploads.push(upload)
      render()
      await unlessRefused(async () => {
        try {
          await attach(ask, taskId, file, (share) => {
            upload.share = share
            render()
          })
          if (state.task?.id === taskId) await reading.readTask(taskId)
          say(`Attached ${file.name}.`)
        } finally {
          state.uploads = state.uploads.filter((one) => one !== upload)
        }
      })
    },
    /** @param {string} id */
    deleteFile: (id) =>
      unlessRefused(async () => {
        const file = state.task?.files.find((one) => one.id === id)
        if (file === undefined || state.task === null) return
        await ask(documents.DELETE_FILE, { id, revision: file.revision })
        await reading.readTask(state.task.id)
        say(`Deleted ${file.fileName}.`)
      }),
    /** Addresses of files end after a while, and this page may have been open for longer. @param {string} id */
    download: (id) =>
      unlessRefused(async () => {
        location.assign((await ask(documents.FILE, { id })).file.url)
      }),
    /** @param {string} id */
    placeOf: (id) => openTasks(state).findIndex((task) => task.id === id) + 1,
    explain,
  }
}
