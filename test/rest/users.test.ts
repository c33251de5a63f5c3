import sharp from "sharp"
import { beforeAll, describe, expect, it, vi } from "vitest"
import { AVATAR_SIZES } from "../../src/pictures/avatar.js"
import { drawAvatar } from "../../src/pictures/avatar-picture.js"
import { createUser } from "../../src/resources/user/user.commands.js"
import { statement } from "../../src/statement.js"
import { addMember, makeList, makePeople, makePerson, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const UNKNOWN_ID = 9007199254740991

let node: TestNode
let owner: Person
let member: Person
let invitee: Person
let stranger: Person
let list: any

beforeAll(async () => {
  node = await sharedNode()
  ;({ owner, member, invitee, stranger, list } = await makePeople(node))
})

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
      {
        id: stranger.id,
        type: "root",
        revision: expect.any(Number),
        user_id: stranger.id,
        cursor: expect.any(String),
      },
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
    await grows("an own task", () => ann.post("/tasks", { list_id: own.id, title: "x" }))
    await grows("a task of a list with an invitation", () => owner.post("/tasks", { list_id: shared.id, title: "x" }))
    await grows("accepting", () => ann.patch(`/memberships/${bob}`, { revision: 1, state: "accepted" }))
    await grows("another's task", () => owner.post("/tasks", { list_id: shared.id, title: "x" }))
    await grows("the name", () => ann.patch("/user", { revision: 1, name: "Anna" }))
    await grows("a setting", () => ann.post("/settings", { key: "k", value: "v" }))
    await grows("a folder", () => ann.post("/folders", { title: "F", list_ids: [own.id] }))
    await grows("a list's end", () => ann.delete(`/lists/${own.id}?revision=1`))
    await grows("leaving", () => ann.delete(`/memberships/${bob}?revision=2`))
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
  it("gives the viewer and all who share an accepted list with them, by id and each once", async () => {
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
      if (result.status === "rejected") expect(result.reason.violations).toEqual({ email: ["is already in use"] })
    await expect(sign("late")).rejects.toMatchObject({ kind: { status: 422 } })
  })

  it("names every fault of what it is given", async () => {
    const made = createUser(node.database, { name: " ", email: "nobody", verified: true })
    await expect(made).rejects.toMatchObject({
      violations: { name: [expect.any(String)], email: [expect.any(String)] },
    })
  })

  it("leaves neither password nor token of a user who had not verified the address", async () => {
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
      passwordHash: "other",
    })
    expect(user.id).toBe(String(xia.id))
    expect(await node.database.run(ways, [xia.id])).toEqual([["other", 0]])
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
  const verify = statement("test_verify", "update users set verified_at = now() where id = $1::bigint returning 1", () => 1) // biome-ignore format: one line

  it("needs no token and leads to a drawing with the user's initials, or a figure where there is no such user", async () => {
    await node.database.run(verify, [owner.id])
    for (const [id, query] of [
      [owner.id, "initials=A&size=64"],
      [UNKNOWN_ID, "size=64"],
    ]) {
      const reply = await owner.get(`/avatar?user_id=${id}&size=64`, noToken)
      expect([reply.status, reply.text]).toEqual([302, ""])
      expect(reply.headers.get("location")).toBe(`${node.url}/avatars/${id}.png?${query}`)
      expect((await owner.get(`/avatar?user_id=${id}&fallback=false`, noToken)).status).toBe(204)
    }
  })

  it("tells nothing of an address that was invited and never came", async () => {
    const list = await makeList(owner)
    const { body } = await owner.post("/memberships", { list_id: list.id, email: "xenia@example.org" })
    const { headers } = await owner.get(`/avatar?user_id=${body.user_id}`, noToken)
    expect(headers.get("location")).toBe(`${node.url}/avatars/${body.user_id}.png`)
  })

  it("leads to the user's own picture when there is one, with or without a fallback", async () => {
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
    const violations = async (query: string) => {
      const { status, body } = await owner.get(`/avatar?${query}`, noToken)
      return [status, body.error]
    }
    expect(await violations("")).toEqual([400, expect.objectContaining({ user_id: ["required"] })])
    expect(await violations("user_id=x")).toEqual([400, expect.objectContaining({ user_id: ["must be an integer"] })])
    expect(await violations("user_id=1&size=65")).toEqual([
      400,
      expect.objectContaining({ size: [expect.any(String)] }),
    ])
    expect(await violations("user_id=1&fallback=no")).toEqual([
      400,
      expect.objectContaining({ fallback: ["must be a boolean"] }),
    ])
    expect((await violations("user_id=1&user_id=2"))[0]).toBe(400)
  })
})

