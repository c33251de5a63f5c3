import { spawn } from "node:child_process"
import { once } from "node:events"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../live/listener.js"
import { buildServer } from "../support/built-server.js"
import { makeList, makePerson, type Person } from "../support/make.js"
import { type HookNode, startHookNode } from "../webhooks/hooks.js"

let node: HookNode
let ann: Person
let list: { id: number }

beforeAll(async () => {
  buildServer()
  node = await startHookNode()
  ann = await makePerson(node, "Hook Ann")
  list = await makeList(ann, "Watched")
})
afterAll(() => node.stop())

describe("tandem webhook listen", () => {
  it("leaves no webhook behind when it is interrupted twice at once, as npm does", async () => {
    const env = { PATH: process.env.PATH, DATABASE_URL: node.databaseUrl, WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8" }
    const words = ["dist/cli/tandem.js", "webhook", "listen", "--list", String(list.id)]
    const listening = spawn(process.execPath, words, { env, stdio: "ignore" })
    const ended = once(listening, "exit")
    const webhooks = async () => (await ann.get(`/webhooks?list_id=${list.id}`)).body
    await eventually(async () => (await webhooks()).length === 1, 30_000)
    // Two that are pending at once would be one.
    for (
      let patience = 0;
      patience < 1_000 && listening.exitCode === null && listening.signalCode === null;
      patience++
    ) {
      listening.kill("SIGINT")
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    await ended
    expect(await webhooks()).toEqual([])
  }, 60_000)
})
