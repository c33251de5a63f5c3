import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { createUser } from "../../src/resources/user/user.commands.js"
import { statement } from "../../src/statement.js"
import { addMember, makeList, makePeople, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const UNKNOWN_ID = 9007199254740991

let node: TestNode
let owner: Person
let member: Person
let invitee: Person
let stranger: Person
let list: any

beforeAll(async () => {
  node = await startNode()
  ;({ owner, member, invitee, stranger, list } = await makePeople(node))
})
afterAll(() => node.stop())

const asUser = ({ id, name, email }: Person) => ({
  id,
  name,
  email,
  created_at: expect.stringMatching(INSTANT),
  updated_at: expect.stringMatching(INSTANT),
  revision: expect.any(Number),
  type: "user",
})
const rootOf = async (person: Person): Promise<number> => (await person.get("/root")).body.revision

describe("GET /api/v1/root (§9)", () => {
  it("gives the user's id and a revision", async () => {
    const { status, body } = await stranger.get("/root")
    expect([status, body]).toEqual([
      200,
      { id: stranger.id, type: "root", revision: expect.any(Number), user_id: stranger.id },
    ])
    expect((await stranger.get("/root", { "X-Access-Token": "wrong" })).status).toBe(401)
  })

  it("grows with everything that the user may see, in the very next read", async () => {
    const ann = await makePerson(node, "Ann")
    const shared = await makeList(owner)
    const bob = await addMember(node, shared, ann, "pending")
    let last = await rootOf(ann)
    const grows = async (what: string, write: () => Promise<{ status: number }>) => {
      expect([what, (await write()).status < 300]).toEqual([what, true])
      const now = await rootOf(ann)
      expect([what, now > last]).toEqual([what, true])
      last = now
    }
    const own = await makeList(ann)
    await grows("a task of his", () => ann.post("/tasks", { list_id: own.id, title: "x" }))
    await grows("a task where he is invited", () => owner.post("/tasks", { list_id: shared.id, title: "x" }))
    await grows("his acceptance", () => ann.patch(`/memberships/${bob}`, { revision: 1, state: "accepted" }))
    await grows("another's task", () => owner.post("/tasks", { list_id: shared.id, title: "x" }))
    await grows("his name", () => ann.patch("/user", { revision: 1, name: "Anna" }))
    await grows("a setting", () => ann.post("/settings", { key: "k", value: "v" }))
    await grows("a folder", () => ann.post("/folders", { title: "F", list_ids: [own.id] }))
    await grows("a list's end", () => ann.delete(`/lists/${own.id}?revision=1`))
    await grows("his leaving", () => ann.delete(`/memberships/${bob}?revision=2`))
  })

  it("does not grow with what others do elsewhere", async () => {
    const before = await rootOf(stranger)
    await makeTask(owner, list)
    expect(await rootOf(stranger)).toBe(before)
  })
})

describe("GET /api/v1/user", () => {
  it("gives the viewer, and needs a token", async () => {
    const { status, body } = await owner.get("/user")
    expect([status, body]).toEqual([200, asUser(owner)])
    expect((await owner.get("/user", { "X-Client-ID": "wrong" })).status).toBe(401)
  })
})

describe("PATCH and PUT /api/v1/user", () => {
  it("changes the name and nothing else, whatever is sent along", async () => {
    const eve = await makePerson(node, "Eve")
    const { body: before } = await eve.get("/user")
    const sent = { ...before, name: " Eva ", email: "other@example.org", id: owner.id, avatar_url: "x" }
    const { status, body } = await eve.put("/user", sent)
    expect([status, body]).toEqual([200, { ...before, name: " Eva ", updated_at: body.updated_at, revision: 2 }])
    expect(body.updated_at > before.updated_at).toBe(true)
    expect((await eve.get("/user")).body).toEqual(body)
    expect((await owner.get("/user")).body.name).toBe("Ann")
  })

  it("answers 400 without revision or name, 422 for a name that is none, 409 for a stale revision", async () => {
    const eve = await makePerson(node, "Eve")
    expect((await eve.patch("/user", { name: "x" })).body.error.revision).toEqual(["required"])
    expect((await eve.patch("/user", { revision: 1 })).body.error.name).toEqual(["required"])
    for (const name of ["", " ", "x".repeat(256), "a\u0000"]) {
      const { status, body } = await eve.patch("/user", { revision: 1, name })
      expect([status, body.error.name]).toEqual([422, [expect.any(String)]])
    }
    expect((await eve.patch("/user", { revision: 2, name: "" })).status).toBe(409)
    expect((await eve.patch("/user", { revision: 1, name: "\u{1f600}".repeat(255) })).status).toBe(200)
    expect((await eve.patch("/user", { revision: 1, name: "late" })).body.error.revision_conflict).toBe(true)
  })

  it("lets one of 16 with the same revision through", async () => {
    const eve = await makePerson(node, "Eve")
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, index) => eve.patch("/user", { revision: 1, name: `Eve ${index}` })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(15).fill(409)])
    expect((await eve.get("/user")).body).toMatchObject({
      revision: 2,
      name: replies.find(({ status }) => status === 200)?.body.name,
    })
  })

  it("is still served with a revision from before a setting was made", async () => {
    const eve = await makePerson(node, "Eve")
    await eve.post("/settings", { key: "k", value: "v" })
    expect((await eve.get("/user")).body.revision).toBe(2)
    expect((await eve.patch("/user", { revision: 1, name: "Eva" })).body.revision).toBe(3)
  })
})

