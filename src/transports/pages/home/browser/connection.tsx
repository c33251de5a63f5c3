import { cell, useCell } from "./cell.js"
import { client } from "./session.js"
import { t } from "./texts.js"
import { uploads } from "./upload.js"
import { useView } from "./use-view.js"

/** Whether the browser knows of a network: it says so before the first request fails. */
const hasNetwork = cell(navigator.onLine)
for (const name of ["online", "offline"]) addEventListener(name, () => hasNetwork.set(navigator.onLine))

/** How it stands with the service, and what it does not have yet. */
export function Connection() {
  const status = useView((view) => view.status())
  const changes = useView((view) => view.waiting().filter(({ heldUntil }) => heldUntil === undefined).length)
  const waiting = changes + useCell(uploads).length
  const { connection, live, retryAt } = status
  const isOffline = !useCell(hasNetwork) || (connection === "offline" && retryAt !== undefined)
  const state = isOffline ? "offline" : connection === "signed-out" ? "offline" : live ? "live" : "connecting"
  const text = isOffline
    ? waiting > 0
      ? t.offlineWaiting(waiting)
      : t.offline
    : connection === "signed-out"
      ? t.signedOut
      : live
        ? t.live
        : t.connecting
  return (
    <span class={`connection ${state}`} id="connection" role="status">
      <span>{text}</span>
      {isOffline && (
        <button type="button" class="quiet-button small" onClick={() => client.tryNow()}>
          {t.tryNow}
        </button>
      )}
    </span>
  )
}
