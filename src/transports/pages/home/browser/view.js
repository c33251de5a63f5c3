import { html } from "../../html.js"
import { listsView } from "./lists.view.js"
import { taskView } from "./task.view.js"
import { tasksView } from "./tasks.view.js"

/** The whole of the page between its bars: the server's first look, and what the browser makes of it ever after.
 *  @type {(state: import("./state.js").State) => import("../../html.js").Html} */
export const homeView = (state) => html`${listsView(state)}${tasksView(state)}${taskView(state)}`
