import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { App } from "../../src/app.js"
import { type DatabaseClient, openDatabase } from "../../src/database/client.js"
import { startReminderPush } from "../../src/jobs/reminder-push/push-reminders.js"
import { vapidKeys } from "../../src/jobs/reminder-push/vapid.js"
import type { Log } from "../../src/log.js"
import { egressPolicy } from "../../src/outbound/egress-policy.js"
import { statement } from "../../src/statement.js"
import { eventually, quiet } from "../live/listener.js"
import { makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"
import { createTestDatabase, runSql, type TestDatabase } from "../support/postgres.js"
import { type Browser, makeBrowser, type PushService, senderOf, startPushService } from "../support/push-service.js"

const LOOPBACK = ["127.0.0.0/8"]
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()

describe("a reminder that falls due (§9 Reminder push)", () => {
  let node: TestNode
  let other: App
  let service: PushService
  let ann: Person
  beforeAll(async () => {
    service = await startPushService()
    node = await startNode({ webhookAllowedNetworks: LOOPBACK, mailFrom: "Tandem <push@example.org>" })
    other = await startNodeOn(node.databaseUrl, { webhookAllowedNetworks: LOOPBACK, mailFrom: "push@example.org" })
    ann = await makePerson(node, "Ann")
  })
  afterAll(async () => {
    await other.stop()
    await node.stop()
    await service.stop()
  })

  async function register(who: Person, udid: string): Promise<Browser> {
    const browser = makeBrowser(`${service.url}/${udid}`)
    const { status } = await who.post("/devices", { udid, platform: "web_push", subscription: browser.subscription })
    expect(status).toBe(201)
    return browser
  }
  const remind = async (who: Person, task: { id: number }, date: string, udid?: string): Promise<any> =>
    (await who.post("/reminders", { task_id: task.id, date, created_by_device_udid: udid })).body[0]

  it("is pushed once, by one of the nodes, to each of the user's devices but the one that made it", async () => {
    const phone = await register(ann, "phone")
    const laptop = await register(ann, "laptop")
    await register(await makePerson(node, "Bob"), "bobs")
    const title = "Buy 🥛 ".repeat(36)
    const task = await makeTask(ann, { id: ann.inboxId }, { title })
    await quiet(1_500) // a node has just started, and loads what it needs a second later
    const reminder = await remind(ann, task, inMs(500), "watch")
    const quietOne = await remind(ann, task, inMs(600), "phone")
    await eventually(() => service.pushed.length === 3)
    await quiet(500)
    expect(service.pushed.map(({ path }) => path).sort()).toEqual(["/laptop", "/laptop", "/phone"])

    const [message] = service.at("/phone") as [(typeof service.pushed)[0]]
    expect(message.at - Date.parse(reminder.date)).toBeLessThan(30_000) // a second on a machine that does nothing else
    expect(message.at - Date.parse(reminder.date)).toBeGreaterThanOrEqual(-5)
    expect(phone.read(message)).toEqual({
      type: "reminder_due",
      reminder: { id: reminder.id, task_id: task.id, date: reminder.date, type: "reminder" },
      task: { id: task.id, list_id: ann.inboxId, title, type: "task" },
    })
    expect(
      service
        .at("/laptop")
        .map((pushed) => laptop.read(pushed).reminder.id)
        .sort(),
    ).toEqual([reminder.id, quietOne.id].sort())
    expect(message.headers).toMatchObject({
      "content-encoding": "aes128gcm",
      urgency: "high",
      topic: `reminder-${reminder.id}`,
      ttl: expect.stringMatching(/^3[56]\d\d$/),
    })
    const { key, claims } = senderOf(message)
    expect(key).toBe((await ann.graphql("{ vapidPublicKey }")).data.vapidPublicKey)
    expect(claims).toMatchObject({ aud: service.url, sub: "mailto:push@example.org" })
    expect(claims.exp * 1_000).toBeGreaterThan(Date.now())
    expect(claims.exp * 1_000).toBeLessThan(Date.now() + 86_400_000) // RFC 8292 allows a day
  })

  it.each([404, 410])("removes a device for which the push service answers %d, and no other", async (status) => {
    const cid = await makePerson(node, "Cid")
    await register(cid, `gone-${status}`)
    await register(cid, `kept-${status}`)
    service.answers(`/gone-${status}`, status)
    await remind(cid, await makeTask(cid, { id: cid.inboxId }), inMs(100))
    const udids = async () => (await cid.get("/devices")).body.map(({ udid }: any) => udid)
    await eventually(async () => (await udids()).length === 1)
    expect(await udids()).toEqual([`kept-${status}`])
    await eventually(() => service.at(`/kept-${status}`).length === 1)
  })
})

describe("a push that does not arrive", () => {
  let database: TestDatabase
  let db: DatabaseClient
  let service: PushService
  const lines: [any, string][] = []
  const log = { warn: (...line: [any, string]) => lines.push(line), info() {}, debug() {} } as unknown as Log
  beforeAll(async () => {
    database = await createTestDatabase()
    db = openDatabase(database.url)
    service = await startPushService()
    await runSql(
      database.url,
      `insert into users (name, email) values ('Ann', 'ann@example.org');
       insert into tasks (list_id, title, created_by_id, updated_by_id) select id, 'Buy milk', owner_id, owner_id from lists;
       insert into reminders (task_id, user_id, date, updated_by_id) select id, created_by_id, now(), created_by_id from tasks`,
    )
  })
  afterAll(async () => {
    await db.stop()
    await database.drop()
    await service.stop()
  })

  const waiting = statement("waiting_pushes", "select count(*) from pushes", ([count]) => Number(count))
  const left = async () => (await db.run(waiting, []))[0] as number

  /** Puts a push on its way to a path of the service, as one that fell due some seconds ago. */
  async function fellDue(path: string, { url = service.url, ageSeconds = 0 } = {}): Promise<Browser> {
    const browser = makeBrowser(`${url}${path}`)
    await runSql(
      database.url,
      `with d as (insert into devices (user_id, udid, platform, subscription)
         select id, '${path}', 'web_push', '${JSON.stringify(browser.subscription)}' from users returning id)
       insert into pushes (device_id, reminder_id, created_at) select d.id, r.id, now() - interval '${ageSeconds} seconds' from d, reminders r`,
    )
    return browser
  }

  /** Sends with short pauses, until nothing is left or `until` says so. */
  async function pushing(
    until: () => boolean | Promise<boolean>,
    networks: string[] = LOOPBACK,
    pausesMs = [20, 20, 20],
  ) {
    const vapid = { ...(await vapidKeys(db)), subject: "mailto:push@example.org" }
    const push = startReminderPush({ db, log, egress: egressPolicy(networks), vapid, pausesMs })
    await eventually(until).finally(() => push.stop())
  }
  const nothingLeft = async () => (await left()) === 0

  it("is tried again after 500, 503 and 429, until it does", async () => {
    const browser = await fellDue("/busy")
    service.answers("/busy", 500, 503, 429, 201)
    await pushing(nothingLeft)
    expect(service.at("/busy").map((message) => browser.read(message).task.title)).toEqual(Array(4).fill("Buy milk"))
  })

  it("waits as long as Retry-After says", async () => {
    const patient = await startPushService({ "Retry-After": "2" })
    patient.answers("/patient", 429, 201)
    await fellDue("/patient", { url: patient.url })
    await pushing(nothingLeft)
    const [first, second] = patient.pushed as [any, any]
    expect(second.at - first.at).toBeGreaterThanOrEqual(1_950)
    await patient.stop()
  })

  it.each([
    ["400", "/bad", {}, [400], 1],
    ["500 too often", "/down", {}, [500], 4],
    ["500 when it fell due more than an hour ago", "/late", { ageSeconds: 3_601 }, [500], 1],
  ])(
    "is given up after %s, with a log line that does not tell the address",
    async (_case, path, age, statuses, attempts) => {
      lines.length = 0
      await fellDue(path, age)
      service.answers(path, ...statuses)
      await pushing(nothingLeft)
      expect(service.at(path)).toHaveLength(attempts)
      expect(lines).toEqual([[{ device: expect.any(String), status: statuses[0] }, expect.any(String)]])
    },
  )

  it("is given up for a key that is no point of the curve, and holds up no other", async () => {
    lines.length = 0
    await fellDue("/no-point")
    const noPoint = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)]).toString("base64url")
    await runSql(
      database.url,
      `update devices set subscription = jsonb_set(subscription, '{keys,p256dh}', '"${noPoint}"') where udid = '/no-point'`,
    )
    await fellDue("/point")
    await pushing(nothingLeft)
    expect([service.at("/no-point").length, service.at("/point").length, lines.length]).toEqual([0, 1, 1])
  })

  it("does not hold up the others when its service does not answer", async () => {
    service.answers("/hangs", 0)
    await fellDue("/hangs")
    await fellDue("/answers")
    await pushing(() => service.at("/answers").length === 1 && service.at("/hangs").length === 1)
    expect(await left()).toBe(1)
    await runSql(database.url, "delete from pushes")
  })

  it("is sent by another node when the lease of one that died is over, and not before", async () => {
    await fellDue("/leased")
    await runSql(database.url, "update pushes set due_at = now() + interval '1 second', attempts = 1")
    await pushing(() => quiet(500).then(() => true))
    expect(service.at("/leased")).toHaveLength(0)
    await pushing(nothingLeft)
    expect(service.at("/leased")).toHaveLength(1)
  })

  it.each([
    ["moved", "update reminders set date = now() + interval '1 day'", "update reminders set date = now()"],
    [
      "completed",
      "update tasks set completed = true, completed_at = now()",
      "update tasks set completed = false, completed_at = null",
    ],
    [
      "closed to the user",
      "update memberships set state = 'pending', owner = false",
      "update memberships set state = 'accepted', owner = true",
    ],
  ])("is not sent when the reminder is %s meanwhile", async (name, change, restore) => {
    await fellDue(`/${name}`)
    await runSql(database.url, change)
    await pushing(nothingLeft)
    expect(service.at(`/${name}`)).toHaveLength(0)
    await runSql(database.url, restore)
  })

  it("connects to nothing inside, by address or by name", async () => {
    const canary = await startPushService()
    const { port } = new URL(canary.url)
    lines.length = 0
    for (const [index, host] of ["127.0.0.1", "2130706433", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0"].entries())
      await fellDue(`/${index}`, { url: `http://${host}:${port}` })
    await pushing(nothingLeft, [])
    expect([canary.connections(), lines.length]).toEqual([0, 5])
    await canary.stop()
  })
})
