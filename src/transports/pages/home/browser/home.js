// The home page once it runs in a browser: what the server has sent is drawn anew, and from then on moves as events arrive.

import { createActions } from "./actions.js"
import { createAsk, Unreached } from "./api.js"
import { listen } from "./doing.js"
import { follow } from "./live.js"
import { show } from "./morph.js"
import { createOrder } from "./order.js"
import { createReading } from "./reading.js"
import { stateOf } from "./state.js"
import { homeView } from "./view.js"
import { dateOf, nameOf } from "./words.js"

const DRAW_AFTER_MS = 16

const element = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id))
const root = element("home")
/** @type {(page: Document) => import("./state.js").HomeData | undefined} */
const dataIn = (page) => JSON.parse(page.getElementById("home-data")?.textContent ?? "null") ?? undefined

const first = /** @type {import("./state.js").HomeData} */ (dataIn(document))
const state = { ...stateOf(first), isLive: true, today: dateOf(new Date()) }
let current = first.token

/** Reads the page again: with the session's cookie, which opens nothing else, it brings access for some hours more. */
async function load() {
  const response = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => undefined)
  if (response === undefined || response.status >= 500 || response.status === 429)
    throw new Unreached("Tandem cannot be reached.")
  const data = dataIn(new DOMParser().parseFromString(await response.text(), "text/html"))
  // Signed out, or signed in as another user: nothing shown here belongs to them.
  if (data?.home.viewer.id !== state.home.viewer.id) {
    location.reload()
    return new Promise(() => {})
  }
  current = data.token
  return data
}
const token = { current: () => current, renew: async () => (await load()).token }

let isDragging = false
let isPlanned = false
function draw() {
  isPlanned = false
  if (isDragging) return
  show(root, String(homeView(state)))
  const list = state.home.lists.find(({ id }) => id === state.list?.id)
  document.title = `${list ? nameOf(list) : "Your lists"} · Tandem`
}
/** Draws soon, and once for all that changes until then: many events can come at one moment. */
function render() {
  if (isPlanned) return
  isPlanned = true
  setTimeout(draw, DRAW_AFTER_MS)
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let warning
const say = (/** @type {string} */ text) => {
  element("said").textContent = text
}
const warn = (/** @type {string} */ text) => {
  clearTimeout(warning)
  element("warned").textContent = text
  warning = setTimeout(() => warn(""), text === "" ? 0 : 10_000)
}

const { graphql } = /** @type {{ graphql: string }} */ (root.dataset)
const address = new URL(graphql, location.href)
const ask = createAsk(address.href, token)
const reading = createReading({ state, ask, render, load })
const order = createOrder({ state, ask, render, readList: reading.readList })
const actions = createActions({ state, ask, render, reading, say, warn })

listen({
  root,
  state,
  actions,
  order,
  reading,
  render,
  draw,
  say,
  dragging(is) {
    isDragging = is
    if (!is) draw()
  },
})
draw()
follow({
  url: address.href.replace(/^http/, "ws"),
  token,
  after: first.cursor,
  take: reading.take,
  show(connection) {
    state.connection = connection
    render()
  },
  readAll: reading.readAll,
})
