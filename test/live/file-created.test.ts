import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeList, makePeople, makeTask, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"
import { makeFile } from "../support/uploads.js"
import { eventually, type Listener, type Listening, listen } from "./listener.js"

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
    // Until each that can hear is sure to do so.
    await eventually(async () => {
      for (const person of [owner, member]) await makeFile(person, task, BYTES, { file_name: "begun.txt" })
      return [inList, inAll, ownList].every(({ events }) => events.length > 0)
    })
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
    await owner.post("/tasks", { list_id: list.id, title: "Not a file" })
    // The last that each hears: the invitee hears of files when they are a member.
    const last = await makeFile(member, task, BYTES, { file_name: "of-member.txt" })
    const { body: memberships } = await owner.get(`/memberships?list_id=${list.id}`)
    const { id, revision } = memberships.find(({ user_id }: { user_id: number }) => user_id === invitee.id)
    await invitee.patch(`/memberships/${id}`, { revision, state: "accepted" })
    const isOver = (events: { fileName: string }[]) => events.some(({ fileName }) => fileName === "over.txt")
    await eventually(async () => {
      await makeFile(owner, task, BYTES, { file_name: "over.txt" })
      return isOver(invited.events)
    })
    await Promise.all([inList, inAll].map((listening) => listening.until(isOver)))
    await ownList.until((events) => events.at(-1).id === String(last.id))
    const between = ({ events }: Listening) =>
      events.filter(({ fileName }) => fileName !== "begun.txt" && fileName !== "over.txt")
    // The owner is no member of the list in which the member has put another file.
    expect([inList, inAll, invited].map(between)).toEqual([[told], [told], []])
    expect(between(ownList).map(({ fileName }) => fileName)).toEqual(["of-member.txt"])
    expect((await fetch(file.url)).status).toBe(200)
  })

  it("refuses users who are no members of the list", async () => {
    const refused = listenAs(stranger).subscribe(FILE_CREATED, { listId: list.id })
    expect(await refused.ended()).toContain("NOT_FOUND")
  })
})

describe("listUpdated (§9 Events)", () => {
  it("shows a file with its list and without an address, and tells its end", async () => {
    const { revision } = (await member.get(`/lists/${list.id}`)).body
    const events = listenAs(member).listUpdated(list.id, revision)
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