describe("GET /api/v1/users", () => {
  it("gives the viewer and all who share an accepted list with him, by id and each once", async () => {
    const second = await makeList(owner)
    await addMember(node, second, member)
    const both = [owner, member].sort((a, b) => a.id - b.id).map(asUser)
    expect((await owner.get("/users")).body).toEqual(both)
    expect((await member.get("/users")).body).toEqual(both)
    expect((await invitee.get("/users")).body).toEqual([asUser(invitee)])
    expect((await stranger.get("/users")).body).toEqual([asUser(stranger)])
  })

  it("with list_id gives the list's members, to invitees too", async () => {
    const members = [owner, member].sort((a, b) => a.id - b.id).map(asUser)
    for (const person of [owner, member, invitee])
      expect((await person.get(`/users?list_id=${list.id}`)).body).toEqual(members)
    const [closed, unknown] = await Promise.all([list.id, UNKNOWN_ID].map((id) => stranger.get(`/users?list_id=${id}`)))
    expect([closed?.status, closed?.body]).toEqual([404, unknown?.body])
    expect((await owner.get("/users?list_id=x")).status).toBe(400)
    expect((await owner.get("/users", { "X-Access-Token": "wrong" })).status).toBe(401)
  })
})

describe("createUser", () => {
  const inboxes = statement(
    "test_inboxes",
    "select count(*) from lists l join memberships m on m.list_id = l.id and m.owner where m.user_id = $1::bigint and l.list_type = 'inbox'",
    ([count]) => Number(count),
  )

  it("makes a user with one inbox and an address in lower case", async () => {
    const user = await createUser(node.database, { name: "Zoe", email: "Zoe@Example.org", verified: true })
    expect(user).toMatchObject({ name: "Zoe", email: "zoe@example.org", revision: 1 })
    expect(await node.database.run(inboxes, [user.id])).toEqual([1])
  })

  it("refuses an address that somebody has verified, in any case, also of 20 at once", async () => {
    const sign = (name: string) => createUser(node.database, { name, email: `Yan@example.org`, verified: true })
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => sign(`Yan ${index}`)))
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    for (const result of results)
      if (result.status === "rejected") expect(result.reason.faults).toEqual({ email: ["is already in use"] })
    await expect(sign("late")).rejects.toMatchObject({ kind: { status: 422 } })
  })

  it("names every fault of what it is given", async () => {
    const made = createUser(node.database, { name: " ", email: "nobody", verified: true })
    await expect(made).rejects.toMatchObject({ faults: { name: [expect.any(String)], email: [expect.any(String)] } })
  })

  it("leaves neither password nor token of who had not verified the address", async () => {
    const ways = statement(
      "test_ways_in",
      "select u.password_hash, count(t.id) filter (where t.revoked_at is null) from users u left join access_tokens t on t.user_id = u.id where u.id = $1::bigint group by u.id",
      ([hash, tokens]) => [hash, Number(tokens)],
    )
    const xia = await makePerson(node, "Xia")
    const unverify = statement(
      "test_unverify",
      "update users set verified_at = null, password_hash = 'theirs' where id = $1::bigint returning 1",
      () => 1,
    )
    await node.database.run(unverify, [xia.id])
    expect(await node.database.run(ways, [xia.id])).toEqual([["theirs", 1]])
    const user = await createUser(node.database, {
      name: "Xia",
      email: xia.email,
      verified: true,
      passwordHash: "hers",
    })
    expect(user.id).toBe(String(xia.id))
    expect(await node.database.run(ways, [xia.id])).toEqual([["hers", 0]])
    expect((await xia.get("/user")).status).toBe(401)
  })
})

