import { existsSync } from "node:fs"
import { type Browser, chromium } from "playwright-core"

const PLACES = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

/** Where a Chromium is on this machine; undefined when there is none. */
export const chromiumPath = PLACES.find((path) => path !== undefined && existsSync(path))

/** This machine under a name that is not localhost: what comes from it over plain http may use less of the browser. */
export const PLAIN_HOST = "plain.test"

/** Starts it without what it asks of the network by itself. */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`,
    ],
  })
