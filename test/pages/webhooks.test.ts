import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { startSession } from "../../src/accounts/session.js"
import { makeMember } from "../support/account.js"
import { createFormClient, type FormClient, type LoadedPage } from "../support/form-client.js"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { type HookNode, startHookNode } from "../webhooks/hooks.js"
import { makeHook } from "../webhooks/make-hook.js"
import { type Received, type Receiver, startReceiver, verified } from "../webhooks/receiver.js"

let node: HookNode
let ann: Person & { readonly browser: FormClient }
let receiver: Receiver

beforeAll(async () => {
  node = await startHookNode()
})
afterAll(() => node.stop())
beforeEach(async () => {
  const person = await makePerson(node, "Ann")
  const browser = createFormClient(node.url)
  browser.cookies.set("tandem", await startSession(node.database, String(person.id), "Mozilla/5.0"))
  ann = Object.assign(person, { browser })
  receiver = await startReceiver()
})
afterEach(() => receiver.stop())

const secretIn = ({ text }: LoadedPage) => /<span class="secret">([^<]*)</.exec(text)?.[1] as string
const idIn = ({ text }: LoadedPage) => /action="\/webhooks\/(\d+)\/test"/.exec(text)?.[1] as string
const checkedIn = ({ text }: LoadedPage) => [...text.matchAll(/name="([a-z_.]+)" checked/g)].map(([, kind]) => kind)
const stored = async (id: string) =>
  (await ann.graphql("query ($id: ID!) { webhook(id: $id) { url events configuration revision listId } }", { id })).data
    .webhook
const create = async (fields: Record<string, string> = {}) =>
  ann.browser.submit(await ann.browser.get("/webhooks/new"), "/webhooks/new", { url: receiver.url, ...fields })

describe("/webhooks/new", () => {
  it("creates a webhook of the account for what is checked, and shows its secret once", async () => {
    expect((await ann.browser.get("/webhooks")).text).toContain('href="/webhooks/new"')
    const page = await create({ configuration: "<a>", "task.created": "on", "reminder.due": "on" })
    expect([page.status, page.title]).toEqual([200, "Webhook"])
    const [id, secret] = [idIn(page), secretIn(page)]
    const events = ["task.created", "reminder.due"]
    expect(await stored(id)).toEqual({ url: receiver.url, events, configuration: "<a>", revision: 1, listId: null })
    const task = await makeTask(ann, await makeList(ann, "Made later"))
    const [told] = await receiver.until(1)
    expect(verified(told as Received, secret)).toMatchObject({ event: "task.created", after: { id: task.id } })
    const again = await ann.browser.get(`/webhooks/${id}`)
    expect(again.text).not.toContain("whsec_")
    expect(again.text).not.toMatch(/<a>|<script/)
    expect(checkedIn(again)).toEqual(events)
  })

  it("creates one for everything when nothing is checked", async () => {
    expect((await stored(idIn(await create()))).events).toBeNull()
  })

  it("shows again what was typed, with what is wrong of it", async () => {
    for (const [url, fault] of [
      ["ftp://x", "must be an absolute http or https URL"],
      ["http://10.0.0.1/", "must not lead to a private, loopback or link-local address"],
      ["", "must have 1 to 255 characters"],
    ] as const) {
      const page = await create({ url, configuration: "kept", "note.deleted": "on" })
      expect([page.status, page.form("/webhooks/new")]).toMatchObject([422, { url, configuration: "kept" }])
      expect(page.text).toContain(`Address ${fault}.`)
      expect(checkedIn(page)).toEqual(["note.deleted"])
    }
    expect((await ann.graphql("{ webhooks { id } }")).data.webhooks).toEqual([])
  })

  it("says when there are twenty", async () => {
    for (let count = 0; count < 20; count++) expect((await create()).status).toBe(200)
    const page = await create()
    expect([page.status, page.text]).toEqual([
      422,
      expect.stringContaining("Your account has 20 webhooks, and none may have more."),
    ])
  })

  it("is for those who are signed in, and takes no form of another site", async () => {
    expect(await createFormClient(node.url).get("/webhooks/new")).toMatchObject({ status: 302 })
    expect((await ann.browser.send("/webhooks/new", { url: receiver.url, csrf: "x" })).status).toBe(403)
    expect((await createFormClient(node.url).send("/webhooks/new", { url: receiver.url })).status).toBe(403)
    expect((await ann.graphql("{ webhooks { id } }")).data.webhooks).toEqual([])
  })
})