describe("GET /api/v1/avatar", () => {
  const noToken = { "X-Client-ID": "", "X-Access-Token": "" }
  const setPicture = statement(
    "test_set_picture",
    "update users set avatar_url = $2 where id = $1::bigint returning 1",
    () => 1,
  )

  it("needs no token and leads to a drawing, whether or not there is such a user", async () => {
    for (const id of [owner.id, UNKNOWN_ID]) {
      const reply = await owner.get(`/avatar?user_id=${id}&size=64`, noToken)
      expect([reply.status, reply.text]).toEqual([302, ""])
      expect(reply.headers.get("location")).toBe(`${node.url}/avatars/${id}.svg?size=64`)
      expect((await owner.get(`/avatar?user_id=${id}&fallback=false`, noToken)).status).toBe(204)
    }
  })

  it("leads to the user's own picture when he has one, with or without a fallback", async () => {
    const eve = await makePerson(node, "Eve")
    await node.database.run(setPicture, [eve.id, "https://pictures.example.org/eve.png"])
    for (const query of ["", "&fallback=false", "&fallback=0", "&size=original", "&size=512&fallback=True"]) {
      const { status, headers } = await owner.get(`/avatar?user_id=${eve.id}${query}`, noToken)
      expect([query, status, headers.get("location")]).toEqual([query, 302, "https://pictures.example.org/eve.png"])
    }
    const { data } = await eve.graphql("{ viewer { avatarUrl avatarUrlOfSize: avatarUrl(size: 64) } }")
    expect(data.viewer).toEqual({
      avatarUrl: "https://pictures.example.org/eve.png",
      avatarUrlOfSize: "https://pictures.example.org/eve.png",
    })
  })

  it("answers 400 and names what is missing or wrong", async () => {
    const faults = async (query: string) => {
      const { status, body } = await owner.get(`/avatar?${query}`, noToken)
      return [status, body.error]
    }
    expect(await faults("")).toEqual([400, expect.objectContaining({ user_id: ["required"] })])
    expect(await faults("user_id=x")).toEqual([400, expect.objectContaining({ user_id: ["must be an integer"] })])
    expect(await faults("user_id=1&size=65")).toEqual([400, expect.objectContaining({ size: [expect.any(String)] })])
    expect(await faults("user_id=1&fallback=no")).toEqual([
      400,
      expect.objectContaining({ fallback: ["must be a boolean"] }),
    ])
    expect((await faults("user_id=1&user_id=2"))[0]).toBe(400)
  })
})

