import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { App } from "../../src/app.js"
import { addMember, makeList, makePeople, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"
import { runSql } from "../support/postgres.js"
import { begun, listen } from "./listener.js"

/** How often the watch looks where no event tells; nowhere else does it look at all. */
const accessWatchMs = 50

let node: TestNode
let other: App
let watching: [App, App]
beforeAll(async () => {
  node = await startNode()
  const start = (settings = {}) => startNodeOn(node.databaseUrl, settings)
  ;[other, ...watching] = await Promise.all([start(), start({ accessWatchMs }), start({ accessWatchMs })])
})
afterAll(async () => {
  await Promise.all([other, ...watching].map((one) => one.stop()))
  await node.stop()
})

const tokenOf = (person: Person) => `(select max(id) from access_tokens where user_id = ${person.id})`
/** A deletion by hand, past the triggers that would make events of it. */
const silently = (sql: string) => {
  const [, table] = /delete from (\w+)/.exec(sql) ?? []
  return `alter table ${table} disable trigger user; ${sql}; alter table ${table} enable trigger user`
}

describe("a token that ends", () => {
  const nodes = (): [App, App] => [node, other]
  it.each([
    [
      "is revoked",
      nodes,
      (person: Person) => `update access_tokens set revoked_at = now() where id = ${tokenOf(person)}`,
    ],
    ["is deleted", nodes, (person: Person) => `delete from access_tokens where id = ${tokenOf(person)}`],
    [
      "is deleted without an event",
      () => watching,
      (person: Person) => silently(`delete from access_tokens where id = ${tokenOf(person)}`),
    ],
  ])(
    "closes the socket with 4403 when it %s, at every node, and nothing comes any more",
    async (_case, places, sql) => {
      const { owner, member, list } = await makePeople(places()[0])
      const atEach = (person: Person) => places().map(({ url }) => listen(person, url))
      const [listeners, owners] = [atEach(member), atEach(owner)]
      const listenings = listeners.flatMap((one) => [one.listUpdated(list.id, 1), one.accountUpdated()])
      const isLevel = (events: any[]) => events.length === list.revision - 1
      await Promise.all([0, 2].map((index) => listenings[index]?.until(isLevel)))
      await runSql(node.databaseUrl, sql(member))
      const codes = await Promise.all(listeners.map((one) => one.closed()))
      expect(codes).toEqual([4403, 4403])
      const heard = listenings.map(({ events }) => events.length)
      for (let n = 0; n < 5; n++) await makeTask(owner, list)
      // What is told to the owner at both nodes is not told to the member.
      await Promise.all(
        owners.map((one) => one.listUpdated(list.id, list.revision).until((events) => events.length === 5)),
      )
      expect(listenings.map(({ events }) => events.length)).toEqual(heard)
      expect(listenings.map(({ state }) => state())).not.toContain("complete")

      const again = listen(member)
      again.accountUpdated()
      expect(await again.closed()).toBe(4403)
      expect((await member.get("/lists")).status).toBe(401)
      await Promise.all(owners.map((one) => one.close()))
    },
  )

  it("closes the socket also when it loses a scope without an event", async () => {
    const { member, list } = await makePeople(node)
    const listeners = watching.map(({ url }) => listen(member, url))
    const listenings = listeners.map((one) => one.listUpdated(list.id, 1))
    await Promise.all(listenings.map((one) => one.until((events) => events.length === list.revision - 1)))
    await runSql(
      node.databaseUrl,
      `alter table access_tokens disable trigger user; update access_tokens set scopes = '{read}' where id = ${tokenOf(member)};
       alter table access_tokens enable trigger user`,
    )
    expect(await Promise.all(listeners.map((one) => one.closed()))).toEqual([4403, 4403])
  })

  it("leaves the user's other tokens alone", async () => {
    const { owner, member, list } = await makePeople(node)
    const [listener, revoked] = [listen(owner), listen(member)]
    const listening = listener.listUpdated(list.id, list.revision)
    await revoked.listUpdated(list.id, 1).until((events) => events.length === list.revision - 1)
    await runSql(node.databaseUrl, `update access_tokens set revoked_at = now() where id = ${tokenOf(member)}`)
    expect(await revoked.closed()).toBe(4403)
    await makeTask(owner, list)
    await listening.until((events) => events.length === 1)
    await listener.close()
  })
})

describe("a membership that ends", () => {
  it("completes that member's subscription without the event of the removal, and nobody else's", async () => {
    const { owner, member, list } = await makePeople(node)
    const bob = await makePerson(node, "Bobby")
    const membershipId = await addMember(node, list, bob)
    const { revision } = (await owner.get(`/lists/${list.id}`)).body
    const [bobs, members] = [listen(bob), listen(member, other.url)]
    const [bobsOwn, theirs] = [bobs.listUpdated(list.id, revision), members.listUpdated(list.id, revision)]
    await makeTask(owner, list, { assignee_id: bob.id })
    await Promise.all([bobsOwn, theirs].map((one) => one.until((events) => events.length === 1)))
    expect((await owner.delete(`/memberships/${membershipId}?revision=1`)).status).toBe(204)
    await makeTask(owner, list, { title: "After Bobby" })
    expect(await bobsOwn.ended()).toBe("complete")
    await theirs.until((events) => events.at(-1).after?.title === "After Bobby")
    // The task was unassigned before the member went.
    expect(bobsOwn.events.map(({ operation, subjectType }) => [operation, subjectType])).toEqual([
      ["CREATE", "task"],
      ["UPDATE", "task"],
    ])
    expect(theirs.events.map(({ operation, subjectType }) => [operation, subjectType])).toEqual([
      ["CREATE", "task"],
      ["UPDATE", "task"],
      ["DELETE", "membership"],
      ["CREATE", "task"],
    ])
    expect(await bobs.listUpdated(list.id).ended()).toBe("NOT_FOUND")
    await Promise.all([bobs.close(), members.close()])
  })

  it("completes it when the row went without an event", async () => {
    const { owner, member, list } = await makePeople(watching[0])
    const [listener, owners] = [listen(member), listen(owner)]
    const listening = listener.listUpdated(list.id, list.revision)
    const account = listener.accountUpdated()
    await begun(account, member)
    await makeTask(owner, list)
    await listening.until((events) => events.length === 1)
    await account.until((events) => events.length === 1)
    await runSql(
      node.databaseUrl,
      silently(`delete from memberships where list_id = ${list.id} and user_id = ${member.id}`),
    )
    expect(await listening.ended()).toBe("complete")
    await makeTask(owner, list)
    await owners.listUpdated(list.id, list.revision).until((events) => events.length === 2)
    // What follows is told to them, and that is all.
    await member.post("/settings", { key: "after", value: "x" })
    await account.until((events) => events.at(-1).after?.key === "after")
    expect(listening.events).toHaveLength(1)
    expect(account.events.map(({ subjectType }) => subjectType)).toEqual(["task", "setting"])
    await Promise.all([listener.close(), owners.close()])
  })

  it("lets a member who was invited again subscribe again", async () => {
    const { owner, member, list } = await makePeople(node)
    const [first] = (await owner.get(`/memberships?list_id=${list.id}`)).body.filter(
      (one: any) => one.user_id === member.id,
    )
    await owner.delete(`/memberships/${first.id}?revision=1`)
    await addMember(node, list, member)
    const listener = listen(member)
    const listening = listener.listUpdated(list.id, (await member.get(`/lists/${list.id}`)).body.revision)
    await makeTask(owner, list)
    await listening.until((events) => events.length === 1)
    await listener.close()
  })
})

describe("an inbox", () => {
  it("tells its owner and nobody else", async () => {
    const [ann, bob] = [await makePerson(node), await makePerson(node, "Bob")]
    const listener = listen(bob)
    expect(await listener.listUpdated(ann.inboxId, 0).ended()).toBe("NOT_FOUND")
    expect((await makeList(ann)).id).toBeGreaterThan(0)
    await listener.close()
  })
})
