// The home page once it runs in a browser. What the server has drawn is shown until the client knows as much.
import { render } from "preact"
import { ListChoice } from "./batch-bar.js"
import { Conflicts } from "./conflicts.js"
import { OpenedTask } from "./detail.js"
import { Asked } from "./dialog.js"
import { Dragged } from "./drag.js"
import { leaveWithViewer, sayWhoseItIs } from "./ended.js"
import { holdFocus } from "./focus.js"
import { KeysHelp, listenToKeys } from "./keys.js"
import { base, client, ended, isKept, viewer } from "./session.js"
import { Sidebar } from "./sidebar.js"
import { guardSignOut } from "./sign-out.js"
import { TasksPane } from "./tasks-pane.js"
import { language, t } from "./texts.js"
import { ToastBar, warn } from "./toast.js"
import { resumeUploads, uploads } from "./upload.js"

const root = document.getElementById("home") as HTMLElement

const App = () => (
  <>
    <Sidebar />
    <TasksPane />
    <OpenedTask />
    <p id="how-to-move" class="unseen">
      {t.howToMove}
    </p>
    <ToastBar />
    <Asked />
    <ListChoice />
    <Conflicts />
    <KeysHelp />
    <Dragged />
  </>
)

/** Resolves when there is something to show, or when nothing can come. */
const somethingToShow = (): Promise<void> =>
  new Promise((resolve) => {
    const isReady = () => client.view.lists().length > 0 || client.view.status().retryAt !== undefined
    if (isReady()) return resolve()
    const stop = client.subscribe(isReady, () => {
      stop()
      resolve()
    })
  })

/** Says what the browser does not keep, and has it ask before anything of that is lost. */
function tellNotKept(): void {
  warn(t.notStored)
  addEventListener("beforeunload", (event) => {
    if (client.view.waiting().length + uploads.get().length > 0) event.preventDefault()
  })
}

/** Tells where the browser stops to keep what is done, until it keeps it again. */
function tellUnsaved(): void {
  let isTold = false
  const tell = () => {
    if (!isTold) warn(t.notStored)
    isTold = true
  }
  const kept = () => {
    isTold = false
  }
  client.subscribe(
    (view) => view.waiting(),
    () => client.kept().then(kept, tell),
  )
}

async function start(): Promise<void> {
  document.documentElement.lang = language
  if (viewer === undefined) {
    root.textContent = t.neverOpened
    return
  }
  guardSignOut()
  leaveWithViewer(viewer.id, root)
  if (ended.get() !== undefined) return
  // What another window was told meanwhile has passed a page by that comes back as it was left.
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload())
  await client.start()
  resumeUploads().catch(() => {})
  await somethingToShow()
  if (ended.get() !== undefined) return
  root.textContent = ""
  render(<App />, root)
  listenToKeys()
  holdFocus(root)
  sayWhoseItIs(viewer.name)
  if (isKept) tellUnsaved()
  else tellNotKept()
  performance.mark("usable")
  // Without https browsers have none.
  await navigator.serviceWorker?.register(`${base}/service-worker.js`).catch(() => {})
}

void start()