describe("GET /avatars/:id.svg", () => {
  const drawing = async (path: string) => {
    const response = await fetch(`${node.url}${path}`)
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  it("draws the same for an id again, for users and for nobody, and cannot run anything", async () => {
    for (const id of [owner.id, UNKNOWN_ID]) {
      const { status, headers, text } = await drawing(`/avatars/${id}.svg`)
      expect(status).toBe(200)
      expect(headers.get("content-type")).toBe("image/svg+xml; charset=utf-8")
      expect(headers.get("content-security-policy")).toBe("default-src 'none'")
      expect(headers.get("x-content-type-options")).toBe("nosniff")
      expect(text).toMatch(/^<svg [^>]*width="128"/)
      expect(text).not.toContain("<text")
      expect((await drawing(`/avatars/${id}.svg`)).text).toBe(text)
    }
  })

  it("is where avatarUrl leads to, with the user's initials and size", async () => {
    const { data } = await member.graphql("{ users { name avatarUrl(size: 256) } }")
    const { avatarUrl } = data.users.find(({ name }: any) => name === "Ann")
    const { text } = await drawing(avatarUrl.slice(node.url.length))
    expect(text).toMatch(/^<svg [^>]*width="256"/)
    expect(text).toContain(">A</text>")
    const bad = await member.graphql("{ viewer { avatarUrl(size: 65) } }")
    expect(bad).toMatchObject({ code: "VALIDATION_ERROR", fields: { size: [expect.any(String)] } })
  })

  it("shows at most two letters of what the address says, and no markup", async () => {
    const { text } = await drawing(
      `/avatars/1.svg?initials=${encodeURIComponent('</text><script>alert("x")</script>')}`,
    )
    expect(text).toContain(">te</text>")
    expect(text).not.toContain("script")
    expect((await drawing("/avatars/1.svg?initials=Ж名")).text).toContain(">Ж名</text>")
    expect((await drawing("/avatars/x.svg")).status).toBe(404)
  })
})

describe("the people that GraphQL types name", () => {
  it("are there while they share a list with the viewer, and null afterwards", async () => {
    const shared = await makeList(owner)
    const id = await addMember(node, shared, stranger)
    const task = await makeTask(stranger, shared, { completed: true, assignee_id: stranger.id })
    const { body: subtask } = await stranger.post("/subtasks", { task_id: task.id, title: "x" })
    const { body: note } = await stranger.post("/notes", { task_id: task.id, content: "x" })
    const { body: comment } = await stranger.post("/task_comments", { task_id: task.id, text: "x" })
    const read = async () => {
      const { data } = await owner.graphql(`{
        list(id: ${shared.id}) { owner { name } createdBy { name } members { name } }
        task(id: ${task.id}) { assignee { name } createdBy { name } completedBy { name } }
        subtask(id: ${subtask.id}) { createdBy { name } }
        note(id: ${note.id}) { createdBy { name } }
        taskComment(id: ${comment.id}) { createdBy { name } }
      }`)
      return data
    }
    const cid = { name: "Cid" }
    const ann = { name: "Ann" }
    const people = [ann, cid].sort((a) => (owner.id < stranger.id === (a === ann) ? -1 : 1))
    expect(await read()).toEqual({
      list: { owner: ann, createdBy: ann, members: people },
      task: { assignee: cid, createdBy: cid, completedBy: cid },
      subtask: { createdBy: cid },
      note: { createdBy: cid },
      taskComment: { createdBy: cid },
    })
    await owner.delete(`/memberships/${id}?revision=1`)
    expect(await read()).toEqual({
      list: { owner: ann, createdBy: ann, members: [ann] },
      task: { assignee: null, createdBy: null, completedBy: null },
      subtask: { createdBy: null },
      note: { createdBy: null },
      taskComment: { createdBy: null },
    })
  })

  it("are read with one statement per level, however many there are", async () => {
    const eve = await makePerson(node, "Eve")
    const lists = await Promise.all(Array.from({ length: 6 }, () => makeList(eve)))
    for (const { id } of lists) {
      await addMember(node, { id }, member)
      await makeTask(eve, { id }, { assignee_id: member.id })
    }
    const run = vi.spyOn(node.database, "run")
    const pinned = vi.spyOn(node.database, "pinned")
    const { data } = await eve.graphql(`{ viewer { lists {
      owner { name } members { name } memberships { user { name } list { id } } webhooks { id } folder { id } tasks { assignee { name } } } } }`)
    expect(data.viewer.lists).toHaveLength(7)
    // Beside what the node does by itself at the same time.
    const read = run.mock.calls.map(([{ name }]) => name).filter((name) => /_of_(lists|users)$|_by_ids?$/.test(name))
    run.mockRestore()
    expect(pinned).not.toHaveBeenCalled()
    pinned.mockRestore()
    expect(read).toHaveLength(new Set(read).size + read.filter((name) => name === "users_by_ids").length - 1)
    expect(read.length).toBeLessThanOrEqual(12)
  })

  it("shows of another user only the lists that both have", async () => {
    const eve = await makePerson(node, "Eve")
    const [both, hers] = [await makeList(eve), await makeList(eve)]
    await addMember(node, both, stranger)
    const { data } = await stranger.graphql("{ users { id lists { id } } }")
    expect(data.users.find(({ id }: any) => id === String(eve.id)).lists).toEqual([{ id: String(both.id) }])
    const own = await eve.graphql("{ viewer { id lists { id } } root { id userId revision } }")
    expect(own.data.viewer.lists.map(({ id }: any) => id)).toEqual([eve.inboxId, both.id, hers.id].map(String))
    expect(own.data.root).toEqual({ id: String(eve.id), userId: String(eve.id), revision: await rootOf(eve) })
  })
})
