import type { FirstTab } from "./first-tabs.js"

/** The page, for addresses of its parts. Nothing in it comes from a request. */
export const explorerPage = (style: string, scripts: readonly string[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tandem: GraphQL explorer</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
<style>html, body, #explorer { height: 100%; margin: 0 } .links a, .viewer { margin-left: 1em; font-size: 14px; color: inherit }</style>
</head>
<body>
<div id="explorer">Loading the explorer…</div>
<noscript>The explorer needs JavaScript. Send operations with POST to this address instead.</noscript>
${scripts.map((script) => `<script src="${script}"></script>`).join("\n")}
</body>
</html>
`

/**
 * What runs in the browser. Headers go with requests, and as connection_init payload with subscriptions. They are kept for the
 * browser's tab and end with it. The address may bring them behind its #, which never reaches a server:
 * `/graphql#X-Client-ID=…&X-Access-Token=…`; it may also bring `?query=` and `?variables=`.
 */
export const explorerScript = (firstTabs: readonly FirstTab[]): string => `"use strict"
const address = location.origin + location.pathname
const asked = new URLSearchParams(location.search)
const brought = new URLSearchParams(location.hash.slice(1))
const headers = { "X-Client-ID": "", "X-Access-Token": "" }
for (const name of Object.keys(headers)) headers[name] = brought.get(name) ?? ""

// Where GraphiQL looks first, as if they had been typed in: what is only handed to it is forgotten at a reload.
const keep = (name, value) => sessionStorage.setItem("graphiql:" + name, value)
if (brought.size > 0) keep("headers", JSON.stringify(headers, null, 2))
if (asked.has("query")) for (const name of ["query", "variables"]) keep(name, asked.get(name) ?? "")
// Out of the address bar and the history, where others could read it; and a reload then shows what was edited since.
if (location.hash || location.search) history.replaceState(null, "", location.pathname)

// GraphiQL removes the stored headers once when it starts, before its editor has shown them.
let isStarting = true
const storage = {
  get length() {
    return sessionStorage.length
  },
  clear: () => sessionStorage.clear(),
  getItem: (name) => sessionStorage.getItem(name),
  setItem(name, value) {
    sessionStorage.setItem(name, value)
    if (name === "graphiql:headers" && value !== "") show(value)
  },
  removeItem(name) {
    if (name !== "graphiql:headers" || !isStarting) return sessionStorage.removeItem(name)
    isStarting = false
  },
}

// Of somebody who is signed in here: sent when the headers name nobody, and kept nowhere.
let session = {}
let viewer
async function readSession() {
  const reply = await fetch(address.replace(/[^/]*$/, "session-token"), { method: "POST", body: new URLSearchParams({ of: "explorer" }) })
  const { clientId, token, viewer: who } = reply.ok ? await reply.json() : {}
  if (token === undefined) return
  session = { "X-Client-ID": clientId, "X-Access-Token": token }
  viewer = who
}
const isRefused = ({ errors }) => errors?.some(({ extensions }) => extensions?.code === "UNAUTHORIZED")

async function request(operation, headers, signal) {
  const response = await fetch(address, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json", ...headers },
    body: JSON.stringify(operation),
    signal,
  })
  return response.json()
}

function subscribe(operation, headers) {
  return {
    subscribe(observer) {
      const client = graphqlWs.createClient({
        url: address.replace(/^http/, "ws"),
        connectionParams: headers,
        lazyCloseTimeout: 0,
      })
      const { next, error, complete } = typeof observer === "function" ? { next: observer } : observer
      const failed = (reason) => {
        const errors = Array.isArray(reason)
          ? reason
          : [{ message: reason?.code ? "Closed with " + reason.code + ": " + reason.reason : String(reason?.message ?? reason) }]
        next.call(observer, { errors })
        complete?.call(observer)
      }
      const stop = client.subscribe(operation, {
        next: (result) => next.call(observer, result),
        error: failed,
        complete: () => complete?.call(observer),
      })
      return {
        unsubscribe() {
          stop()
          client.dispose()
        },
      }
    },
  }
}

function isSubscription(document, name) {
  return (document?.definitions ?? []).some(
    (node) =>
      node.kind === "OperationDefinition" &&
      node.operation === "subscription" &&
      (!name || node.name?.value === name),
  )
}

function fetcher({ query, variables, operationName }, { headers, documentAST } = {}) {
  const operation = { query, variables, operationName }
  const sent = Object.fromEntries(Object.entries(headers ?? {}).filter(([, value]) => value !== ""))
  const named = ["x-access-token", "authorization"]
  const isNobody = viewer !== undefined && !Object.keys(sent).some((name) => named.includes(name.toLowerCase()))
  const credentials = () => (isNobody ? { ...sent, ...session } : sent)
  if (isSubscription(documentAST, operationName)) return subscribe(operation, credentials())
  return request(operation, credentials()).then(async (result) => {
    if (!isNobody || !isRefused(result)) return result
    await readSession() // the token lasts for some hours
    return request(operation, credentials())
  })
}

// Lists and tasks of the viewer's own in the first tabs' variables.
async function ownTabs(tabs) {
  const query = "{ root { id } lists { id tasks { id revision } } }"
  const { data } = await request({ query }, session)
  const lists = data?.lists ?? []
  const list = lists.find(({ tasks }) => tasks.length > 1) ?? lists.find(({ tasks }) => tasks.length > 0) ?? lists[0]
  if (list === undefined) return tabs
  const own = { listId: list.id }
  for (const [index, { id, revision }] of list.tasks.slice(0, 2).entries()) {
    own["task" + (index + 1)] = id
    own["revision" + (index + 1)] = revision
  }
  const filled = (name, value) => (value !== null && typeof value === "object" ? value : (own[name] ?? value))
  return tabs.map((tab) => tab.variables ? { ...tab, variables: JSON.stringify(JSON.parse(tab.variables, filled), null, 2) } : tab)
}

const firstTabs = ${JSON.stringify(firstTabs).replaceAll("<", "\\u003c")}
const askedTab = { query: asked.get("query"), variables: asked.get("variables") }
let defaultTabs = firstTabs

const link = (href, text, more) => React.createElement("a", { href, key: href, ...more }, text)
const links = () => React.createElement(
  GraphiQL.Logo,
  null,
  React.createElement("span", { className: "links" }, [
    viewer && React.createElement("span", { key: "viewer", className: "viewer" }, "Signed in as ", React.createElement("bdi", {}, viewer.name)),
    link("docs/graphql", "REST counterparts"),
    link("docs", "REST reference"),
    link("schema.graphql", "schema.graphql", { download: "" }),
  ]),
)

// Each tab keeps its own headers. One that has none yet begins with those that were typed last.
const root = ReactDOM.createRoot(document.getElementById("explorer"))
function show(defaultHeaders) {
  const settings = { fetcher, storage, shouldPersistHeaders: true, defaultEditorToolsVisibility: "headers", defaultTabs, defaultHeaders }
  root.render(React.createElement(GraphiQL, settings, links()))
}
async function start() {
  // What the headers name goes before the session.
  if (brought.size === 0) await readSession().catch(() => {})
  const own = viewer === undefined ? firstTabs : await ownTabs(firstTabs).catch(() => firstTabs)
  defaultTabs = asked.has("query") ? [askedTab, ...own] : own
  show(sessionStorage.getItem("graphiql:headers") || JSON.stringify(headers, null, 2))
}
start()
`
