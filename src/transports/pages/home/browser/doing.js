// What is done with mouse, finger and keyboard, by the names that the markup gives it: data-does.

import { isComposing } from "./composing.js"
import { drag } from "./drag.js"
import { openTasks } from "./state.js"

/** @import { State } from "./state.js" */

/**
 * @typedef {object} Page
 * @property {HTMLElement} root
 * @property {State} state
 * @property {ReturnType<typeof import("./actions.js").createActions>} actions
 * @property {ReturnType<typeof import("./order.js").createOrder>} order
 * @property {ReturnType<typeof import("./reading.js").createReading>} reading
 * @property {() => void} render
 * @property {() => void} draw draws at once
 * @property {(text: string) => void} say
 * @property {(is: boolean) => void} dragging nothing is drawn while a row is dragged
 */

/** @param {Page} page */
export function listen({ root, state, actions, order, reading, render, draw, say, dragging }) {
  const focus = (/** @type {string} */ id) => document.getElementById(id)?.focus()
  const taskIn = (/** @type {Element} */ element) => element.closest("[data-id]")?.getAttribute("data-id") ?? ""

  /** Shows a list, and in it a task. @param {string} listId @param {string | null} taskId @param {boolean} isNew an address for the history */
  async function go(listId, taskId, isNew = true) {
    const isOther = state.list?.id !== listId
    try {
      await order.settled()
      if (isOther) await reading.readList(listId)
      if (taskId === null) state.task = null
      else await reading.readTask(taskId)
      if (isNew) history.pushState(null, "", taskId === null ? `?list=${listId}` : `?list=${listId}&task=${taskId}`)
      state.asking = null
      draw()
      if (taskId !== null) focus("opened-title")
      else if (isOther) focus("list-title")
    } catch (error) {
      actions.explain(error)
    }
  }
  const inbox = () => /** @type {string} */ (state.home.lists.find(({ listType }) => listType === "inbox")?.id)

  function close() {
    const id = state.task?.id
    if (id === undefined || state.list === null) return
    void go(state.list.id, null).then(() => focus(`open-${id}`))
  }

  /** Moves a task by as many places, and says where it is. @param {string} id @param {number} by */
  function step(id, by) {
    const ids = openTasks(state).map((task) => task.id)
    const to = ids.indexOf(id) + by
    if (!ids.includes(id) || to < 0 || to >= ids.length) return
    const before = by < 0 ? ids[to] : ids[to + 1]
    order.move(id, before ?? null).catch(actions.explain)
    draw()
    focus(`grip-${id}`)
    say(`${to + 1} of ${ids.length}`)
  }

  /** @type {Record<string, (element: HTMLElement, event: Event) => unknown>} */
  const clicks = {
    "open-list": (element) =>
      go(new URL(/** @type {HTMLAnchorElement} */ (element).href).searchParams.get("list") ?? inbox(), null),
    "open-task": (element) => go(/** @type {string} */ (state.list?.id), taskIn(element)),
    "close-task": close,
    star: (element) =>
      actions.changeTask(taskIn(element), { starred: element.getAttribute("aria-pressed") !== "true" }),
    "no-due": () => state.task && actions.changeTask(state.task.id, { dueDate: null }),
    ask(element) {
      const what = /** @type {State["asking"]} */ (element.dataset.what)
      state.asking = state.asking === what ? null : what
      draw()
      root
        .querySelector(".asking")
        ?.querySelector("input, button")
        ?.dispatchEvent(new Event("asked", { bubbles: true }))
      if (state.asking === null) focus(`ask-${what === "delete-list" ? "delete" : what}`)
    },
    async "show-done"() {
      if (state.list === null) return
      if (state.done === null) return reading.readDone(state.list.id).catch(actions.explain)
      state.done = null
      render()
    },
    "delete-task": () => state.task && actions.deleteTask(state.task.id).then(() => focus("new-task")),
    "delete-list": () => end((id) => actions.deleteList(id)),
    "leave-list": () =>
      end((id) => {
        const own = state.home.memberships.find(({ listId }) => listId === id)
        return own ? actions.leave(own) : Promise.resolve()
      }),
    async accept(element) {
      const membership = state.home.memberships.find(({ id }) => id === element.dataset.id)
      if (membership && (await actions.accept(membership))) await go(membership.listId, null)
    },
    decline(element) {
      const membership = state.home.memberships.find(({ id }) => id === element.dataset.id)
      return membership && actions.leave(membership)
    },
    async "remove-person"(element) {
      const person = state.list?.memberships.find(({ id }) => id === element.dataset.id)
      if (person && state.list && (await actions.leave(person))) await reading.readList(state.list.id)
    },
    download: (element) => actions.download(element.dataset.id ?? ""),
    "delete-file": (element) => actions.deleteFile(element.dataset.id ?? ""),
  }

  /** Ends what joins the viewer to the list, and shows another. @param {(id: string) => Promise<unknown>} how */
  async function end(how) {
    if (state.list !== null && (await how(state.list.id)) !== undefined) await go(inbox(), null)
  }

  /** @type {Record<string, (element: HTMLInputElement) => unknown>} */
  const changes = {
    complete: (element) => actions.changeTask(taskIn(element), { completed: element.checked }),
    due({ value, validity }) {
      // While a year is typed, its first digits are a year as well.
      const isHalf = validity.badInput || value.startsWith("0")
      if (state.task && !isHalf) return actions.changeTask(state.task.id, { dueDate: value === "" ? null : value })
    },
    async "rename-task"(element) {
      const { task } = state
      const title = element.value.trim()
      if (task && title !== "" && title !== task.title) await actions.changeTask(task.id, { title })
      element.value = state.task?.title ?? title
    },
    async attach(element) {
      const files = [...(element.files ?? [])]
      element.value = ""
      for (const file of files) if (state.task) await actions.attach(state.task.id, file)
    },
  }

  /** @type {Record<string, (form: HTMLFormElement, text: string) => unknown>} */
  const submits = {
    async "add-task"(form, title) {
      form.reset()
      const input = /** @type {HTMLInputElement} */ (form.elements.namedItem("title"))
      if (!(await actions.addTask(title)) && input.value === "") input.value = title
    },
    async "add-list"(form, title) {
      const made = await actions.addList(title)
      if (!made) return
      form.reset()
      await go(made.createList.id, null)
    },
    "rename-list": (_form, title) =>
      state.list && actions.renameList(state.list.id, title).then(() => focus("ask-rename")),
    async invite(form, email) {
      if (state.list && (await actions.invite(state.list.id, email))) form.reset()
    },
    async "add-comment"(form, text) {
      if (state.task && (await actions.addComment(state.task.id, text))) form.reset()
    },
  }

  const doing = (/** @type {Event} */ event) => /** @type {HTMLElement} */ (event.target).closest("[data-does]")

  root.addEventListener("click", (event) => {
    const element = doing(event)
    const how = element instanceof HTMLElement ? clicks[element.dataset.does ?? ""] : undefined
    if (how === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    void how(/** @type {HTMLElement} */ (element), event)
  })
  root.addEventListener("change", (event) => {
    const element = doing(event)
    if (element instanceof HTMLInputElement) void changes[element.dataset.does ?? ""]?.(element)
  })
  root.addEventListener("submit", (event) => {
    event.preventDefault()
    const form = /** @type {HTMLFormElement} */ (event.target)
    const [text] = new FormData(form).values()
    if (typeof text === "string" && text.trim() !== "") void submits[form.dataset.does ?? ""]?.(form, text.trim())
  })
  root.addEventListener("asked", ({ target }) => /** @type {HTMLElement} */ (target).focus())

  root.addEventListener("keydown", (event) => {
    if (isComposing(event)) return
    const target = /** @type {HTMLElement} */ (event.target)
    const row = target.closest(".task")
    const isArrow = event.key === "ArrowUp" || event.key === "ArrowDown"
    if (row && isArrow && (event.altKey || target.dataset.does === "grip")) {
      event.preventDefault()
      step(taskIn(row), event.key === "ArrowUp" ? -1 : 1)
    } else if (event.key === "Enter" && target.dataset.does === "rename-task") target.blur()
    else if (event.key === "Enter" && target.id === "new-comment" && (event.ctrlKey || event.metaKey))
      target.closest("form")?.requestSubmit()
    else if (event.key === "Escape" && state.task !== null) close()
  })

  root.addEventListener("pointerdown", (event) => {
    const grip = doing(event)
    const row = grip?.closest(".task")
    if (!(grip instanceof HTMLElement) || grip.dataset.does !== "grip" || event.button !== 0) return
    if (!(row instanceof HTMLElement)) return
    event.preventDefault()
    grip.focus()
    const rows = /** @type {HTMLElement[]} */ ([...(row.parentElement?.querySelectorAll(":scope > [data-id]") ?? [])])
    dragging(true)
    void drag(event, row, rows).then((before) => {
      const id = taskIn(row)
      if (before !== undefined) order.move(id, before === null ? null : taskIn(before)).catch(actions.explain)
      dragging(false)
      if (before !== undefined) say(`${actions.placeOf(id)} of ${openTasks(state).length}`)
    })
  })

  addEventListener("popstate", () => {
    const query = new URL(location.href).searchParams
    void go(query.get("list") ?? inbox(), query.get("task"), false)
  })
}
