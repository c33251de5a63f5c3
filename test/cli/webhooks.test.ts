import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { statement } from "../../src/statement.js"
import { eventually } from "../live/listener.js"
import { runCli } from "../support/cli.js"
import { makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { runSql } from "../support/postgres.js"
import { type HookNode, startHookNode } from "../webhooks/hooks.js"
import { type Received, type Receiver, startReceiver, verified } from "../webhooks/receiver.js"

let node: HookNode
let ann: Person
let user: string
let receiver: Receiver

beforeAll(async () => {
  node = await startHookNode()
  vi.stubEnv("DATABASE_URL", node.databaseUrl)
  vi.stubEnv("WEBHOOK_ALLOWED_NETWORKS", "127.0.0.0/8")
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await node.stop()
})
beforeEach(async () => {
  ann = await makePerson(node, "Ann")
  user = String(ann.id)
  receiver = await startReceiver()
})
afterEach(() => receiver.stop())

const create = (...words: string[]) => runCli("webhook", "create", "--user", user, "--url", receiver.url, ...words)
const made = async (...words: string[]) => {
  const { err, json } = await create(...words, "--json")
  expect(err).toBe("")
  return json
}

describe("tandem webhook create, list, update and delete", () => {
  it("make one of the account, which is told of every list and signs with the secret that is shown once", async () => {
    const webhook = await made("--event", "task.created", "--event", "task.deleted", "--configuration", "a=1")
    expect(webhook).toEqual({
      id: expect.any(Number),
      list_id: null,
      url: receiver.url,
      events: ["task.created", "task.deleted"],
      configuration: "a=1",
      revision: 1,
      secret: expect.stringMatching(/^whsec_/),
    })
    const task = await makeTask(ann, await makeList(ann, "Made later"))
    await receiver.until(1)
    const [told] = receiver.received
    expect(told?.body).toMatchObject({ event: "task.created", after: { id: task.id }, configuration: "a=1" })
    expect(verified(told as Received, webhook.secret)).toEqual(told?.body)
    expect((await ann.graphql("{ webhooks { id } }")).data.webhooks).toEqual([{ id: String(webhook.id) }])
    const again = await runCli("webhook", "replay", String(told?.headers["webhook-id"]))
    expect([again.code, again.err]).toEqual([0, ""])
    await receiver.until(2)
    expect(receiver.received[1]?.headers["webhook-id"]).toBe(told?.headers["webhook-id"])
  })

  it("list those of the account and of the user's lists, without their secrets", async () => {
    const list = await makeList(ann, "Watched")
    const [ofAccount, ofList] = [await made("--event", "reminder.due"), await made("--list", String(list.id))]
    const { out, json } = await runCli("webhook", "list", "--user", user, "--json")
    const common = { url: receiver.url, state: "working", created_by: "Ann" }
    expect(json).toEqual([
      { ...common, id: ofAccount.id, list: null, events: ["reminder.due"] },
      { ...common, id: ofList.id, list: "Watched", events: "all" },
    ])
    expect(out).not.toContain("whsec_")
    expect((await runCli("webhook", "list", "--user", user)).out).toMatch(
      /^ *id +url +list +events +state +created_by\n/,
    )
    for (const { id } of json) await runCli("webhook", "delete", "--webhook", String(id))
    expect(await runCli("webhook", "list", "--user", user)).toMatchObject({ code: 0, out: "none\n" })
  })

  it("change what is named and nothing else", async () => {
    const { id } = await made("--event", "task.created", "--configuration", "old")
    const update = (...words: string[]) => runCli("webhook", "update", "--webhook", String(id), ...words, "--json")
    const url = `${receiver.url}other`
    expect((await update("--url", url)).json).toEqual({
      ...{ id, list_id: null, url, events: ["task.created"], configuration: "old", revision: 2 },
    })
    expect((await update("--event", "note.created", "--event", "note.created")).json).toMatchObject({
      ...{ url, events: ["note.created"], configuration: "old" },
    })
    expect((await update("--all-events", "--configuration", "")).json).toMatchObject({
      events: "all",
      configuration: "",
    })
    expect((await runCli("webhook", "delete", "--webhook", String(id), "--json")).json).toEqual({ id, deleted: true })
    expect((await ann.get(`/webhooks/${id}`)).status).toBe(404)
  })

  it("refuse in a sentence, and make nothing", async () => {
    const { id } = await made()
    const bob = await makePerson(node, "Bob")
    const list = await makeList(bob, "Bob's")
    const webhook = ["--webhook", String(id)]
    for (const [words, err] of [
      [["create", "--user", user, "--url", "ftp://x"], "--url: ftp://x must be an absolute http or https URL\n"],
      [["create", "--user", user, "--url", "http://10.0.0.1/"], /^Invalid: url must not lead to a private/],
      [
        ["create", "--user", user, "--url", "http://a.example/", "--event", "task.done"],
        /^--event: task.done must name one of list.created/,
      ],
      [["create", "--user", user, "--url", "http://a.example/", "--list", String(list.id)], /^[A-Z].*\n$/],
      [["create", "--user", "0", "--url", "http://a.example/"], /^--user: there is no user 0/],
      [["update", ...webhook], /^--webhook: say what to change: --url, --event/],
      [
        ["update", ...webhook, "--all-events", "--event", "task.due"],
        "--all-events: cannot be combined with --event\n",
      ],
      [["update", "--webhook", "999", "--all-events"], "--webhook: there is no webhook 999; see: webhook list\n"],
      [["delete", "--webhook", "nine"], "--webhook: there is no webhook nine; see: webhook list\n"],
    ] as const) {
      const ran = await runCli("webhook", ...words)
      expect([words, ran]).toMatchObject([words, { code: 1, out: "", err: expect.stringMatching(err) }])
      expect(ran.err.trim()).not.toContain("\n")
    }
    expect((await runCli("webhook", "list", "--user", user, "--json")).json).toMatchObject([{ id, events: "all" }])
  })

  it("say that an account has at most twenty", async () => {
    const cid = await makePerson(node, "Cid")
    const words = ["webhook", "create", "--user", String(cid.id), "--url", "https://example.org/"]
    await runSql(
      node.databaseUrl,
      `insert into webhooks (url, processor_type, configuration, secret, created_by_id, updated_by_id)
       select 'https://example.org/', 'generic', '', 'whsec_eA==', ${cid.id}, ${cid.id} from generate_series(1, 20)`,
    )
    const ran = await runCli(...words)
    expect(ran).toMatchObject({ code: 1, out: "" })
    expect(ran.err).toMatch(/^[^\n]*20 webhooks[^\n]*\n$/)
  })
})

describe("tandem webhook test", () => {
  /** Connections whose last statement begins like $1. */
  const waiting = statement(
    "test_asking",
    "select pid from pg_stat_activity where datname = current_database() and query like $1",
    ([pid]) => pid,
  )

  it("sends one signed test and prints what the endpoint answered", async () => {
    const { id, secret } = await made("--event", "reminder.due")
    const ran = await runCli("webhook", "test", "--webhook", String(id), "--json")
    expect([ran.code, ran.json]).toEqual([
      0,
      {
        ...{ webhook_id: id, url: receiver.url, delivered: true },
        ...{ response_code: 204, latency_ms: expect.any(Number), error: null },
      },
    ])
    expect(receiver.received).toHaveLength(1)
    const told = receiver.received.at(-1)
    expect(told?.body).toMatchObject({ subject: { type: "webhook", id } })
    expect(verified(told as Received, secret)).toEqual(told?.body)
  })

  it("is a failure when the answer is none or a bad one, and tries at once when asked again", async () => {
    const { id } = await made("--event", "reminder.due")
    receiver.answer = (response) => response.writeHead(503).end()
    const refused = await runCli("webhook", "test", "--webhook", String(id), "--json")
    expect([refused.code, refused.json]).toMatchObject([1, { delivered: false, response_code: 503 }])
    receiver.answer = (response) => response.writeHead(200).end()
    const again = await runCli("webhook", "test", "--webhook", String(id), "--json")
    expect([again.code, again.json]).toMatchObject([0, { delivered: true, response_code: 200, error: null }])
    let answer = () => {}
    receiver.answer = (response) => {
      answer = () => response.writeHead(202).end()
    }
    const count = receiver.received.length
    await ann.graphql("mutation ($id: ID!) { sendTestWebhook(id: $id) { id } }", { id })
    await receiver.until(count + 1)
    const testing = runCli("webhook", "test", "--webhook", String(id), "--json")
    await eventually(
      async () =>
        (
          await node.database.run(waiting, [
            `SELECT "public"."webhook_deliveries"."id", "public"."webhook_deliveries"."attempts"%`,
          ])
        ).length > 0,
    )
    answer()
    const flying = await testing
    expect([flying.code, flying.json, receiver.received.length]).toMatchObject([0, { response_code: 202 }, count + 1])
    await runCli("webhook", "update", "--webhook", String(id), "--url", "http://127.0.0.1:1/")
    const nobody = await runCli("webhook", "test", "--webhook", String(id))
    expect(nobody.code).toBe(1)
    expect(nobody.out).toMatch(/delivered +false\nresponse_code +–\n/)
    expect(nobody.out).toMatch(/error +\S/)
    expect(await runCli("webhook", "test", "--webhook", "0")).toMatchObject({
      ...{ code: 1, err: "--webhook: there is no webhook 0; see: webhook list\n" },
    })
  })
})
