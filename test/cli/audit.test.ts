import { hostname, userInfo } from "node:os"
import { Readable } from "node:stream"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { runCli } from "../support/cli.js"
import { startNode, type TestNode } from "../support/node.js"

let node: TestNode
beforeAll(async () => {
  node = await startNode()
  vi.stubEnv("DATABASE_URL", node.databaseUrl)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await node.stop()
})

const tandem = async (...words: string[]): Promise<any> => {
  const { code, err, json } = await runCli(...words, "--json")
  expect({ code, err }).toEqual({ code: 0, err: "" })
  return json
}
const acts = async () => (await tandem("audit")).map(({ act, subject }: any) => `${act}: ${subject}`)

describe("tandem audit", () => {
  it("shows who did what to whom, the newest first, and stays when the user is deleted", async () => {
    expect(await tandem("audit")).toEqual([])
    const email = "ann@example.org"
    const { id } = await tandem(
      "user",
      "create",
      "--email",
      email,
      "--name",
      "Ann",
      "--password",
      "correct horse battery",
    )
    await tandem("user", "promote", "--user", email)
    await tandem("user", "demote", "--user", email)
    await tandem("user", "reset-password", "--user", email)
    await node.database.prisma.identity.create({
      data: { issuer: "https://a.example", subject: "a", userId: BigInt(id) },
    })
    await tandem("user", "unlink", "--user", email)
    await tandem("user", "disable", "--user", email, "--yes")
    await tandem("user", "enable", "--user", email)
    const { client_id: clientId } = await tandem("app", "create", "--name", "Planner")
    await tandem("app", "rotate-secret", "--client-id", clientId)
    await tandem("token", "create", "--user", email, "--client-id", clientId)
    const [token] = await tandem("token", "list", "--user", email)
    await tandem("token", "revoke", "--id", String(token.id))
    await tandem("app", "delete", "--client-id", clientId)
    await tandem("user", "delete", "--user", email, "--yes")
    const ann = `user ${id}, ${email}`
    expect(await acts()).toEqual([
      `user delete: ${ann}`,
      `app delete: application ${clientId}`,
      `token revoke: token ${token.id}`,
      `token create: ${ann}, for application ${clientId}`,
      `app rotate-secret: application ${clientId}`,
      `app create: application ${clientId}, Planner`,
      `user enable: ${ann}`,
      `user disable: ${ann}`,
      `user unlink: ${ann}`,
      `user reset-password: ${ann}`,
      `user demote: ${ann}`,
      `user promote: ${ann}`,
      `user create: ${ann}`,
    ])
    expect((await tandem("audit", "--limit", "1"))[0]).toEqual({
      occurred_at: expect.stringMatching(/^\d{4}-.*Z$/),
      actor: `${userInfo().username}@${hostname()}`,
      act: "user delete",
      subject: ann,
    })
  })

  it("names a webhook by its host, and not by the rest of its address", async () => {
    const email = "webhooks@example.org"
    const { id } = await tandem("user", "create", "--email", email, "--name", "Webhooks")
    const before = await acts()
    const webhook = await tandem("webhook", "create", "--user", email, "--url", "https://a.example/hidden-path?key=1")
    const named = ["--webhook", String(webhook.id)]
    await tandem("webhook", "update", ...named, "--url", "https://b.example/hidden-too")
    await tandem("webhook", "delete", ...named)
    expect((await acts()).slice(0, -before.length)).toEqual([
      `webhook delete: webhook ${webhook.id}, to b.example`,
      `webhook update: webhook ${webhook.id}, to b.example`,
      `webhook create: webhook ${webhook.id}, to a.example, of user ${id}, ${email}`,
    ])
  })

  it("has nothing of what failed or was only asked about", async () => {
    await tandem("user", "create", "--email", "bob@example.org", "--name", "Bob")
    const before = await acts()
    for (const words of [
      ["user", "create", "--email", "bob@example.org", "--name", "Bob"],
      ["user", "delete", "--user", "bob@example.org"],
      ["user", "disable", "--user", "bob@example.org"],
      ["user", "enable", "--user", "bob@example.org"],
      ["user", "unlink", "--user", "bob@example.org"],
      ["user", "demote", "--user", "bob@example.org"],
      ["user", "promote", "--user", "nobody@example.org"],
      ["app", "delete", "--client-id", "nothing"],
      ["token", "revoke", "--id", "999999"],
      ["token", "create", "--user", "bob@example.org", "--client-id", "nothing"],
      ["webhook", "create", "--user", "bob@example.org", "--url", "http://10.0.0.1/"],
      ["webhook", "delete", "--webhook", "999"],
    ])
      expect((await runCli(...words)).code, words.join(" ")).toBe(1)
    expect(await acts()).toEqual(before)
  })

  it("holds no password and no secret", async () => {
    const password = "a password of the standard input"
    const stdin = vi.spyOn(process, "stdin", "get").mockReturnValue(Readable.from([password]) as never)
    await tandem("user", "create", "--email", "cleo@example.org", "--name", "Cleo", "--password-stdin")
    stdin.mockRestore()
    const { client_secret: secret, client_id: clientId } = await tandem("app", "create", "--name", "Other")
    const { access_token: token } = await tandem(
      "token",
      "create",
      "--user",
      "cleo@example.org",
      "--client-id",
      clientId,
    )
    const text = JSON.stringify(await tandem("audit"))
    for (const hidden of [password, secret, token]) expect(text).not.toContain(hidden)
  })

  it("cannot be changed, not even in the database", async () => {
    const { prisma } = node.database
    for (const change of [
      "update administrative_acts set actor = 'x'",
      "delete from administrative_acts",
      "truncate administrative_acts",
    ])
      await expect(prisma.$executeRawUnsafe(change)).rejects.toThrow(/only added to/)
  })

  it("refuses a limit that is none", async () => {
    expect(await runCli("audit", "--limit", "0")).toMatchObject({ code: 2 })
  })
})
