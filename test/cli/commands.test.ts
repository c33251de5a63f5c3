import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { showProgress } from "../../src/cli/progress.js"
import { eventually } from "../live/listener.js"
import { runCli } from "../support/cli.js"
import { makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { deliveriesOf, type HookNode, startHookNode } from "../webhooks/hooks.js"
import { startReceiver } from "../webhooks/receiver.js"

let node: HookNode
let ann: Person
let list: any

beforeAll(async () => {
  node = await startHookNode()
  vi.stubEnv("DATABASE_URL", node.databaseUrl)
  ann = await makePerson(node, "Hook Ann")
  list = await makeList(ann, "Watched")
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await node.stop()
})

describe("tandem webhook listen", () => {
  it("shows each delivery of a running server, verified, and leaves no webhook behind", async () => {
    vi.stubEnv("WEBHOOK_ALLOWED_NETWORKS", "127.0.0.0/8")
    const listening = runCli("webhook", "listen", "--list", String(list.id), "--count", "3", "--json")
    const isThere = async () => (await ann.get(`/webhooks?list_id=${list.id}`)).body.length === 1
    const endedEarly = listening.then((ran) => Promise.reject(new Error(JSON.stringify(ran))))
    await Promise.race([eventually(isThere, 30_000), endedEarly])
    await makeTask(ann, list, { title: "Told" })
    const { code, out, err } = await listening
    vi.stubEnv("WEBHOOK_ALLOWED_NETWORKS", "")
    const listens =
      /^Listening at http:\/\/127\.0\.0\.1:\d+\/ for changes of the list "Watched"\. Press Ctrl\+C to stop/
    expect([code, err]).toEqual([0, expect.stringMatching(listens)])
    const told = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(told).toHaveLength(3)
    expect(told.every(({ id, verified }) => verified === true && /^msg_\d+$/.test(id))).toBe(true)
    // The webhook's own creation, a test, and the task.
    expect(told.map(({ body }) => `${body.operation} ${body.subject.type}`).sort()).toEqual([
      "create task",
      "create webhook",
      "update webhook",
    ])
    expect((await ann.get(`/webhooks?list_id=${list.id}`)).body).toEqual([])
    const acts = (await runCli("audit", "--json")).json.map(({ act, subject }: any) => `${act}: ${subject}`)
    expect(acts.slice(0, 2)).toEqual([
      expect.stringMatching(`^webhook listen ended: webhook \\d+, to 127\\.0\\.0\\.1:\\d+, of list ${list.id}$`),
      expect.stringMatching(`^webhook listen: webhook \\d+, to 127\\.0\\.0\\.1:\\d+, of list ${list.id}$`),
    ])
  })

  it("says how to open this machine when servers may not reach it, and makes nothing", async () => {
    vi.stubEnv("WEBHOOK_ALLOWED_NETWORKS", "")
    const ran = await runCli("webhook", "listen", "--list", String(list.id))
    expect(ran).toMatchObject({ code: 1, out: "" })
    expect(ran.err).toMatch(/^--host: http:\/\/127\.0\.0\.1:\d+\/ must not lead to a private, loopback/)
    expect(ran.err).toContain("WEBHOOK_ALLOWED_NETWORKS=127.0.0.0/8")
    expect((await ann.get(`/webhooks?list_id=${list.id}`)).body).toEqual([])
  })

  it.each([
    [["--list", "999"], "--list: there is no list 999\n"],
    [["--list", "1", "--port", "http"], "--port: http must be a whole number from 0 to 65535\n"],
    [["--list", "1", "--count", "0"], "--count: 0 must be a whole number from 1 to 1000000000\n"],
  ])("refuses %j in a sentence", async (words, err) => {
    expect(await runCli("webhook", "listen", ...words)).toMatchObject({ code: 1, out: "", err })
  })
})

describe("tandem webhook replay", () => {
  it("sends one delivery again, all since an instant, and only those that were given up", async () => {
    const receiver = await startReceiver()
    const body = { list_id: list.id, url: receiver.url, processor_type: "generic", configuration: "" }
    const hook = (await ann.post("/webhooks", body)).body
    await makeTask(ann, list, { title: "Again" })
    await receiver.until(2)
    await expect
      .poll(async () => (await deliveriesOf(node, hook)).every(({ status }: any) => status === "delivered"), {
        timeout: 10_000,
      })
      .toBe(true)
    const first = receiver.received[0]?.headers["webhook-id"] as string
    const one = await runCli("webhook", "replay", first, "--json")
    expect(one).toMatchObject({ code: 0, err: "" })
    expect(one.json).toEqual([
      {
        id: Number(first.slice(4)),
        webhook_id: hook.id,
        status: "pending",
        operation: "create",
        subject_type: "webhook",
        subject_id: hook.id,
        created_at: expect.any(String),
      },
    ])
    await receiver.until(3)
    expect(receiver.received[2]?.headers["webhook-id"]).toBe(first)
    const since = await runCli("webhook", "replay", "--webhook", String(hook.id), "--since", "1h")
    expect(since.out).toMatch(/^ *id +webhook_id +status +operation/)
    expect(since.out.trim().split("\n")).toHaveLength(3)
    await receiver.until(5)
    const failed = ["webhook", "replay", "--webhook", String(hook.id), "--since", "2020-01-01T00:00:00Z", "--failed"]
    expect((await runCli(...failed)).out).toBe("There are no such deliveries.\n")
    expect((await runCli(...failed, "--json")).json).toEqual([])
    const longAgo = await runCli("webhook", "replay", "--webhook", String(hook.id), "--since", "999999d")
    expect(longAgo).toMatchObject({ code: 1, err: "--since: 999999d is before the year 1\n" })
    await ann.delete(`/webhooks/${hook.id}?revision=${hook.revision}`)
    await receiver.stop()
  })

  it.each([
    [
      ["msg_999999"],
      "<delivery>: there is no delivery msg_999999 of an existing webhook; deliveries are stored for 30 days\n",
    ],
    [[], "<delivery>: name a delivery, or --webhook <id> with --since <when>\n"],
    [["1", "--webhook", "1"], "--webhook: cannot be combined with a delivery\n"],
    [["--webhook", "999", "--since", "1h"], "--webhook: there is no webhook 999; see: webhook list\n"],
    [["--webhook", "1"], "--since: say since when to send deliveries again, like 2h\n"],
  ])("refuses %j in a sentence", async (words, err) => {
    expect(await runCli("webhook", "replay", ...words)).toMatchObject({ code: 1, out: "", err })
  })
})

describe("tandem", () => {
  /** Every command by its words, found in the help itself. */
  async function commands(words: string[] = []): Promise<string[][]> {
    const { out } = await runCli(...words, "--help")
    const part = /\nCommands:\n([\s\S]*?)(\n\n|$)/.exec(out)?.[1] ?? ""
    const names = [...part.matchAll(/^ {2}([a-z-]+)/gm)]
      .map(([, name]) => name as string)
      .filter((name) => name !== "help")
    const inside = await Promise.all(names.map((name) => commands([...words, name])))
    return names.length === 0 ? [words] : inside.flat()
  }

  it("has an example in the help of every command, and says what its exit codes mean", async () => {
    const all = await commands()
    expect(all.map((words) => words.join(" "))).toEqual(
      expect.arrayContaining([
        "serve",
        "user create",
        "app rotate-secret",
        "token revoke",
        "import",
        "webhook replay",
        "doctor",
      ]),
    )
    for (const words of all) {
      const { out, code } = await runCli(...words, "--help")
      expect([words, code, /Examples?:\n {2}\$ .*tandem /.test(out)]).toEqual([words, 0, true])
    }
    expect((await runCli("--help")).out).toContain("Exit codes:\n  0  success\n  1  ")
  })

  it("prints its version, and takes a command that is none for a mistake of usage", async () => {
    expect(await runCli("--version")).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
    const unknown = await runCli("improt")
    expect(unknown).toMatchObject({ code: 2, out: "" })
    expect(unknown.err).toContain("unknown command 'improt'\n(Did you mean import?)")
    expect(await runCli("token", "create")).toMatchObject({
      code: 2,
      err: expect.stringContaining("required option '--user <id|email>' not specified"),
    })
  })

  it("shows people a table without colours, wide letters and all", async () => {
    await runCli("app", "create", "--name", "計画 🦉", "--redirect-uri", "https://a.example/")
    const { out } = await runCli("app", "list")
    const lines = out.trimEnd().split("\n")
    expect(lines[0]).toMatch(/^client_id +name +dialect +redirect_uris +scopes +public +owner$/)
    expect(out).not.toContain("\u001b")
    const row = lines.find((line) => line.includes("計画")) as string
    // The name takes seven columns and is five units of text, so what is behind it begins two units earlier.
    expect(row.indexOf("spec")).toBe((lines[0] as string).indexOf("dialect") - 2)
    expect(await runCli("token", "list", "--user", "nobody@example.org")).toMatchObject({ code: 1, out: "" })
  })

  it("shows people nothing that their terminal would obey", async () => {
    await runCli(
      "app",
      "create",
      "--name",
      "a\u001b]52;c;eA==\u0007\u009b31m\u202eb",
      "--redirect-uri",
      "https://a.example/",
    )
    const { out } = await runCli("app", "list")
    expect(out).toContain("a\ufffd]52;c;eA==\ufffd\ufffd31m\ufffdb")
    expect(JSON.parse((await runCli("app", "list", "--json")).out).map(({ name }: any) => name)).toContain(
      "a\u001b]52;c;eA==\u0007\u009b31m\u202eb",
    )
  })

  it("draws progress on a terminal only", () => {
    const written: string[] = []
    const stream = (isTTY: boolean) => ({ isTTY, write: (text: string) => written.push(text) }) as any
    const quiet = showProgress("Importing", "tasks", stream(false))
    quiet.at(1, 2)
    quiet.stop()
    expect(written).toEqual([])
    const shown = showProgress("Importing", "tasks", stream(true))
    shown.at(5, 10)
    shown.at(6, 10) // too soon after the one before
    shown.at(10, 10)
    shown.stop()
    expect(written).toEqual([
      `\r\u001b[KImporting [${"#".repeat(15)}${"-".repeat(15)}] 50 % 5 of 10 tasks`,
      `\r\u001b[KImporting [${"#".repeat(30)}] 100 % 10 of 10 tasks`,
      "\r\u001b[K",
    ])
  })
})
