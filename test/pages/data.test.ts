import { once } from "node:events"
import net from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startSession } from "../../src/accounts/session.js"
import { statement } from "../../src/statement.js"
import { type Member, makeMember, PASSWORD } from "../support/account.js"
import { createFormClient } from "../support/form-client.js"
import { linkIn, type Mailbox, startMailbox } from "../support/mailbox.js"
import { startNode, type TestNode } from "../support/node.js"

let node: TestNode
let mailbox: Mailbox

beforeAll(async () => {
  mailbox = await startMailbox()
  node = await startNode({ smtpUrl: mailbox.url, quotas: { tasks: 3, lists: 2 } as never })
})
afterAll(async () => {
  await node.stop()
  await mailbox.stop()
})

const backup = (titles: readonly string[]) => ({
  user: 1,
  exported: "2026-11-28T00:00:00.000Z",
  data: {
    lists: [{ id: 71, title: "Groceries" }],
    tasks: titles.map((title, index) => ({ id: 100 + index, list_id: 71, title })),
    subtasks: [],
    notes: [],
    reminders: [],
    task_comments: [],
    task_positions: [],
    subtask_positions: [],
  },
})

/** Sends the form for imports as a browser does. */
async function send(member: Member, content: string, fields: Record<string, string> = {}, name = "backup.json") {
  const page = await member.browser.get("/account/data")
  const form = new FormData()
  for (const [key, value] of Object.entries({ csrf: page.form("/account/import").csrf ?? "", ...fields }))
    form.set(key, value)
  if (content !== "") form.set("file", new Blob([content]), name)
  const cookie = [...member.browser.cookies].map(([key, value]) => `${key}=${value}`).join("; ")
  const reply = await fetch(`${node.url}/account/import`, { method: "POST", headers: { cookie }, body: form })
  return { status: reply.status, text: await reply.text() }
}
const rowsOf = (text: string) =>
  [...text.matchAll(/<th scope="row">(\w+)<\/th><td>(\d+)<\/td><td>(\d+)<\/td>/g)].map(([, ...row]) => row.join(" "))
const tasksOf = (member: Member) =>
  node.database.prisma.task.findMany({
    where: { list: { ownerId: BigInt(member.id) } },
    orderBy: { id: "asc" },
    select: { title: true },
  })

