import "reflect-metadata"
import { randomUUID } from "node:crypto"
import { beforeAll, describe, expect, it } from "vitest"
import { eventColumns } from "../../src/events/event.js"
import { Event } from "../../src/events/event.type.js"
import { createUser } from "../../src/resources/user/user.commands.js"
import { statement } from "../../src/statement.js"
import { addMember, makeList, makePeople, makePerson, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"
import { recorded } from "../support/recorded.js"

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

const parallel = <Result>(count: number, run: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)))

const membershipsIn = async (id: number): Promise<any[]> => (await owner.get(`/memberships?list_id=${id}`)).body
const of = async (person: Person, id: number = list.id): Promise<any> =>
  (await membershipsIn(id)).find((membership) => membership.user_id === person.id)

/** How many numbers every table has used up. */
const numbersOf = (): Promise<number[]> =>
  node.database.run(
    statement(
      "test_numbers",
      "select coalesce(last_value, 0) from pg_sequences where schemaname = 'public' order by sequencename",
      ([last]) => Number(last),
    ),
    [],
  )

/** Whom the events of a membership show before and after each change, as every reader of events gets them. */
const snapshotsOf = (id: number): Promise<(number | undefined)[][]> =>
  node.database.run(
    statement(
      "test_events_of_membership",
      `select ${eventColumns("e")} from events e where e.subject_type = 'membership' and e.subject_id = $1::bigint order by e.id`,
      (fields) => {
        const { before, after } = new Event(fields)
        return [before?.user_id as number | undefined, after?.user_id as number | undefined]
      },
    ),
    [id],
  )

const usersWith = (email: string): Promise<number[]> =>
  node.database.run(
    statement("test_users_with", "select id from users where email = $1", ([id]) => Number(id)),
    [email],
  )
const events = (subjectId: number): Promise<string[]> =>
  node.database.run(
    statement(
      "test_membership_events",
      "select operation from events where subject_type = 'membership' and subject_id = $1::bigint order by id",
      ([operation]) => operation as string,
    ),
    [subjectId],
  )

/** A list of its own with somebody in it. */
async function sharedWith(
  person: Person,
  state: "accepted" | "pending" = "accepted",
): Promise<{ list: any; mine: any }> {
  const made = await makeList(owner, "Shared")
  await addMember(node, made, person, state)
  return { list: made, mine: await of(person, made.id) }
}

describe("GET /api/v1/memberships (§4 Memberships)", () => {
  it("gives the viewer's own, invitations included, by id", async () => {
    const { status, body } = await invitee.get("/memberships")
    expect(status).toBe(200)
    expect(body).toEqual([
      { ...body[0], user_id: invitee.id, list_id: invitee.inboxId, owner: true, state: "accepted" },
      {
        id: expect.any(Number),
        user_id: invitee.id,
        list_id: list.id,
        state: "pending",
        type: "membership",
        owner: false,
        muted: false,
        revision: 1,
      },
    ])
  })

  it("with list_id gives all of that list, to members and invitees", async () => {
    const seen = await Promise.all(
      [owner, member, invitee].map((person) => person.get(`/memberships?list_id=${list.id}`)),
    )
    for (const { status, body } of seen) {
      expect(status).toBe(200)
      expect(body.map(({ user_id, state, owner }: any) => [user_id, state, owner])).toEqual([
        [owner.id, "accepted", true],
        [member.id, "accepted", false],
        [invitee.id, "pending", false],
      ])
    }
  })

  it("answers a stranger as for a list that does not exist", async () => {
    const closed = await stranger.get(`/memberships?list_id=${list.id}`)
    const unknown = await stranger.get(`/memberships?list_id=${UNKNOWN_ID}`)
    expect([closed.status, closed.body]).toEqual([404, unknown.body])
    expect((await stranger.get("/memberships?list_id=x")).status).toBe(400)
  })

  it("needs a token", async () => {
    for (const path of ["/memberships", `/memberships?list_id=${list.id}`, "/memberships/1"])
      expect((await owner.get(path, { "X-Access-Token": "wrong" })).status).toBe(401)
  })
})

describe("GET /api/v1/memberships/:id", () => {
  it("gives the bytes of the list to everybody on it, and 404 to others", async () => {
    const mine = await of(member)
    for (const person of [owner, member, invitee])
      expect((await person.get(`/memberships/${mine.id}`)).body).toEqual(mine)
    const [closed, unknown] = await Promise.all([mine.id, UNKNOWN_ID].map((id) => stranger.get(`/memberships/${id}`)))
    expect([closed?.status, closed?.body]).toEqual([404, unknown?.body])
  })
})

