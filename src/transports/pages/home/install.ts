import express, { type Router } from "express"
import sharp from "sharp"
import { cache, sendCached } from "../../http/cached.js"
import { getOnly } from "../../http/get-only.js"
import { FAVICON } from "../layout.js"
import { stylesheetPath } from "../stylesheet.js"
import { homeFiles, serviceWorker } from "./assets.js"

const DAY = { "Cache-Control": "public, max-age=86400" }
const SIZES = [192, 512]

const iconPath = (size: number): string => `/icon-${size}.png`
const drawn = (size: number): Promise<Buffer> =>
  sharp(Buffer.from(FAVICON), { density: size * 3 })
    .resize(size)
    .png()
    .toBuffer()

/**
 * What makes the home page one that can be installed, and opened without a network: its manifest, its icons, and the script that
 * keeps its shell.
 * @param at where a page of ours is, below the path at which the service is mounted
 */
export function installable(at: (path: string) => string): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  const manifest = cache(() =>
    JSON.stringify({
      name: "Tandem",
      short_name: "Tandem",
      description: "Shared lists, updated live",
      id: at("/"),
      start_url: at("/"),
      scope: at("/"),
      display: "standalone",
      background_color: "#f6f7fb",
      theme_color: "#2456c8",
      icons: SIZES.map((size) => ({
        src: at(iconPath(size)),
        sizes: `${size}x${size}`,
        type: "image/png",
        purpose: "any",
      })),
    }),
  )
  router.get("/manifest.webmanifest", (request, response) =>
    sendCached(request, response, manifest, { "Content-Type": "application/manifest+json", ...DAY }),
  )
  for (const size of SIZES) {
    const icon = cache(() => drawn(size))
    router.get(iconPath(size), (request, response) =>
      sendCached(request, response, icon, { "Content-Type": "image/png", ...DAY }),
    )
  }
  const worker = cache(() =>
    serviceWorker({
      home: at("/"),
      page: at("/shell"),
      files: [stylesheetPath, homeFiles.style, homeFiles.script, "/favicon.svg"].map(at),
    }),
  )
  router.get("/service-worker.js", (request, response) =>
    sendCached(request, response, worker, {
      "Content-Type": "text/javascript; charset=utf-8",
      "Cache-Control": "no-cache",
    }),
  )
  for (const path of ["/manifest.webmanifest", "/service-worker.js", ...SIZES.map(iconPath)]) router.all(path, getOnly)
  return router
}
