/** What runs in the reference: credentials that end with the browser's tab, finding operations, sending them. */
export const REFERENCE_SCRIPT = `"use strict"
const root = location.pathname.replace(/\\/docs(\\/rest\\/[^/]*)?\\/?$/, "")
const fields = { "X-Client-ID": document.getElementById("client-id"), "X-Access-Token": document.getElementById("access-token") }

// Where the explorer looks for its headers too, so that a link to it brings them along.
const STORED = "graphiql:headers"
function storedHeaders() {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? "{}")
  } catch {
    return {}
  }
}
const kept = storedHeaders()
for (const [name, field] of Object.entries(fields)) {
  field.value = kept[name] ?? ""
  field.addEventListener("input", () => {
    sessionStorage.setItem(STORED, JSON.stringify({ ...storedHeaders(), [name]: field.value.trim() }, null, 2))
  })
}

// Of somebody who is signed in here: sent while the fields are empty, and kept nowhere.
let session
let own = {}
async function readSession() {
  const reply = await fetch(root + "/session-token", { method: "POST", body: new URLSearchParams({ of: "reference" }) })
  const { clientId, token, viewer } = reply.ok ? await reply.json() : {}
  if (token === undefined) return
  session = { "X-Client-ID": clientId, "X-Access-Token": token }
  const notice = document.getElementById("signed-in")
  notice.querySelector("bdi").textContent = viewer.name
  notice.hidden = false
  return viewer
}
const isNobody = () => session !== undefined && fields["X-Access-Token"].value.trim() === ""

/** What the forms begin with: the viewer, a list and a task of theirs. */
async function readOwn() {
  const viewer = await readSession()
  if (viewer === undefined) return
  const ask = async (path) => (await fetch(root + "/api/v1" + path, { headers: session })).json()
  const lists = await ask("/lists")
  own = { user: viewer, list: lists[0] }
  for (const list of lists.slice(0, 10)) {
    const [task] = await ask("/tasks?list_id=" + list.id)
    if (task !== undefined) own = { ...own, list, task }
    if (task !== undefined) break
  }
  for (const form of document.querySelectorAll(".try form")) fill(form)
}

const NAMED = { list_id: "list", task_id: "task", user_id: "user" }
function fill(form) {
  const [, of] = /^.api.v1.(list|task|user)s.{id}/.exec(form.dataset.path) ?? []
  const valueOf = (name) => {
    if (name in NAMED) return own[NAMED[name]]?.id
    return name === "id" || name === "revision" ? own[of]?.[name] : undefined
  }
  for (const input of form.querySelectorAll("input"))
    if (input.value === "" && input.required) input.value = valueOf(input.name) ?? ""
  const body = form.elements.body
  if (body === undefined || body.value !== body.defaultValue || !body.value.startsWith("{")) return
  const filled = Object.entries(JSON.parse(body.value)).map(([name, value]) => [name, valueOf(name) ?? value])
  body.value = JSON.stringify(Object.fromEntries(filled), null, 2)
}
readOwn().catch(() => {})

const links = [...document.querySelectorAll(".toc li a")]

// Where the whole reference was one page, and links of that time lead to.
const named = location.hash && document.getElementById(location.hash.slice(1)) === null && links.find(({ hash }) => hash === location.hash)
if (named) location.replace(named.href)

// The operation that is read is marked in the list of all.
const sections = [...document.querySelectorAll(".op")]
function mark() {
  const current = sections.findLast((section) => section.getBoundingClientRect().top < innerHeight / 3) ?? sections[0]
  for (const link of links) {
    if (link.pathname === location.pathname && link.hash === "#" + current?.id) link.setAttribute("aria-current", "true")
    else link.removeAttribute("aria-current")
  }
}
if (sections.length > 0) {
  addEventListener("scroll", () => requestAnimationFrame(mark), { passive: true })
  mark()
  document.querySelector('.toc [aria-current="page"]')?.scrollIntoView({ block: "nearest" })
}

const find = document.getElementById("find")
find.disabled = false
find.addEventListener("input", () => {
  const words = find.value.toLowerCase().split(/\\s+/).filter(Boolean)
  for (const link of links) link.parentElement.hidden = !words.every((word) => link.dataset.words.includes(word))
  document.getElementById("none-found").hidden = document.querySelector(".toc li:not([hidden])") !== null
  for (const group of document.querySelectorAll(".toc > div")) group.hidden = !group.querySelector("li:not([hidden])")
})

function requestOf(form) {
  let path = form.dataset.path
  const query = new URLSearchParams()
  for (const input of form.querySelectorAll("input")) {
    if (input.dataset.in === "path") path = path.replace("{" + input.name + "}", encodeURIComponent(input.value.trim()))
    else if (input.value.trim() !== "") query.set(input.name, input.value.trim())
  }
  const headers = isNobody() ? { ...session } : {}
  for (const [name, field] of Object.entries(fields)) if (!isNobody() && field.value.trim() !== "") headers[name] = field.value.trim()
  const body = form.elements.body?.value
  if (body !== undefined) headers["Content-Type"] = "application/json"
  return [root + path + (query.size > 0 ? "?" + query : ""), { method: form.dataset.method, headers, body }]
}

const pretty = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

async function send(form) {
  const line = form.querySelector(".answer-line")
  const shown = form.querySelector("pre")
  line.textContent = "Asking…"
  shown.hidden = true
  const startedAt = performance.now()
  try {
    let response = await fetch(...requestOf(form))
    if (response.status === 401 && isNobody()) {
      await readSession() // the token lasts for some hours
      response = await fetch(...requestOf(form))
    }
    const text = await response.text()
    const ms = Math.round(performance.now() - startedAt)
    line.textContent = response.status + " " + response.statusText + ", " + ms + " ms, request " + response.headers.get("X-Request-Id")
    shown.textContent = pretty(text)
    shown.hidden = text === ""
    if (response.status === 401) shown.textContent += "\\n\\nSign in, or put a client ID and an access token into the fields at the top of the page."
  } catch (error) {
    line.textContent = "No answer: " + error.message
  }
}

for (const form of document.querySelectorAll(".try form")) {
  form.querySelector("button").disabled = false
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    send(form)
  })
}
`
