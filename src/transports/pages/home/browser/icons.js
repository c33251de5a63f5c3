import { html } from "../../html.js"

/** @type {(path: string) => import("../../html.js").Html} */
const icon = (path) =>
  html`<svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false"><path d="${path}"/></svg>`

export const GRIP = icon("M7 5h.01M7 10h.01M7 15h.01M13 5h.01M13 10h.01M13 15h.01")
export const STAR = icon("M10 2.8l2.2 4.6 5 .7-3.600 3.500.9 5L10 14.200 5.500 16.600l.9-5L2.800 8.100l5-.7z")
export const CROSS = icon("M5 5l10 10M15 5L5 15")
export const CLIP = icon(
  "M14.500 9.500l-5.200 5.200a3 3 0 0 1-4.300-4.300l6-6a2 2 0 0 1 2.900 2.900l-5.900 5.900a1 1 0 0 1-1.500-1.500l5.200-5.200",
)
export const INBOX = icon("M3 11l2.200-6.500h9.600L17 11v5H3zM3 11h4l1 2h4l1-2h4")
export const LIST = icon("M7.500 5.500H17M7.500 10H17M7.500 14.500H17M3.500 5.500h.01M3.500 10h.01M3.500 14.500h.01")
export const PLUS = icon("M10 4v12M4 10h12")
export const TICK = icon("M5 10.500l3.500 3.500L15.500 6.500")
