import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { App } from "../../src/app.js"
import { addMember, makeList, makePeople, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"
import { runSql } from "../support/postgres.js"
import { listen, quiet } from "./listener.js"

let node: TestNode
let other: App
beforeAll(async () => {
  node = await startNode()
  other = await startNodeOn(node.databaseUrl)
})
afterAll(async () => {
  await other.stop()
  await node.stop()
})

const tokenOf = (person: Person) => `(select max(id) from access_tokens where user_id = ${person.id})`
/** A deletion by hand, past the triggers that would make events of it. */
const silently = (sql: string) => {
  const [, table] = /delete from (\w+)/.exec(sql) ?? []
  return `alter table ${table} disable trigger user; ${sql}; alter table ${table} enable trigger user`
}

describe("a token that ends", () => {
  it.each([
    ["is revoked", (person: Person) => `update access_tokens set revoked_at = now() where id = ${tokenOf(person)}`],
    ["is deleted", (person: Person) => `delete from access_tokens where id = ${tokenOf(person)}`],
    [
      "is deleted without an event",
      (person: Person) => silently(`delete from access_tokens where id = ${tokenOf(person)}`),
    ],
  ])("closes the socket with 4403 when it %s, at every node, and nothing comes any more", async (_case, sql) => {
    const { owner, member, list } = await makePeople(node)
    const listeners = [listen(member), listen(member, other.url)]
    const listenings = listeners.flatMap((one) => [one.listUpdated(list.id, 1), one.accountUpdated()])
    await Promise.all([0, 2].map((index) => listenings[index]?.until((events) => events.length === list.revision - 1)))
    await runSql(node.databaseUrl, sql(member))
    const codes = await Promise.all(listeners.map((one) => one.closed()))
    expect(codes).toEqual([4403, 4403])
    const heard = listenings.map(({ events }) => events.length)
    for (let n = 0; n < 5; n++) await makeTask(owner, list)
    await quiet(500)
    expect(listenings.map(({ events }) => events.length)).toEqual(heard)
    expect(listenings.map(({ state }) => state())).not.toContain("complete")

    const again = listen(member)
    again.accountUpdated()
    expect(await again.closed()).toBe(4403)
    expect((await member.get("/lists")).status).toBe(401)
  })

  it("closes the socket also when it loses a scope without an event", async () => {
    const { member, list } = await makePeople(node)
    const listeners = [listen(member), listen(member, other.url)]
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
    const listener = listen(owner)
    const listening = listener.listUpdated(list.id, list.revision)
    await runSql(node.databaseUrl, `update access_tokens set revoked_at = now() where id = ${tokenOf(member)}`)
    await quiet()
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
    await quiet()
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
    const { owner, member, list } = await makePeople(node)
    const listener = listen(member)
    const listening = listener.listUpdated(list.id, list.revision)
    const account = listener.accountUpdated()
    await makeTask(owner, list)
    await listening.until((events) => events.length === 1)
    await runSql(
      node.databaseUrl,
      silently(`delete from memberships where list_id = ${list.id} and user_id = ${member.id}`),
    )
    expect(await listening.ended()).toBe("complete")
    await quiet(200)
    const heard = account.events.length
    await makeTask(owner, list)
    await quiet()
    expect([listening.events.length, account.events.length]).toEqual([1, heard])
    await listener.close()
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
