import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeList, makePeople, makeTask, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"
import { makeFile } from "../support/uploads.js"
import { type Listener, listen } from "./listener.js"

const FILE_CREATED =
  "subscription ($listId: ID) { fileCreated(listId: $listId) { id fileName listId taskId userId url } }"
const BYTES = Buffer.from("hello")

let node: TestNode
let owner: Person
let member: Person
let invitee: Person
let stranger: Person
let list: { id: number }
let task: { id: number }
const listeners: Listener[] = []

const listenAs = (person: Person): Listener => {
  const listener = listen(person)
  listeners.push(listener)
  return listener
}

beforeAll(async () => {
  node = await startNode()
  ;({ owner, member, invitee, stranger, list } = await makePeople(node))
  task = await makeTask(owner, list)
})
afterAll(async () => {
  await Promise.all(listeners.map((listener) => listener.close()))
  await node.stop()
})

describe("fileCreated (§6 Events)", () => {
  it("tells the new file to the other members and not to its maker, in one list and in all", async () => {
    const other = await makeList(member, "Other")
    const otherTask = await makeTask(member, other)
    const [ofMember, ofOwner, ofInvitee] = [member, owner, invitee].map(listenAs) as [Listener, Listener, Listener]
    const inList = ofMember.subscribe(FILE_CREATED, { listId: list.id })
    const inAll = ofMember.subscribe(FILE_CREATED)
    const ownList = ofOwner.subscribe(FILE_CREATED)
    const invited = ofInvitee.subscribe(FILE_CREATED)
    await sleep(300)
    await makeFile(member, otherTask, BYTES, { file_name: "elsewhere.txt" })
    const file = await makeFile(owner, task, BYTES, { file_name: "notes.txt" })
    const told = {
      id: String(file.id),
      fileName: "notes.txt",
      listId: String(list.id),
      taskId: String(task.id),
      userId: String(owner.id),
      url: file.url,
    }
    await Promise.all([inList, inAll].map((listening) => listening.until((events) => events.length > 0)))
    await owner.post("/tasks", { list_id: list.id, title: "Not a file" })
    await sleep(300)
    // The owner is no member of the list in which the member has put another file.
    expect([inList, inAll, ownList, invited].map(({ events }) => events)).toEqual([[told], [told], [], []])
    expect((await fetch(file.url)).status).toBe(200)
  })

  it("refuses users who are no members of the list", async () => {
    const refused = listenAs(stranger).subscribe(FILE_CREATED, { listId: list.id })
    expect(await refused.ended()).toContain("NOT_FOUND")
  })
})

describe("listUpdated (§9 Events)", () => {
  it("shows a file with its list and without an address, and tells its end", async () => {
    const events = listenAs(member).listUpdated(list.id)
    await sleep(300)
    const file = await makeFile(owner, task, BYTES)
    await owner.delete(`/files/${file.id}?revision=${file.revision}`)
    const [created, deleted] = await events.until((all) => all.length >= 2)
    const { url, ...shown } = file
    expect(url).toMatch(/^http/)
    expect(created).toMatchObject({ operation: "CREATE", subjectType: "file", before: null, after: shown })
    expect(deleted).toMatchObject({ operation: "DELETE", subjectType: "file", before: shown, after: null })
    expect(created.actorId).toBe(String(owner.id))
    expect(deleted.actorId).toBe(String(owner.id))
    expect(deleted.listRevision).toBe(created.listRevision + 1)
  })
})
