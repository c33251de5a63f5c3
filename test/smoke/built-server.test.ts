import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import net, { type AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const READY_TIMEOUT_MS = 60_000
/** Another Node to run the built server on; the one that runs the tests when unset. */
const NODE = process.env.TANDEM_NODE ?? process.execPath

const dataDir = mkdtempSync(join(tmpdir(), "tandem-smoke-"))
let running: ChildProcess | undefined

beforeAll(() => {
  // Vitest resolves circles between modules that plain Node does not forgive, so what is started here is what ships.
  execFileSync("node", ["scripts/build.mjs", "--if-stale"], { stdio: "pipe" })
}, 180_000)

afterAll(async () => {
  if (running?.exitCode === null) {
    running.kill("SIGKILL")
    await once(running, "exit")
  }
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
})

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Starts `dist/main.js` as `npm start` does, with nothing set but where to listen and keep data, and waits until ready. */
async function start() {
  const url = `http://127.0.0.1:${await freePort()}`
  const node = spawn(NODE, ["--enable-source-maps", "dist/main.js"], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, PORT: new URL(url).port },
  })
  running = node
  let output = ""
  for (const stream of [node.stdout, node.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      output += text
    })
  const exited = once(node, "exit")
  for (const startedAt = Date.now(); ; await sleep(50)) {
    if (node.exitCode !== null) throw new Error(`exit ${node.exitCode} before it was ready:\n${output}`)
    if (Date.now() - startedAt > READY_TIMEOUT_MS) throw new Error(`not ready after ${READY_TIMEOUT_MS} ms:\n${output}`)
    const reply = await fetch(`${url}/readyz`).catch(() => undefined)
    if (reply?.status === 200) return { node, url, exited, output: () => output }
  }
}

describe("node dist/main.js", () => {
  it("starts on an empty folder, answers, and ends with 0 on SIGTERM", async () => {
    const { node, url, exited, output } = await start()
    const reply = await fetch(`${url}/api/health`, { headers: { "X-Request-Id": "smoke-1" } })
    expect([reply.status, await reply.json(), reply.headers.get("x-request-id")]).toEqual([
      200,
      { healthy: true },
      "smoke-1",
    ])
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    // The scripts of the home page are files that the build has to bring along.
    const [, base] = /href="(\/assets\/\w+\/)welcome\.css"/.exec(await (await fetch(url)).text()) ?? []
    for (const file of ["home.css", "home.js"])
      expect([file, (await fetch(url + base + file)).status]).toEqual([file, 200])
    const unknown = await fetch(`${url}/api/v1/nothing-here`, { headers: { "X-Request-Id": "smoke-2" } })
    expect(unknown.headers.get("content-type")).toMatch(/^application\/json/)

    const second = spawn(NODE, ["dist/main.js"], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, PORT: new URL(url).port },
    })
    let trouble = ""
    second.stderr.setEncoding("utf8").on("data", (text) => {
      trouble += text
    })
    expect(await once(second, "exit")).toEqual([1, null])
    expect(trouble).toMatch(/^Port \d+ on 127\.0\.0\.1 is taken, perhaps by another node: stop it, or set PORT/)

    node.kill("SIGTERM")
    await sleep(5)
    node.kill("SIGTERM")
    expect(await exited).toEqual([0, null])
    await expect(fetch(`${url}/healthz`)).rejects.toThrow()
    const line = output()
      .split("\n")
      .find((text) => text.includes('"smoke-2"'))
    expect(JSON.parse(line ?? "null")).toMatchObject({ path: "/api/v1/nothing-here", status: unknown.status })
    expect(output()).toMatch(/Sign in as demo@example\.org, password \S{16}\n/)
    expect(output()).toContain('"msg":"stopped"')
  }, 90_000)

  it("starts again on what it left there", async () => {
    const { node, url, exited, output } = await start()
    expect((await fetch(`${url}/api/health`)).status).toBe(200)
    await expect.poll(output).toContain("user reset-password --user demo@example.org")
    for (const page of ["/  ", "/docs  ", "/graphql  "]) expect(output()).toContain(url + page)
    const mails = /http:\S+\/dev\/mails\?key=\w{32}/.exec(output())?.[0] as string
    expect((await fetch(mails)).status).toBe(200)
    node.kill("SIGINT")
    expect(await exited).toEqual([0, null])
    expect(output()).toContain('"msg":"stopped"')
  }, 90_000)
})
