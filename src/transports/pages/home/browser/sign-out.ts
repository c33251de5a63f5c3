import { ask } from "./dialog.js"
import { forgetFiles } from "./kept-files.js"
import { client, forget } from "./session.js"
import { t } from "./texts.js"
import { uploads } from "./upload.js"
import { unsentTexts } from "./use-unsent.js"

/** Before the browser signs out, nothing of the viewer is left in it; and nothing is lost that was not sent without being asked. */
export function guardSignOut(): void {
  const form = document.querySelector<HTMLFormElement>('form[action$="/sign-out"]')
  const menu = document.querySelector<HTMLDetailsElement>("details.account-menu")
  const leave = () => void Promise.allSettled([forget(), forgetFiles()]).then(() => form?.submit())
  form?.addEventListener("submit", (event) => {
    event.preventDefault()
    const waiting = client.view.waiting().length + client.view.aside().length + uploads.get().length + unsentTexts()
    if (waiting === 0) return leave()
    ask({ title: t.signOutAsked, hint: t.signOutHint(waiting), yes: t.signOut, run: leave })
  })
  // It closes as menus do.
  addEventListener("pointerdown", (event) => {
    if (!menu?.contains(event.target as Node)) menu?.removeAttribute("open")
  })
  menu?.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return
    event.stopPropagation()
    menu.open = false
    menu.querySelector("summary")?.focus()
  })
}
