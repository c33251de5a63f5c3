import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Viewer } from "../../src/context.js"
import { createEventStreams, type EventStream } from "../../src/transports/http/event-stream.js"
import { freePort } from "../support/free-port.js"
import { eventually, quiet } from "./listener.js"

const HAPROXY = "/usr/sbin/haproxy"
const VIEWER: Viewer = {
  userId: "1",
  tokenId: "1",
  applicationId: "1",
  clientId: "x",
  dialect: "spec",
  scopes: new Set(),
}

/** haproxy, which cuts what is silent for three seconds, in front of a server of streams. */
async function startBehindProxy(signOfLifeMs: number) {
  const streams = createEventStreams({
    authenticate: () => VIEWER,
    live: { watchToken: () => () => {} },
    signOfLifeMs,
  })
  const opened: EventStream[] = []
  const server = createServer((request, response) => {
    if (request.url === "/ready") return void response.end()
    void streams.begin(request, response, { needs: [], onEnd() {} }).then(({ stream }) => opened.push(stream))
  }).listen(0, "127.0.0.1")
  const [port, folder] = [await freePort(), mkdtempSync(join(tmpdir(), "tandem-haproxy-"))]
  writeFileSync(
    join(folder, "haproxy.cfg"),
    `defaults
  mode http
  timeout connect 1s
  timeout client 3s
  timeout server 3s
listen streams
  bind 127.0.0.1:${port}
  server node 127.0.0.1:${(server.address() as AddressInfo).port}
`,
  )
  const haproxy = spawn(HAPROXY, ["-f", join(folder, "haproxy.cfg")], { stdio: "ignore" })
  await eventually(() =>
    fetch(`http://127.0.0.1:${port}/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  return {
    opened,
    /** Follows a stream; `isOver` however it ended. */
    async follow() {
      const seen = { text: "", isOver: false }
      const { body } = await fetch(`http://127.0.0.1:${port}/`)
      void (async () => {
        for await (const piece of body as unknown as AsyncIterable<Uint8Array>) seen.text += Buffer.from(piece)
      })()
        .catch(() => {})
        .finally(() => {
          seen.isOver = true
        })
      return seen
    },
    stop() {
      streams.stop()
      haproxy.kill()
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

describe.skipIf(!existsSync(HAPROXY))(
  "a stream in which nothing happens, behind a proxy that cuts what is silent",
  () => {
    it("is kept open by comments for longer than that, and tells what happens then", async () => {
      const { opened, follow, stop } = await startBehindProxy(250)
      const seen = await follow()
      await quiet(6_000)
      expect([opened.length, seen.isOver]).toEqual([1, false])
      expect(seen.text).toMatch(/^(:\n\n)+$/)
      opened[0]?.send("data: at last\n\n")
      await eventually(() => seen.text.endsWith("data: at last\n\n"))
      stop()
    })

    it("would be cut without them", async () => {
      const { follow, stop } = await startBehindProxy(60_000)
      const seen = await follow()
      await eventually(() => seen.isOver)
      expect(seen.text).toBe(":\n\n")
      stop()
    })
  },
)
