import { encode } from "uqr"
import { type Html, html } from "./html.js"

/** Light modules around it, which readers need. */
const BORDER = 4
const SIDE_PX = 220

/** A text as a QR code, drawn by the page itself: dark on light, whatever colours the page has. */
export function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { ecc: "M", border: BORDER })
  const squares = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")))
  return html`<svg role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" width="${SIDE_PX}" height="${SIDE_PX}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${squares.join("")}" fill="#000"/></svg>`
}