describe("/webhooks/:id of its maker", () => {
  it("changes the webhook; a page that is stale changes nothing", async () => {
    const id = idIn(await create({ "task.created": "on", configuration: "old" }))
    const page = await ann.browser.get(`/webhooks/${id}`)
    const url = `${receiver.url}/other`
    const save = (fields: Record<string, string>) => ann.browser.submit(page, `/webhooks/${id}`, fields)
    const saved = await save({ url, configuration: "new", "note.created": "on" })
    expect(saved).toMatchObject({ status: 303, location: `/webhooks/${id}?done=changed` })
    expect((await ann.browser.follow(saved)).text).toContain("Webhook saved.")
    const now = { url, events: ["note.created"], configuration: "new", revision: 2, listId: null }
    expect(await stored(id)).toEqual(now)
    expect((await save({ url: receiver.url })).status).toBe(409)
    const wrong = await ann.browser.submit(await ann.browser.get(`/webhooks/${id}`), `/webhooks/${id}`, { url: "x" })
    expect([wrong.status, wrong.form(`/webhooks/${id}`).url]).toEqual([422, "x"])
    expect(wrong.text).toMatch(/<details open><summary>Change/)
    expect(await stored(id)).toEqual(now)
  })

  it("gives it another secret, sends it a test and deletes it", async () => {
    const first = await create({ "reminder.due": "on" })
    const [id, former] = [idIn(first), secretIn(first)]
    const page = await ann.browser.get(`/webhooks/${id}`)
    const rotated = await ann.browser.submit(page, `/webhooks/${id}/secret`)
    const secret = secretIn(rotated)
    expect([rotated.status, secret === former]).toEqual([200, false])
    expect(await ann.browser.submit(page, `/webhooks/${id}/test`)).toMatchObject({ status: 303 })
    const [told] = await receiver.until(1)
    for (const one of [secret, former]) expect(verified(told as Received, one)).toEqual(told?.body)
    expect(await ann.browser.submit(page, `/webhooks/${id}/delete`)).toMatchObject({
      status: 303,
      location: "/webhooks?done=deleted",
    })
    expect((await ann.browser.get(`/webhooks/${id}`)).status).toBe(404)
  })

  it("is open for changes to nobody else, not even to members of its list", async () => {
    const bob = await makePerson(node, "Bob")
    const list = await makeList(bob, "Bob's")
    await addMember(node, list, ann)
    const { id } = await makeHook(bob, list, receiver.url)
    const page = await ann.browser.get(`/webhooks/${id}`)
    expect(page.text).not.toContain("Change the webhook")
    const csrf = page.form(`/webhooks/${id}/test`).csrf as string
    for (const [path, fields] of [
      [`/webhooks/${id}`, { url: "https://example.org/", revision: "1" }],
      [`/webhooks/${id}/secret`, {}],
      [`/webhooks/${id}/delete`, {}],
    ] as const)
      expect([path, (await ann.browser.send(path, { csrf, ...fields })).status]).toEqual([path, 403])
    const stranger = await makeMember(node, "Cid")
    const theirs = (await stranger.browser.get("/account")).form("/account/name").csrf as string
    for (const path of [`/webhooks/${id}`, `/webhooks/${id}/secret`, `/webhooks/${id}/delete`]) {
      const sent = { csrf: theirs, url: "https://example.org/", revision: "1" }
      expect([path, (await stranger.browser.send(path, sent)).status]).toEqual([path, 404])
    }
    expect((await bob.get(`/webhooks/${id}`)).body).toMatchObject({ url: receiver.url, revision: 1 })
  })
})
