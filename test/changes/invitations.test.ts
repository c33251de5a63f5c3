import { beforeAll, describe, expect, it } from "vitest"
import { moveMemberships } from "../../src/accounts/account.rows.js"
import { begun, listen } from "../live/listener.js"
import { makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"
import { type Copy, copyOf, everything, shown } from "./copy.js"

let node: TestNode
let ann: Person
let bob: Person
let list: any
beforeAll(async () => {
  node = await sharedNode()
})

const begin = async () => {
  ;[ann, bob] = [await makePerson(node), await makePerson(node, "Bob")]
  list = await makeList(ann)
}
const setCopy = async (person: Person): Promise<Copy> => {
  const copy = copyOf(person)
  await copy.level()
  return copy
}
const invite = async (members: object) =>
  (await ann.post("/memberships", { list_id: list.id, ...members })).body as { id: number; user_id: number }

describe("changes of an invitation by address (ours)", () => {
  it("tell nobody whose the address is, whatever is done with it before the acceptance", async () => {
    await begin()
    const copy = await setCopy(ann)
    const invitation = await invite({ email: bob.email })
    await copy.level()
    expect(invitation.user_id).not.toBe(bob.id)
    for (const done of [
      () => bob.patch(`/memberships/${invitation.id}`, { revision: 1, muted: true }),
      () => bob.delete(`/memberships/${invitation.id}?revision=2`),
    ]) {
      expect((await done()).status).toBeLessThan(300)
      const changes = await copy.level()
      expect(changes.map(({ type }) => type)).toEqual(expect.arrayContaining(["membership", "list"]))
      expect(JSON.stringify(changes)).not.toMatch(new RegExp(`"(actor|user|created_by)_id":${bob.id}\\b`))
    }
  })

  it("tell one who is only invited that the list has grown, and not who did what in it", async () => {
    await begin()
    const invitation = await invite({ user_id: bob.id })
    const copy = await setCopy(bob)
    await makeTask(ann, list)
    const [grown, ...others] = await copy.level()
    expect(others).toEqual([])
    expect(grown).toMatchObject({ type: "list", id: list.id, operation: "upsert" })
    expect([grown.actor_id ?? null, grown.request_id ?? null]).toEqual([null, null])
    await bob.patch(`/memberships/${invitation.id}`, { revision: 1, state: "accepted" })
    await copy.level()
    await makeTask(ann, list)
    expect((await copy.level()).map(({ actor_id }) => actor_id)).toEqual([ann.id, ann.id])
  })
})

describe("an invitation that becomes another's (ours)", () => {
  it("opens the list to them as one that they were invited to, in copies and for the webhooks of their account", async () => {
    await begin()
    const { user_id: placeholder } = await invite({ email: `new.${Date.now()}@example.org` })
    const copy = await setCopy(bob)
    const hook = await bob.post("/webhooks", {
      url: "https://example.org/",
      processor_type: "generic",
      configuration: "",
    })
    expect(hook.status).toBe(201)
    expect(await moveMemberships(node.database, String(placeholder), String(bob.id), null)).toBe(1)
    await copy.level()
    const found = await everything(bob)
    const { user = [], webhook = [], ...rest } = shown(copy, Object.keys(found))
    const { user: users = [], webhook: _, ...others } = found
    expect(webhook.map(({ id }: any) => id)).toEqual([hook.body.id])
    expect(rest).toEqual(others)
    expect(user.map(({ id }: any) => id)).toEqual(users.map(({ id }: any) => id))
    const isHooked = await node.database.prisma.list.findUnique({ where: { id: BigInt(list.id) } })
    expect(isHooked?.hooked).toBe(true)
  })

  it("holds up nothing that the invited user does meanwhile, nor is held up by it", async () => {
    await begin()
    const inTurn = await node.database.transaction(async ({ run, prisma }) => {
      await prisma.$executeRawUnsafe(
        `insert into memberships (list_id, user_id, created_by_id) values (${list.id}, ${bob.id}, ${ann.id})`,
      )
      void run
      return (await bob.post("/settings", { key: "k", value: "v" })).status
    })
    expect(inTurn).toBe(201)
  })
})

describe("somebody invited by number and by address (ours)", () => {
  it("goes on hearing of the list when one of the two is withdrawn", async () => {
    await begin()
    const [byNumber, byAddress] = [await invite({ user_id: bob.id }), await invite({ email: bob.email })]
    expect(byAddress.id).not.toBe(byNumber.id)
    const listener = listen(bob)
    const heard = listener.accountUpdated()
    await begun(heard, bob)
    await ann.delete(`/memberships/${byNumber.id}?revision=1`)
    const { revision } = (await ann.get(`/lists/${list.id}`)).body
    await ann.patch(`/lists/${list.id}`, { revision, title: "Renamed" })
    const events = await heard.until((all) => all.some(({ after }) => after?.title === "Renamed"))
    expect(events.map(({ operation, subjectType }) => `${operation} ${subjectType}`)).toEqual([
      "DELETE membership",
      "UPDATE list",
    ])
    await ann.delete(`/memberships/${byAddress.id}?revision=1`)
    await heard.until((all) => all.length === 3)
    await ann.patch(`/lists/${list.id}`, { revision: revision + 2, title: "Unheard" })
    await makeTask(bob, { id: bob.inboxId })
    const last = await heard.until((all) => all.length === 4)
    expect(last.at(-1).subjectType).toBe("task")
    await listener.close()
  })
})

describe("a webhook of the account, and a reminder that is gone (ours)", () => {
  it("are in changes as they are in GETs", async () => {
    await begin()
    const copy = await setCopy(ann)
    const hook = (
      await ann.post("/webhooks", { url: "https://example.org/", processor_type: "generic", configuration: "" })
    ).body
    const [change] = await copy.level()
    expect(change).toMatchObject({ type: "webhook", id: hook.id, operation: "upsert" })
    expect(await copyWhole(ann)).toContain(hook.id)
    expect(await copyWhole(bob)).not.toContain(hook.id)
    await ann.delete(`/webhooks/${hook.id}?revision=1`)
    expect((await copy.level()).map(({ type, operation }) => `${operation} ${type}`)).toContain("delete webhook")
    const task = await makeTask(ann, list)
    const made = await ann.post("/reminders", { task_id: task.id, date: "2031-01-01T00:00:00Z" })
    expect(made.status).toBe(201)
    const [reminder] = (await ann.get(`/reminders?task_id=${task.id}`)).body
    await copy.level()
    await ann.delete(`/reminders/${reminder.id}?revision=1`)
    expect((await copy.level())[0]).toMatchObject({
      type: "reminder",
      id: reminder.id,
      operation: "delete",
      list_id: list.id,
    })
  })
})

const copyWhole = async (person: Person) => (await setCopy(person)).all("webhook").map(({ id }) => id)