describe("POST /api/v1/memberships (§4 Memberships, §3)", () => {
  it("invites by user_id: 201 with a pending membership, and the list's revision grows by one", async () => {
    const fresh = await makeList(owner)
    const reply = await owner.post("/memberships", { list_id: fresh.id, user_id: stranger.id, muted: true })
    expect(reply.status).toBe(201)
    expect(reply.body).toEqual({
      id: expect.any(Number),
      user_id: stranger.id,
      list_id: fresh.id,
      state: "pending",
      type: "membership",
      owner: false,
      muted: true,
      revision: 1,
    })
    expect((await stranger.get(`/memberships/${reply.body.id}`)).text).toBe(reply.text)
    expect((await owner.get(`/lists/${fresh.id}`)).body.revision).toBe(fresh.revision + 1)
  })

  it("takes an address in any case, and answers alike whether or not anybody has it", async () => {
    const [owners, members] = [await makeList(owner), await makeList(owner)]
    const known = await makePerson(node, "Known")
    const unknown = `Known.${randomUUID()}@Example.ORG`
    const invite = async (list: any, email: string) => {
      const before = await numbersOf()
      const reply = await owner.post("/memberships", { list_id: list.id, email })
      expect(reply.status).toBe(201)
      return { ...reply.body, used: (await numbersOf()).map((last, index) => last - (before[index] as number)) }
    }
    // The first time, again into another list, and into the same one.
    const lists = [owners, members, owners]
    const ofKnown = [] as any[]
    for (const list of lists) ofKnown.push(await invite(list, known.email.toUpperCase()))
    const ofUnknown = [] as any[]
    for (const list of lists) ofUnknown.push(await invite(list, unknown))
    const shape = ({ id, user_id, ...rest }: any) => rest
    expect(ofUnknown.map(shape)).toEqual(ofKnown.map(shape))
    const [shown, placeholder] = [ofKnown[0].user_id, ofUnknown[0].user_id]
    // Both are numbers that were new then.
    expect(shown).toBeGreaterThan(known.id)
    expect(placeholder).toBe(shown + 1)
    expect(ofKnown.map(({ user_id }) => user_id)).toEqual([shown, shown, shown])
    expect(ofUnknown.map(({ user_id }) => user_id)).toEqual([placeholder, placeholder, placeholder])
    expect(await usersWith(unknown.toLowerCase())).toEqual([placeholder])

    // Wherever else an invitee can be looked for.
    const seen = async (id: number) => {
      const { headers } = await fetch(`${node.url}/api/v1/avatar?user_id=${id}`, { redirect: "manual" })
      const invited = await owner.post("/memberships", { list_id: (await makeList(owner)).id, user_id: id })
      const assigned = await owner.post("/tasks", { list_id: owners.id, title: "x", assignee_id: id })
      const users = (await owner.get(`/users?list_id=${owners.id}`)).body.filter((user: any) => user.id === id)
      const { data } = await owner.graphql("query ($id: ID!) { memberships(listId: $id) { userId user { name } } }", {
        id: owners.id,
      })
      const inGraphql = data.memberships.filter(({ userId }: any) => userId === String(id)).map(({ user }: any) => user)
      const avatar = headers.get("location")?.split("/").pop()?.replace(String(id), "")
      return { avatar, invited: invited.status, assigned: assigned.status, users, inGraphql }
    }
    expect(await seen(placeholder)).toEqual(await seen(shown))
    expect(await seen(shown)).toMatchObject({ invited: 404, assigned: 422, users: [], inGraphql: [null] })
    // Only to themselves, and after the acceptance, they are who they are.
    const own = (await known.get("/memberships")).body.find(({ id }: any) => id === ofKnown[0].id)
    expect(own.user_id).toBe(known.id)
    expect((await owner.get(`/memberships/${own.id}`)).body.user_id).toBe(shown)
    const accepted = await known.patch(`/memberships/${own.id}`, { revision: own.revision, state: "accepted" })
    expect([accepted.status, accepted.body.user_id]).toEqual([200, known.id])
    expect((await owner.get(`/memberships/${own.id}`)).body.user_id).toBe(known.id)
    expect(await snapshotsOf(own.id)).toEqual([
      [undefined, shown],
      [shown, known.id],
    ])
  })

  it("tells the inviter alone the address, as it was invited, until the acceptance", async () => {
    const known = await makePerson(node, "Known")
    const emails = [known.email, `unknown.${randomUUID()}@example.org`]
    const shared = await makeList(owner)
    await addMember(node, shared, member)
    await owner.post("/memberships", { list_id: shared.id, user_id: invitee.id })
    const invited = [] as any[]
    for (const email of emails)
      invited.push((await owner.post("/memberships", { list_id: shared.id, email: email.toUpperCase() })).body)
    const seenBy = async (person: Person) => {
      const { data } = await person.graphql("query ($id: ID!) { memberships(listId: $id) { id invitedEmail } }", {
        id: shared.id,
      })
      return new Map(data.memberships.map(({ id, invitedEmail }: any) => [Number(id), invitedEmail]))
    }
    const [ofKnown, ofUnknown] = invited.map(({ id }) => id)
    const told = async () => [...(await seenBy(owner))].filter(([, email]) => email !== null)
    const both = invited.map(({ id }, at) => [id, emails[at]])
    expect(await told()).toEqual(both)
    for (const other of [member, known, invitee])
      expect(new Set((await seenBy(other)).values())).toEqual(new Set([null]))
    // What they are called meanwhile is not the inviter's to know: it would tell that the address was somebody's.
    const move = statement("test_move", "update users set email = $2 where id = $1::bigint returning id", ([id]) => id)
    await node.database.run(move, [known.id, `moved.${randomUUID()}@example.org`])
    expect(await told()).toEqual(both)
    await known.patch(`/memberships/${ofKnown}`, { revision: 1, state: "accepted" })
    expect(await told()).toEqual([[ofUnknown, emails[1]]])
    const kept = statement(
      "test_kept",
      "select email from invited_addresses where membership_id = $1::bigint",
      ([one]) => one,
    )
    expect(await node.database.run(kept, [ofKnown])).toEqual([])
    expect(await node.database.run(kept, [ofUnknown])).toEqual([emails[1]])
    expect(Object.keys((await owner.get(`/memberships/${ofUnknown}`)).body)).not.toContain("invited_email")
  })

  it.each(["user_id", "email"] as const)(
    "does not tell whose an address is to a member who invites by number and by address, %s first",
    async (first) => {
      const [known, other] = [await makePerson(node, "Known"), await makePerson(node, "Other")]
      /** Invites a person by number and by an address, and shows what the owner sees of it each time. */
      const tell = async (person: Person, email: string) => {
        const fresh = await makeList(owner)
        const seen: any[] = []
        for (const by of first === "email"
          ? ["email", "user_id", "email", "user_id"]
          : ["user_id", "email", "user_id", "email"]) {
          const who = by === "email" ? { email } : { user_id: person.id }
          const { status, body } = await owner.post("/memberships", { list_id: fresh.id, ...who })
          const { revision } = (await owner.get(`/lists/${fresh.id}`)).body
          const of = (await membershipsIn(fresh.id)).map((each: any) => each.id === body.id)
          seen.push([status, by, body.user_id === person.id, body.state, body.revision, revision, of])
        }
        return { list: fresh, seen, ids: (await membershipsIn(fresh.id)).slice(1) as any[] }
      }
      const ofKnown = await tell(known, known.email)
      const ofUnknown = await tell(other, `${randomUUID()}@example.org`)
      expect(ofKnown.seen).toEqual(ofUnknown.seen)
      expect(new Set(ofKnown.ids.map(({ id }) => id)).size).toBe(2)

      // The invitee has two invitations into one list, and one membership when either is accepted.
      const { id } = ofKnown.list
      const own = async () => (await known.get("/memberships")).body.filter(({ list_id }: any) => list_id === id)
      expect((await own()).map(({ user_id, state }: any) => [user_id, state])).toEqual(
        Array(2).fill([known.id, "pending"]),
      )
      const lists = (await known.get("/lists")).body.filter((each: any) => each.id === id)
      expect(lists).toHaveLength(1)
      const revisions = (await known.get("/list_revisions")).body.filter((each: any) => each.id === id)
      expect(revisions).toHaveLength(1)
      const folder = await known.post("/folders", { title: "Invited", list_ids: [id] })
      expect(folder.status).toBe(200)
      const root = (await known.get("/root")).body.revision
      const [one, two] = await own()
      const replies = await Promise.all(
        [one, two].map((each: any) => known.patch(`/memberships/${each.id}`, { revision: 1, state: "accepted" })),
      )
      expect(replies.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1)
      expect(await own()).toMatchObject([{ user_id: known.id, state: "accepted" }])
      expect((await membershipsIn(id)).map(({ user_id, state }: any) => [user_id, state])).toEqual([
        [owner.id, "accepted"],
        [known.id, "accepted"],
      ])
      expect((await known.get("/root")).body.revision).toBeGreaterThan(root)
      expect((await known.get(`/folders/${folder.body.id}`)).body.list_ids).toEqual([id])
      // A member is found by either.
      for (const who of [{ email: known.email }, { user_id: known.id }])
        expect((await owner.post("/memberships", { list_id: id, ...who })).body).toEqual((await own())[0])
    },
  )

  it("keeps one of two invitations when the other is taken back, and the list stays in the invitee's folder", async () => {
    const known = await makePerson(node, "Known")
    const fresh = await makeList(owner)
    const invite = async (who: object) => (await owner.post("/memberships", { list_id: fresh.id, ...who })).body
    const [byId, byAddress] = [await invite({ user_id: known.id }), await invite({ email: known.email })]
    const { body: folder } = await known.post("/folders", { title: "Invited", list_ids: [fresh.id] })
    const root = (await known.get("/root")).body.revision
    expect((await owner.delete(`/memberships/${byId.id}?revision=1`)).status).toBe(204)
    expect((await known.get(`/lists/${fresh.id}`)).status).toBe(200)
    expect((await known.get(`/folders/${folder.id}`)).body.list_ids).toEqual([fresh.id])
    expect((await known.get("/root")).body.revision).toBeGreaterThan(root)
    expect((await known.delete(`/memberships/${byAddress.id}?revision=1`)).status).toBe(204)
    expect((await known.get(`/lists/${fresh.id}`)).status).toBe(404)
    expect((await known.get(`/folders/${folder.id}`)).body.list_ids).toEqual([])
    expect((await known.get("/root")).body.revision).toBeGreaterThan(root + 1)
  })

  it("takes the same statements whether or not anybody has the address", async () => {
    const known = await makePerson(node, "Known")
    const CREATE =
      "mutation ($input: CreateMembershipInput!) { createMembership(input: $input) { id userId user { name } list { title } } }"
    const take = async (email: string) => {
      const { id: listId } = await makeList(owner)
      // The first time, and for a membership that is there.
      const runs = [1, 2].map(() => () => recorded(node, owner, CREATE, { input: { listId, email } }))
      return [(await runs[0]?.())?.statements, (await runs[1]?.())?.statements]
    }
    const [ofKnown, ofUnknown] = [await take(known.email), await take(`${randomUUID()}@example.org`)]
    expect(ofKnown).toEqual(ofUnknown)
    expect(ofKnown.flat()).toContain("insert_membership")
  })

  it("lets the first verified sign-up take over the placeholder: its id and its membership", async () => {
    const fresh = await makeList(owner)
    const email = `hans.${randomUUID()}@example.org`
    const { body: invitation } = await owner.post("/memberships", { list_id: fresh.id, email })
    const hans = await createUser(node.database, { name: "Hans", email: email.toUpperCase(), verified: true })
    expect(hans).toMatchObject({ id: String(invitation.user_id), name: "Hans", email })
    expect(await membershipsIn(fresh.id)).toContainEqual(invitation)
    await expect(createUser(node.database, { name: "Other", email, verified: true })).rejects.toMatchObject({
      violations: { email: ["is already in use"] },
    })
  })

  it("answers 201 with the membership that is already there, unchanged, for members, invitees and oneself", async () => {
    const before = await membershipsIn(list.id)
    const { revision } = (await owner.get(`/lists/${list.id}`)).body
    // That an invitee has an address only its owner says, by accepting.
    const invitations = [owner, member].flatMap(({ id, email }) => [{ user_id: id }, { email }])
    for (const who of [...invitations, { user_id: invitee.id }]) {
      const reply = await member.post("/memberships", { list_id: list.id, ...who, muted: true })
      const person = [owner, member, invitee].find(({ id, email }) => id === who.user_id || email === who.email)
      expect([reply.status, reply.body]).toEqual([201, await of(person as Person)])
    }
    expect(await membershipsIn(list.id)).toEqual(before)
    expect((await owner.get(`/lists/${list.id}`)).body.revision).toBe(revision)
  })

  it("answers 400 when neither or both of user_id and email are given, or list_id is missing", async () => {
    const neither = await owner.post("/memberships", { list_id: list.id })
    expect([neither.status, neither.body.error.user_id, neither.body.error.email]).toEqual([
      400,
      ["required, or email"],
      ["required, or user_id"],
    ])
    const both = await owner.post("/memberships", { list_id: list.id, user_id: stranger.id, email: stranger.email })
    expect(both.status).toBe(400)
    expect((await owner.post("/memberships", { user_id: stranger.id })).body.error.list_id).toEqual(["required"])
    expect((await owner.post("/memberships", { list_id: list.id, user_id: String(stranger.id) })).status).toBe(400)
    expect(await of(stranger)).toBeUndefined()
  })

  it("answers 404 for an unknown user_id and 422 for what is no address", async () => {
    expect((await owner.post("/memberships", { list_id: list.id, user_id: UNKNOWN_ID })).body.error.type).toBe(
      "not_found",
    )
    for (const email of ["", "dora", "a@", "a b@example.org", "a\u0000@example.org", `${"a".repeat(250)}@b.org`]) {
      const { status, body } = await owner.post("/memberships", { list_id: list.id, email })
      expect([email, status, body.error.email]).toEqual([email, 422, [expect.any(String)]])
    }
    const longest = `${"a".repeat(249)}@b.org`
    expect((await owner.post("/memberships", { list_id: (await makeList(owner)).id, email: longest })).status).toBe(201)
  })

  it("lets members invite, answers invitees 403, and strangers as for an unknown list", async () => {
    const invite = { user_id: stranger.id, list_id: list.id }
    const pending = await invitee.post("/memberships", invite)
    expect([pending.status, pending.body.error.permissions]).toEqual([403, "failed"])
    expect((await invitee.post("/memberships", { list_id: list.id, email: "" })).status).toBe(403)
    const unknown = await stranger.post("/memberships", { ...invite, list_id: UNKNOWN_ID })
    expect(unknown).toMatchObject({ status: 404, body: { error: { type: "permission_error", permissions: "failed" } } })
    expect((await stranger.post("/memberships", invite)).body).toEqual(unknown.body)
    expect((await stranger.post("/memberships", { list_id: list.id, email: "" })).body).toEqual(unknown.body)
    const { list: theirs } = await sharedWith(member)
    expect((await member.post("/memberships", { ...invite, list_id: theirs.id })).status).toBe(201)
  })

  it("returns the owner's membership of an inbox on request, by id or address, and shares the inbox with nobody else", async () => {
    const mine = await membershipsIn(owner.inboxId)
    for (const who of [{ user_id: stranger.id }, { email: `${randomUUID()}@x.org` }, { user_id: UNKNOWN_ID }])
      expect((await owner.post("/memberships", { list_id: owner.inboxId, ...who })).status).toBe(403)
    for (const who of [{ user_id: owner.id }, { email: owner.email }, { user_id: owner.id, muted: true }]) {
      const { status, body } = await owner.post("/memberships", { list_id: owner.inboxId, ...who })
      expect([status, [body]]).toEqual([201, mine])
    }
    expect((await stranger.post("/memberships", { list_id: owner.inboxId, user_id: owner.id })).status).toBe(404)
    expect(await membershipsIn(owner.inboxId)).toEqual(mine)
  })

  it.each([
    ["of somebody known", () => stranger.email],
    ["that nobody has", () => `${randomUUID()}@example.org`],
  ])("makes one membership of 20 invitations at once to an address %s", async (_, addressOf) => {
    const fresh = await makeList(owner)
    await addMember(node, fresh, member)
    const email = addressOf()
    const replies = await parallel(20, (index) =>
      (index % 2 ? owner : member).post("/memberships", { list_id: fresh.id, email }),
    )
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`))).toHaveLength(1)
    expect(replies[0]?.status).toBe(201)
    expect(await membershipsIn(fresh.id)).toHaveLength(3)
    expect(await usersWith(email)).toHaveLength(1)
    expect(await events(replies[0]?.body.id)).toEqual(["CREATE"])
  })

  it("makes one placeholder of 20 invitations at once into 20 lists", async () => {
    const email = `${randomUUID()}@example.org`
    const lists = await parallel(20, () => makeList(owner))
    const replies = await Promise.all(lists.map(({ id }) => owner.post("/memberships", { list_id: id, email })))
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(201))
    expect(new Set(replies.map(({ body }) => body.user_id))).toHaveLength(1)
    expect(await usersWith(email)).toHaveLength(1)
  })
})

describe("PATCH /api/v1/memberships/:id (§3, §4 Memberships)", () => {
  it("accepts the viewer's invitation: what is inside opens, and PUT does the same", async () => {
    const { list: shared, mine } = await sharedWith(stranger, "pending")
    expect((await stranger.get(`/tasks?list_id=${shared.id}`)).status).toBe(404)
    const reply = await stranger.put(`/memberships/${mine.id}`, { revision: 1, state: "accepted", muted: true })
    expect([reply.status, reply.body]).toEqual([200, { ...mine, state: "accepted", muted: true, revision: 2 }])
    expect((await stranger.get(`/tasks?list_id=${shared.id}`)).status).toBe(200)
  })

  it("accepts once of 20 at once, answers all alike, and accepting again later is 200 too", async () => {
    const { list: shared, mine } = await sharedWith(stranger, "pending")
    const accept = () => stranger.patch(`/memberships/${mine.id}`, { revision: 1, state: "accepted" })
    const replies = await parallel(20, accept)
    const expected = { ...mine, state: "accepted", revision: 2 }
    for (const { status, body } of [...replies, await accept()]) expect([status, body]).toEqual([200, expected])
    expect(await events(mine.id)).toEqual(["CREATE", "UPDATE"])
    expect((await stranger.get("/memberships")).body.filter(({ list_id }: any) => list_id === shared.id)).toEqual([
      expected,
    ])
  })

  it("mutes and unmutes one's own membership, accepted or not, without a state", async () => {
    for (const state of ["accepted", "pending"] as const) {
      const { mine } = await sharedWith(member, state)
      const muted = await member.patch(`/memberships/${mine.id}`, { revision: 1, muted: true })
      expect([muted.status, muted.body]).toEqual([200, { ...mine, muted: true, revision: 2 }])
      const back = await member.patch(`/memberships/${mine.id}`, { ...muted.body, state: undefined, muted: false })
      expect(back.body).toEqual({ ...mine, revision: 3 })
    }
  })

  it("answers 400 without revision, or with neither state nor muted", async () => {
    const { id } = await of(invitee)
    expect((await invitee.patch(`/memberships/${id}`, { state: "accepted" })).body.error.revision).toEqual(["required"])
    const empty = await invitee.patch(`/memberships/${id}`, { revision: 1, state: null })
    expect([empty.status, empty.body.error.state]).toEqual([400, ["required, or muted"]])
    expect((await invitee.patch(`/memberships/${id}`, { revision: 1, muted: "true" })).status).toBe(400)
  })

  it("answers 422 for another state and changes nothing", async () => {
    const before = await of(invitee)
    for (const state of ["pending", "rejected", ""]) {
      const { status, body } = await invitee.patch(`/memberships/${before.id}`, { revision: 1, state, muted: true })
      expect([state, status, body.error.state]).toEqual([state, 422, [expect.any(String)]])
    }
    expect(await of(invitee)).toEqual(before)
  })

  it("asks in the contract's order: visible, allowed, revision, validation", async () => {
    const { id } = await of(invitee)
    const change = (person: Person, revision: number) => person.patch(`/memberships/${id}`, { revision, state: "gone" })
    const statuses = [
      await change(stranger, 1),
      await change(owner, 9),
      await change(invitee, 9),
      await change(invitee, 1),
    ]
    expect(statuses.map(({ status }) => status)).toEqual([404, 403, 409, 422])
  })

  it("lets nobody accept or mute for another", async () => {
    const before = await of(invitee)
    for (const change of [{ state: "accepted" }, { muted: true }]) {
      for (const person of [owner, member])
        expect((await person.patch(`/memberships/${before.id}`, { revision: 1, ...change })).status).toBe(403)
      expect((await stranger.patch(`/memberships/${before.id}`, { revision: 1, ...change })).status).toBe(404)
    }
    expect(await of(invitee)).toEqual(before)
  })

  it("answers 409 for a stale revision, also to a member who has accepted and would change something", async () => {
    const { mine } = await sharedWith(stranger, "pending")
    for (const revision of [0, 2])
      expect(
        (await stranger.patch(`/memberships/${mine.id}`, { revision, state: "accepted" })).body.error,
      ).toMatchObject({
        type: "conflict",
        revision_conflict: true,
      })
    await stranger.patch(`/memberships/${mine.id}`, { revision: 1, state: "accepted" })
    const late = { revision: 1, state: "accepted", muted: true }
    expect((await stranger.patch(`/memberships/${mine.id}`, late)).status).toBe(409)
    expect((await stranger.patch(`/memberships/${mine.id}`, { revision: 3, state: "accepted" })).status).toBe(409)
  })
})

describe("DELETE /api/v1/memberships/:id (§3, §4 Memberships)", () => {
  it("leaves a list: the member's assignments and webhooks there and the list in their folders go, nobody else's", async () => {
    const { list: shared, mine } = await sharedWith(member)
    const { list: other } = await sharedWith(member)
    const [members, owners, elsewhere] = await Promise.all([
      makeTask(owner, shared, { assignee_id: member.id }),
      makeTask(owner, shared, { assignee_id: owner.id }),
      makeTask(owner, other, { assignee_id: member.id }),
    ])
    const hook = { list_id: shared.id, url: "https://example.org/", processor_type: "generic", configuration: "" }
    await member.post("/webhooks", hook)
    const { body: kept } = await owner.post("/webhooks", hook)
    const { body: folder } = await member.post("/folders", { title: "F", list_ids: [shared.id, other.id] })
    const root = (await member.get("/root")).body.revision

    const reply = await member.delete(`/memberships/${mine.id}?revision=1`)
    expect([reply.status, reply.text]).toEqual([204, ""])
    const { assignee_id: _, ...freed } = members
    expect((await owner.get(`/tasks/${members.id}`)).body).toEqual({ ...freed, revision: 2 })
    expect((await owner.get(`/tasks/${owners.id}`)).body).toEqual(owners)
    expect((await owner.get(`/tasks/${elsewhere.id}`)).body).toEqual(elsewhere)
    expect((await owner.get(`/webhooks?list_id=${shared.id}`)).body).toEqual([kept])
    expect((await member.get(`/folders/${folder.id}`)).body).toMatchObject({ list_ids: [other.id], revision: 2 })
    expect((await member.get(`/lists/${shared.id}`)).status).toBe(404)
    expect((await member.get("/root")).body.revision).toBeGreaterThan(root)
    expect(await events(mine.id)).toEqual(["CREATE", "DELETE"])
  })

  it("rejects an invitation", async () => {
    const { list: shared, mine } = await sharedWith(stranger, "pending")
    expect((await stranger.delete(`/memberships/${mine.id}`, { revision: 1 })).status).toBe(204)
    expect((await stranger.get(`/lists/${shared.id}`)).status).toBe(404)
    expect(await of(stranger, shared.id)).toBeUndefined()
  })

  it("lets the owner remove members and take invitations back", async () => {
    for (const state of ["accepted", "pending"] as const) {
      const { list: shared, mine } = await sharedWith(member, state)
      expect((await owner.delete(`/memberships/${mine.id}?revision=1`)).status).toBe(204)
      expect(await membershipsIn(shared.id)).toHaveLength(1)
    }
  })

  it("removes once of 20 at once", async () => {
    const { mine } = await sharedWith(member)
    const replies = await parallel(20, (index) =>
      (index % 2 ? owner : member).delete(`/memberships/${mine.id}?revision=1`),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([204, ...Array(19).fill(404)])
    expect(await events(mine.id)).toEqual(["CREATE", "DELETE"])
  })

  it("never removes the owner, for any caller and however often, alone or not", async () => {
    const alone = await makeList(owner)
    for (const id of [list.id, alone.id, owner.inboxId]) {
      const mine = await of(owner, id)
      const replies = await parallel(20, () => owner.delete(`/memberships/${mine.id}?revision=${mine.revision}`))
      for (const { status, body } of replies) expect([status, body.error.type]).toEqual([403, "permission_error"])
      expect(await of(owner, id)).toEqual(mine)
    }
    const mine = await of(owner)
    expect((await member.delete(`/memberships/${mine.id}?revision=1`)).status).toBe(403)
    expect((await invitee.delete(`/memberships/${mine.id}?revision=1`)).status).toBe(403)
  })

  it("lets nobody else remove a member, and hides members from strangers", async () => {
    const [members, invited] = [await of(member), await of(invitee)]
    expect((await invitee.delete(`/memberships/${members.id}?revision=1`)).status).toBe(403)
    expect((await member.delete(`/memberships/${invited.id}?revision=1`)).status).toBe(403)
    const [closed, unknown] = await Promise.all(
      [members.id, UNKNOWN_ID].map((id) => stranger.delete(`/memberships/${id}?revision=1`)),
    )
    expect([closed?.status, closed?.body]).toEqual([404, unknown?.body])
  })

  it("answers 400 without revision and 409 for a stale one, and then nothing has changed", async () => {
    const { list: shared, mine } = await sharedWith(member)
    const task = await makeTask(owner, shared, { assignee_id: member.id })
    await member.patch(`/memberships/${mine.id}`, { revision: 1, muted: true })
    expect((await owner.delete(`/memberships/${mine.id}`)).body.error.revision).toEqual(["required"])
    expect((await owner.delete(`/memberships/${mine.id}?revision=1`)).body.error.revision_conflict).toBe(true)
    expect((await owner.get(`/tasks/${task.id}`)).body).toEqual(task)
    expect((await owner.get(`/memberships/${mine.id}`)).body.revision).toBe(2)
  })
})

describe("the GraphQL counterparts of /memberships", () => {
  const create =
    "mutation ($input: CreateMembershipInput!) { createMembership(input: $input) { id userId state revision } }"
  const update =
    "mutation ($id: ID!, $input: UpdateMembershipInput!) { updateMembership(id: $id, input: $input) { state } }"
  const end = "mutation ($id: ID!, $revision: Int!) { deleteMembership(id: $id, revision: $revision) }"

  it("give the same results", async () => {
    const listId = list.id
    expect((await owner.graphql(create, { input: { listId } })).fields).toEqual({
      userId: ["required, or email"],
      email: ["required, or userId"],
    })
    const [mine] = await membershipsIn(owner.inboxId)
    expect(
      (await owner.graphql(create, { input: { listId: owner.inboxId, userId: owner.id } })).data.createMembership,
    ).toEqual({ id: String(mine.id), userId: String(owner.id), state: "accepted", revision: mine.revision })
    expect((await owner.graphql(create, { input: { listId: owner.inboxId, userId: member.id } })).code).toBe(
      "PERMISSION_ERROR",
    )
    expect((await stranger.graphql(create, { input: { listId, userId: member.id } })).code).toBe("PERMISSION_ERROR")
    expect((await invitee.graphql(create, { input: { listId, email: "" } })).code).toBe("PERMISSION_ERROR")
    expect(await owner.graphql(create, { input: { listId, email: "" } })).toMatchObject({
      code: "VALIDATION_ERROR",
      fields: { email: [expect.any(String)] },
    })
    const pending = await of(invitee)
    const { data } = await owner.graphql(create, { input: { listId, userId: invitee.id } })
    expect(data.createMembership).toEqual({
      id: String(pending.id),
      userId: String(invitee.id),
      state: "pending",
      revision: 1,
    })
    const input = { revision: 1, state: "accepted" }
    expect((await owner.graphql(update, { id: pending.id, input })).code).toBe("PERMISSION_ERROR")
    expect((await stranger.graphql(update, { id: pending.id, input })).code).toBe("NOT_FOUND")
    expect((await invitee.graphql(update, { id: pending.id, input: { ...input, revision: 7 } })).code).toBe("CONFLICT")
    expect((await invitee.graphql(update, { id: pending.id, input: { ...input, state: "pending" } })).code).toBe(
      "VALIDATION_ERROR",
    )
    expect((await owner.graphql(end, { id: (await of(owner)).id, revision: 1 })).code).toBe("PERMISSION_ERROR")
    expect(await of(invitee)).toEqual(pending)
  })

  it("show who an invited person is only when they have accepted", async () => {
    const eve = await makePerson(node, "Eve")
    const { list: shared, mine } = await sharedWith(eve, "pending")
    const read = async (person: Person) =>
      (
        await person.graphql("query ($id: ID!) { list(id: $id) { members { name } memberships { user { name } } } }", {
          id: shared.id,
        })
      ).data.list
    expect(await read(owner)).toEqual({
      members: [{ name: "Ann" }],
      memberships: [{ user: { name: "Ann" } }, { user: null }],
    })
    expect((await read(eve)).memberships).toEqual([{ user: { name: "Ann" } }, { user: { name: "Eve" } }])
    await eve.graphql(update, { id: mine.id, input: { revision: 1, state: "accepted" } })
    expect((await read(owner)).memberships[1]).toEqual({ user: { name: "Eve" } })
  })
})
