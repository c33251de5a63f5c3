import { cell } from "./cell.js"

/** Whether the lists are shown where there is no room for them beside the tasks. */
export const drawer = cell(false)

export const closeDrawer = (): void => drawer.set(false)
