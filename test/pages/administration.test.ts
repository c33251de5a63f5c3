import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type Member, makeMember } from "../support/account.js"
import { createFormClient } from "../support/form-client.js"
import { makeList, makePerson, makeTask } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"

let node: TestNode
let admin: Member
beforeAll(async () => {
  node = await startNode()
  admin = await makeMember(node, "Admin")
  await node.database.prisma.administrator.create({ data: { userId: BigInt(admin.id) } })
})
afterAll(() => node.stop())

describe("/administration", () => {
  it("does not exist for users who are no administrators, and asks others to sign in", async () => {
    const { browser } = await makeMember(node, "Bob")
    for (const path of ["/administration", "/administration/users"]) {
      expect((await browser.get(path)).status).toBe(404)
      expect((await createFormClient(node.url).get(path)).location).toBe(`/sign-in?next=${encodeURIComponent(path)}`)
    }
    expect((await browser.get("/account")).text).not.toContain("/administration")
    expect((await admin.browser.get("/account")).text).toContain('href="/administration"')
  })

  it("shows what is stored, jobs, webhooks that fail by their host, and what operators have done", async () => {
    const { prisma } = node.database
    const owner = await makePerson(node, "Hook")
    const list = await makeList(owner, "A secret list")
    const hook = {
      list_id: list.id,
      url: "https://hooks.example.org/secret-path",
      processor_type: "generic",
      configuration: "",
    }
    const { body } = await owner.post("/webhooks", hook)
    await prisma.webhookEndpoint.update({ where: { webhookId: BigInt(body.id) }, data: { failingSince: new Date() } })
    await prisma.administrativeAct.create({
      data: { actor: "ops@host", act: "user enable", subject: "user 1, <b>x</b>" },
    })
    // A node answers before it writes down its jobs.
    await expect.poll(() => node.database.prisma.maintenanceJob.count(), { timeout: 20_000 }).toBeGreaterThan(0)
    const { status, text } = await admin.browser.get("/administration")
    expect(status).toBe(200)
    expect(text).toMatch(/<p class="name">database bytes<\/p><p class="quiet small">[\d.]+ MB/)
    expect(text).toMatch(/<p class="name">failing webhooks<\/p><p class="quiet small">1</)
    expect(text).toMatch(/<p class="name">events behind<\/p><p class="quiet small">\d+\.\d seconds/)
    expect(text).toContain("delete-leftovers-of-access")
    expect(text).toContain(`<bdi>hooks.example.org</bdi>`)
    expect(text).toContain(owner.email)
    expect(text).toContain("user enable: <bdi>user 1, &lt;b&gt;x&lt;/b&gt;</bdi>")
    expect(text).not.toMatch(/secret-path|A secret list/)
  })

  it("shows users with how much they have, page by page, and nothing of what it is", async () => {
    const owner = await makePerson(node, "Owner")
    const list = await makeList(owner, "A secret list")
    await makeTask(owner, list)
    await makeTask(owner, list)
    for (let made = 0; made < 50; made++) await makePerson(node, `P${made}`)
    const first = await admin.browser.get("/administration/users")
    expect(first.text).toContain(`${owner.email}</bdi>, user ${owner.id} since`)
    expect(first.text).toContain(": 1 list, 2 tasks, 0 bytes of files")
    expect(first.text).not.toContain("A secret list")
    const next = /href="(\/administration\/users\?after=\d+)"/.exec(first.text)?.[1] as string
    const second = await admin.browser.get(next)
    expect(second.text).toContain("p49.")
    expect(first.text).not.toContain("p49.")
    expect(second.text).not.toContain("?after=")
    expect((await admin.browser.get("/administration/users?after=none")).status).toBe(200)
  })

  it("counts whole tables over connections that nothing else waits for", async () => {
    const searching = vi.spyOn(node.database.searching, "run")
    for (const path of ["/administration", "/administration/users"]) await admin.browser.get(path)
    expect(searching.mock.calls.map(([{ name }]) => name)).toEqual(["stored_figures", "users_in_numbers"])
    searching.mockRestore()
  })

  it("ends with the promotion, at once", async () => {
    await node.database.prisma.administrator.delete({ where: { userId: BigInt(admin.id) } })
    expect((await admin.browser.get("/administration")).status).toBe(404)
  })
})