/** What is made for a user waits for it, and nothing else that the node does. */
const holdUser = statement("hold_user", "select from users where id = $1::bigint for update", () => true)
const holdSettings = statement("hold_settings", "lock table settings in share mode", () => true)
const UNDER_WAY = "An import of yours is under way"
/** How many wait for a lock. */
const waiting = async () =>
  (
    await node.database.prisma.$queryRaw<
      unknown[]
    >`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  ).length

describe("/account/import", () => {
  it("reports what a file would make and changes nothing, then makes it, then nothing twice", async () => {
    const ann = await makeMember(node)
    const file = JSON.stringify(backup(["Milk", "Bread"]))
    const checked = await send(ann, file, { do: "check" })
    expect(checked.status).toBe(200)
    expect(checked.text).toContain("What would be imported")
    const counts = ["lists 1 0", "tasks 2 0", "subtasks 0 0", "notes 0 0", "comments 0 0", "reminders 0 0"]
    expect(rowsOf(checked.text)).toEqual(counts)
    expect(await tasksOf(ann)).toEqual([])
    const done = await send(ann, file, { do: "import" })
    expect([done.status, rowsOf(done.text)]).toEqual([200, counts])
    expect((await tasksOf(ann)).map(({ title }) => title).sort()).toEqual(["Bread", "Milk"])
    const again = await send(ann, file, { do: "import" })
    expect(rowsOf(again.text).slice(0, 2)).toEqual(["lists 0 1", "tasks 0 2"])
    expect(await tasksOf(ann)).toHaveLength(2)
  })

  /** Holds up Ann's import while `act` runs, with Bob's behind it. Gives the statuses of all that were sent. */
  async function besideAnns(act: (ann: Member, bob: Member, file: string) => Promise<unknown>) {
    const [ann, bob] = [await makeMember(node), await makeMember(node, "Bob")]
    const file = JSON.stringify(backup(["Milk"]))
    const under = await node.database.transaction(async (inside) => {
      await inside.run(holdUser, [ann.id])
      const first = send(ann, file, { do: "import" })
      await expect.poll(() => waiting(), { timeout: 20_000 }).toBe(1)
      const bobs = [send(bob, file, { do: "import" }), send(bob, file, { do: "import" })]
      // One of Bob's has been taken when the other is refused: it waits for its turn, and not for a lock.
      expect(await Promise.race(bobs)).toEqual({ status: 429, text: expect.stringContaining(UNDER_WAY) })
      expect(await waiting()).toBe(1)
      await act(ann, bob, file)
      return [first, ...bobs]
    })
    return { ann, bob, statuses: (await Promise.all(under)).map(({ status }) => status).sort() }
  }

  it("is made for one user at a time, and refused where one of the user's is under way", async () => {
    const { ann, bob, statuses } = await besideAnns(async (its, _, file) => {
      const second = await send(its, file, { do: "import" })
      expect(second).toEqual({ status: 429, text: expect.stringContaining(UNDER_WAY) })
    })
    expect(statuses).toEqual([200, 200, 429])
    for (const member of [ann, bob]) expect(await tasksOf(member)).toEqual([{ title: "Milk" }])
  })

  it("makes nothing of a file whose user is signed out while it waits for its turn", async () => {
    const { bob, statuses } = await besideAnns((_, its) =>
      node.database.prisma.session.deleteMany({ where: { userId: BigInt(its.id) } }),
    )
    expect(statuses).toEqual([200, 403, 429])
    expect(await tasksOf(bob)).toEqual([])
  })

  it("makes nothing of what goes beyond a quota, cannot be read, or is no file", async () => {
    const ann = await makeMember(node)
    const within = await send(ann, JSON.stringify(backup(["1", "2", "3"])), { do: "check" })
    expect(within.status).toBe(200)
    const beyond = await send(ann, JSON.stringify(backup(["1", "2", "3", "4"])), { do: "import" })
    expect(beyond.status).toBe(422)
    expect(beyond.text).toContain("QUOTA_TASKS allows 3 tasks; there are 0, and 4 would be new.")
    expect(beyond.text).not.toContain("--list")
    expect(beyond.text.match(/Nothing was imported/g)).toHaveLength(1)
    for (const content of ["neither JSON nor CSV", ""]) expect((await send(ann, content)).status).toBe(422)
    expect(await tasksOf(ann)).toEqual([])
    expect(await node.database.prisma.list.count({ where: { ownerId: BigInt(ann.id), listType: "list" } })).toBe(0)
  })

  it("takes 8 MiB and refuses more, and refuses a form that is not ours", async () => {
    const ann = await makeMember(node)
    const file = JSON.stringify(backup(["Large"]))
    expect((await send(ann, file.padEnd(8 * 2 ** 20), { do: "check" })).status).toBe(200)
    expect((await send(ann, file.padEnd(8 * 2 ** 20 + 1), { do: "check" })).status).toBe(413)
    expect((await send(ann, file, { csrf: "x" })).status).toBe(403)
  })

  it("reads nothing of strangers before it refuses them", async () => {
    const { hostname, port } = new URL(node.url)
    const socket = net.connect(Number(port), hostname)
    const body = "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 8000000"
    socket.write(
      `POST /account/import HTTP/1.1\r\nHost: ${hostname}\r\nCookie: tandem=${"x".repeat(40)}\r\n${body}\r\n\r\n`,
    )
    const [answer] = await once(socket, "data")
    expect(String(answer)).toMatch(/^HTTP\/1.1 403 /)
    socket.destroy()
  })
})

describe("/account/export", () => {
  it("sends what tandem import reads again, in every format, and to its user alone", async () => {
    const [ann, eve] = [await makeMember(node), await makeMember(node, "Eve")]
    await send(ann, JSON.stringify(backup(["Milk", "Bread"])), { do: "import" })
    const json = await ann.browser.get("/account/export/json")
    expect([json.status, json.headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"])
    expect(json.headers["content-disposition"]).toMatch(/^attachment; filename="tandem-\d{4}-\d\d-\d\d\.json"$/)
    expect(json.headers["cross-origin-resource-policy"]).toBe("same-origin")
    const { data } = JSON.parse(json.text)
    expect(data.tasks.map(({ title }: any) => title).sort()).toEqual(["Bread", "Milk"])
    const read = await send(eve, json.text, { do: "import" })
    expect(rowsOf(read.text).slice(0, 2)).toEqual(["lists 1 0", "tasks 2 0"])
    expect((await ann.browser.get("/account/export/csv")).text.split("\n")).toHaveLength(4)
    expect((await ann.browser.get("/account/export/ics")).text).toMatch(/^BEGIN:VCALENDAR[\s\S]*SUMMARY:Milk/)
    const unknown = await ann.browser.get("/account/export/xml")
    expect(unknown.status).toBe(404)
    const stranger = await createFormClient(node.url).get("/account/export/json")
    expect([stranger.status, stranger.location]).toEqual([302, "/sign-in?next=%2Faccount%2Fexport%2Fjson"])
  })
})

describe("/account/delete", () => {
  it("says what goes, asks for the password, and deletes the account with its sessions", async () => {
    const ann = await makeMember(node)
    await send(ann, JSON.stringify(backup(["Milk"])), { do: "import" })
    const page = await ann.browser.get("/account/delete")
    expect(page.text).toContain("your inbox and 1 list with everything in them")
    expect(page.text).toMatch(/<a class="button plain" href="\/account\/data" autofocus>Cancel<\/a>/)
    const wrong = await ann.browser.submit(page, "/account/delete", { password: "wrong" })
    expect([wrong.status, wrong.title]).toEqual([422, "Delete your account?"])
    expect(await node.database.prisma.user.count({ where: { id: BigInt(ann.id) } })).toBe(1)
    const done = await ann.browser.submit(page, "/account/delete", { password: PASSWORD })
    expect(done).toMatchObject({ status: 303, location: "/sign-in?done=deleted" })
    expect((await ann.browser.follow(done)).text).toContain("Your account has been deleted.")
    expect(await node.database.prisma.user.count({ where: { id: BigInt(ann.id) } })).toBe(0)
    expect((await ann.browser.get("/account")).status).toBe(302)
    expect(linkIn(await mailbox.to(ann.email, /deleted/))).toContain(node.url)
  })

  it("asks somebody without a password for a sign-in of the last ten minutes", async () => {
    const ann = await makeMember(node)
    const id = BigInt(ann.id)
    await node.database.prisma.user.update({ where: { id }, data: { passwordHash: null } })
    const before = new Date(Date.now() - 11 * 60_000)
    await node.database.prisma.session.updateMany({ where: { userId: id }, data: { createdAt: before } })
    const old = await ann.browser.get("/account/delete")
    expect(old.text).not.toContain('class="danger"')
    const { csrf } = (await ann.browser.get("/account")).form("/account/name")
    expect((await ann.browser.send("/account/delete", { csrf: csrf ?? "" })).status).toBe(422)
    ann.browser.cookies.set("tandem", await startSession(node.database, ann.id, "another"))
    const fresh = await ann.browser.get("/account/delete")
    expect((await ann.browser.submit(fresh, "/account/delete")).location).toBe("/sign-in?done=deleted")
    expect(await node.database.prisma.user.count({ where: { id } })).toBe(0)
  })
})

describe("/account/time-zone", () => {
  it("is kept when its form is sent twice at once", async () => {
    const ann = await makeMember(node)
    const page = await ann.browser.get("/account")
    const sent = await node.database.transaction(async (inside) => {
      await inside.run(holdSettings, [])
      const under = ["Europe/Berlin", "Asia/Tokyo"].map((timeZone) =>
        ann.browser.submit(page, "/account/time-zone", { timeZone }),
      )
      // Both have seen that there is no setting yet.
      await expect.poll(() => waiting(), { timeout: 20_000 }).toBe(2)
      return under
    })
    for (const { location } of await Promise.all(sent)) expect(location).toBe("/account?done=zone")
  })

  it("keeps the setting that reminders and webhooks go by, and only names that there are", async () => {
    const ann = await makeMember(node)
    const settings = () =>
      node.database.prisma.setting.findMany({
        where: { userId: BigInt(ann.id) },
        select: { key: true, value: true },
      })
    for (const timeZone of ["Europe/Berlin", "Asia/Tokyo"]) {
      const page = await ann.browser.get("/account")
      const reply = await ann.browser.submit(page, "/account/time-zone", { timeZone })
      expect(reply.location).toBe("/account?done=zone")
      expect((await ann.browser.follow(reply)).text).toContain(`<option selected>${timeZone}</option>`)
      expect(await settings()).toEqual([{ key: "time_zone", value: timeZone }])
    }
    await ann.browser.submit(await ann.browser.get("/account"), "/account/time-zone", { timeZone: "Mars/Base" })
    expect(await settings()).toEqual([{ key: "time_zone", value: "Asia/Tokyo" }])
  })
})
