import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../live/listener.js"
import { type Member, makeMember } from "../support/account.js"
import { createFormClient } from "../support/form-client.js"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { deliveriesOf, type HookNode, startHookNode } from "./hooks.js"
import { makeHook } from "./make-hook.js"
import { type Receiver, startReceiver } from "./receiver.js"

let node: HookNode
let ann: Person
let member: Member
let stranger: Member
let list: any
let receiver: Receiver
let hook: { id: number }

beforeAll(async () => {
  node = await startHookNode({ schedule: [0] })
  ann = await makePerson(node, "Ann")
  list = await makeList(ann, "<b>Shop</b>")
  member = await makeMember(node, "Bob")
  stranger = await makeMember(node, "Cid")
  await addMember(node, list, member as unknown as Person)
  receiver = await startReceiver()
  hook = await makeHook(ann, list, `${receiver.url}?a=<i>`)
  await receiver.until(1)
})
afterAll(async () => {
  await node.stop()
  await receiver.stop()
})

const page = () => member.browser.get(`/webhooks/${hook.id}`)
const textOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .replace(/ ([,.])/g, "$1")
    .trim()
const settled = () =>
  eventually(async () => (await deliveriesOf(node, hook)).every(({ status }) => status !== "pending"))

describe("/webhooks", () => {
  it("shows a member the webhooks of their lists, with nothing that runs", async () => {
    const { status, title, text } = await member.browser.get("/webhooks")
    expect([status, title]).toEqual([200, "Webhooks"])
    expect(textOf(text)).toContain(
      `${receiver.url}?a=&lt;i&gt; working For the list &lt;b&gt;Shop&lt;/b&gt;, created by Ann`,
    )
    expect(text).not.toMatch(/<script|<b>|<i>|whsec_/)
  })

  it("shows users without webhooks that there are none, and nobody the page of another user's", async () => {
    expect((await stranger.browser.get("/webhooks")).text).toContain("None of your lists has a webhook")
    expect((await stranger.browser.get(`/webhooks/${hook.id}`)).status).toBe(404)
    expect((await member.browser.get("/webhooks/x")).status).toBe(404)
    expect(await createFormClient(node.url).get("/webhooks")).toMatchObject({
      status: 302,
      location: "/sign-in?next=%2Fwebhooks",
    })
  })

  it("sends a test", async () => {
    const count = receiver.received.length
    const reply = await member.browser.submit(await member.browser.get("/webhooks"), `/webhooks/${hook.id}/test`)
    expect(reply).toMatchObject({ status: 303, location: `/webhooks/${hook.id}?done=test` })
    expect((await member.browser.follow(reply)).text).toContain("Test queued.")
    await receiver.until(count + 1)
    await settled()
    expect(textOf((await page()).text)).toMatch(/Test delivered just now, 1 attempt, answered 204, \d+ ms/)
  })

  it("shows what failed and sends it again", async () => {
    receiver.answer = (response) => response.writeHead(500).end()
    const task = await makeTask(ann, list)
    await eventually(async () => (await deliveriesOf(node, hook)).at(-1)?.status === "failed")
    const failed = await page()
    expect(textOf(failed.text)).toMatch(
      new RegExp(`create task ${task.id} failed just now, 1 attempt, answered 500, \\d+ ms`),
    )
    expect(textOf(failed.text)).toContain("Every attempt has failed since just now.")
    receiver.answer = (response) => response.writeHead(200).end()
    const id = (await deliveriesOf(node, hook)).at(-1)?.id
    const reply = await member.browser.submit(failed, `/webhooks/${hook.id}/deliveries/${id}/again`)
    expect(reply.status).toBe(303)
    await settled()
    expect((await deliveriesOf(node, hook)).at(-1)).toMatchObject({ status: "delivered" })
    expect((await page()).text).not.toContain("Every attempt has failed")
  })

  it("takes no form of a stranger, and none of another site", async () => {
    const count = receiver.received.length
    const strangers = (await stranger.browser.get("/account")).form("/account/name")
    const id = (await deliveriesOf(node, hook))[0]?.id
    for (const path of [`/webhooks/${hook.id}/test`, `/webhooks/${hook.id}/deliveries/${id}/again`]) {
      expect((await stranger.browser.send(path, { csrf: strangers.csrf as string })).status).toBe(404)
      expect((await member.browser.send(path, { csrf: "x" })).status).toBe(403)
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(receiver.received).toHaveLength(count)
  })

  it("goes back page by page", async () => {
    for (let count = 0; count < 30; count++) await makeTask(ann, list)
    await settled()
    const first = await page()
    const older = /href="([^"]*\?after=[^"]*)"/.exec(first.text)?.[1] as string
    const second = await member.browser.get(older)
    const again = (text: string) => [...text.matchAll(/deliveries\/(\d+)\/again/g)].map(([, id]) => Number(id))
    const all = (await deliveriesOf(node, hook)).map(({ id }) => id).reverse()
    expect([...again(first.text), ...again(second.text)]).toEqual(all)
    expect(again(first.text)).toHaveLength(25)
    expect(second.text).not.toContain("?after=")
    expect((await member.browser.get(`/webhooks/${hook.id}?after=nonsense`)).status).toBe(422)
  })
})