describe("GET /avatars/:id.png", () => {
  const fetchDrawing = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${node.url}${path}`, { headers })
    return { status: response.status, headers: response.headers, png: Buffer.from(await response.arrayBuffer()) }
  }
  /** Its width and height, its pixels as numbers 0xrrggbb, and what share of them has a colour. */
  async function look(png: Buffer) {
    const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true })
    const { width, height, channels } = info
    const pixels = Uint32Array.from({ length: width * height }, (_, index) => data.readUIntBE(index * channels, 3))
    const share = (colour: number) => pixels.filter((pixel) => pixel === colour).length / pixels.length
    return { width, height, pixels, ground: pixels[0] as number, share }
  }
  const luminance = (colour: number) => {
    const [red = 0, green = 0, blue = 0] = [colour >> 16, (colour >> 8) & 255, colour & 255].map((channel) => {
      const value = channel / 255
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }

  it.each(AVATAR_SIZES)("is a PNG of %d pixels, where avatarUrl leads to with the user's initials", async (size) => {
    const { data } = await member.graphql(`{ users { name avatarUrl(size: ${size}) } }`)
    const { avatarUrl } = data.users.find(({ name }: any) => name === "Ann")
    expect(avatarUrl).toBe(`${node.url}/avatars/${owner.id}.png?initials=A&size=${size}`)
    const { status, headers, png } = await fetchDrawing(avatarUrl.slice(node.url.length))
    expect([status, headers.get("content-type")]).toEqual([200, "image/png"])
    const { width, height, ground, share } = await look(png)
    expect([width, height]).toEqual([size, size])
    expect(share(ground)).toBeGreaterThan(0.5)
    expect(share(ground)).toBeLessThan(0.97) // something is drawn
  })

  it("is the same for an id again, for users and for nobody, and is not sent again to clients that have it", async () => {
    for (const id of [owner.id, UNKNOWN_ID]) {
      const [one, again] = [await fetchDrawing(`/avatars/${id}.png`), await fetchDrawing(`/avatars/${id}.png`)]
      expect(one.png.equals(again.png)).toBe(true)
      expect(Object.fromEntries(one.headers)).toMatchObject({
        etag: expect.stringMatching(/^"[\w-]{22}"$/),
        "cache-control": "public, max-age=86400",
        "x-content-type-options": "nosniff",
      })
      // Otherwise fetch would add "no-cache", which asks for the whole answer.
      const known = { "If-None-Match": one.headers.get("etag") as string, "Cache-Control": "max-age=0" }
      expect(await fetchDrawing(`/avatars/${id}.png`, known)).toMatchObject({ status: 304, png: Buffer.alloc(0) })
      const other = await fetchDrawing(`/avatars/${id}.png?initials=B`, known)
      expect([other.status, other.headers.get("etag") === one.headers.get("etag")]).toEqual([200, false])
    }
  })

  it("shows which letters, in white that stands out, on a colour that goes with the id", async () => {
    const grounds = new Set<number>()
    for (let id = 1; id <= 12; id++) {
      const { ground, share } = await look((await fetchDrawing(`/avatars/${id}.png?initials=MB&size=64`)).png)
      grounds.add(ground)
      expect(share(0xffffff)).toBeGreaterThan(0.03)
      expect(1.05 / (luminance(ground) + 0.05)).toBeGreaterThanOrEqual(4.5) // WCAG AA
    }
    expect(grounds.size).toBe(12)
    const pixelsOf = async (initials: string) =>
      (await look((await fetchDrawing(`/avatars/1.png?initials=${encodeURIComponent(initials)}&size=64`)).png)).pixels
    const seen: [string, Uint32Array][] = [["", await pixelsOf("")]]
    for (const initials of ["A", "B", "AB", "BA", "O", "0", "Q", "Ж", "Ω"]) {
      const pixels = await pixelsOf(initials)
      for (const [other, those] of seen) {
        const differing = pixels.filter((pixel, index) => pixel !== those[index]).length
        expect([initials, other, differing > 50]).toEqual([initials, other, true])
      }
      seen.push([initials, pixels])
    }
    for (const [
      written,
      drawn,
    ] of [["é", "E"], ["Øł", "OL"], ["Й", "И"], ["А", "A"], ["A名", "A"], ["名", ""], ["ABC", "AB"]] as const) // biome-ignore format: pairs
      expect([written, await pixelsOf(written)]).toEqual([written, await pixelsOf(drawn)])
  })

  it("refuses more than wait already, so that a flood of strangers costs no more than that, and then draws again", async () => {
    const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
    const flood = letters.slice(0, 5).flatMap((one) => letters.map((other) => drawAvatar("7", one + other, 28)))
    const outcomes = await Promise.allSettled(flood)
    const refused = outcomes.filter(({ status }) => status === "rejected")
    expect(refused).toHaveLength(30)
    expect((refused[0] as PromiseRejectedResult).reason).toMatchObject({ kind: { status: 503 }, retryAfterSeconds: 1 })
    expect((await drawAvatar("7", "EZ", 28)).png.length).toBeGreaterThan(100)
  })

  it("takes nothing else from the address: no markup, no other size, and 404 for what is no id", async () => {
    const hostile = encodeURIComponent('</path><script>alert("x")</script>')
    const [one, letters] = [
      await fetchDrawing(`/avatars/1.png?initials=${hostile}`),
      await fetchDrawing("/avatars/1.png?initials=pa"),
    ]
    expect([one.status, one.png.equals(letters.png)]).toEqual([200, true])
    expect((await look((await fetchDrawing("/avatars/1.png?size=100000")).png)).width).toBe(128)
    expect((await fetchDrawing(`/avatars/1.png?initials=${"A".repeat(4_000)}`)).status).toBe(200)
    for (const id of ["x", "0", "-1", "9007199254740992"])
      expect((await fetchDrawing(`/avatars/${id}.png`)).status).toBe(404)
    const bad = await member.graphql("{ viewer { avatarUrl(size: 65) } }")
    expect(bad).toMatchObject({ code: "VALIDATION_ERROR", fields: { size: [expect.any(String)] } })
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
    const [both, other] = [await makeList(eve), await makeList(eve)]
    await addMember(node, both, stranger)
    const { data } = await stranger.graphql("{ users { id lists { id } } }")
    expect(data.users.find(({ id }: any) => id === String(eve.id)).lists).toEqual([{ id: String(both.id) }])
    const own = await eve.graphql("{ viewer { id lists { id } } root { id userId revision } }")
    expect(own.data.viewer.lists.map(({ id }: any) => id)).toEqual([eve.inboxId, both.id, other.id].map(String))
    expect(own.data.root).toEqual({ id: String(eve.id), userId: String(eve.id), revision: await rootOf(eve) })
  })
})
