import { Readable } from "node:stream"
import { Command } from "commander"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { addAppCreate } from "../../src/cli/app-create.js"
import { addAppManage } from "../../src/cli/app-manage.js"
import { addTokenCreate } from "../../src/cli/token-create.js"
import { addTokenManage } from "../../src/cli/token-manage.js"
import { addUserCreate } from "../../src/cli/user-create.js"
import { addUserDelete } from "../../src/cli/user-delete.js"
import { jsonOf } from "../support/cli.js"
import { createClient } from "../support/client.js"
import { createFormClient } from "../support/form-client.js"
import { addMember, makeList, makePeople, makeTask } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"
import { makeFile } from "../support/uploads.js"

let node: TestNode

beforeAll(async () => {
  node = await startNode()
  vi.stubEnv("DATABASE_URL", node.databaseUrl)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await node.stop()
})

/** Runs a command beside the running node; gives what it prints. */
async function tandem(...words: string[]): Promise<any> {
  const program = new Command().exitOverride()
  const [apps, tokens] = [program.command("app"), program.command("token")]
  addAppCreate(apps)
  addAppManage(apps)
  addTokenCreate(tokens)
  addTokenManage(tokens)
  const users = program.command("user")
  addUserCreate(users)
  addUserDelete(users)
  return jsonOf(program, words)
}

describe("tandem app and tandem token, beside a running node", () => {
  it("make a user who can sign in at once", async () => {
    const password = "ｗｉｄｅ letters here"
    await tandem("user", "create", "--email", "Cli.One@example.org", "--name", "Cli", "--password", password)
    const browser = createFormClient(node.url)
    const page = await browser.get("/sign-in")
    const fields = { email: "cli.one@example.org", password: "wide letters here" }
    expect((await browser.submit(page, "/sign-in", fields)).status).toBe(303)
  })

  it("read a password from the standard input, and hold it to the rule of the pages", async () => {
    const create = (email: string, ...words: string[]) =>
      tandem("user", "create", "--email", email, "--name", "Cli", ...words)
    const stdin = vi.spyOn(process, "stdin", "get")
    const type = (text: string) => stdin.mockReturnValue(Readable.from([text]) as unknown as typeof process.stdin)
    type("from a file\n")
    await create("cli.stdin@example.org", "--password-stdin")
    for (const password of ["nine char", "password123", "cli.bad@example.org"]) {
      const refusal = { name: "InvalidFields", message: expect.stringContaining("password ") }
      await expect(create("Cli.Bad@example.org", "--password", password)).rejects.toMatchObject(refusal)
      type(password)
      await expect(create("Cli.Bad@example.org", "--password-stdin")).rejects.toMatchObject(refusal)
    }
    await expect(create("cli.bad@example.org", "--password", "one or other", "--password-stdin")).rejects.toMatchObject(
      {
        code: "commander.conflictingOption",
      },
    )
    stdin.mockRestore()
    expect(await node.database.prisma.user.count({ where: { email: "cli.bad@example.org" } })).toBe(0)
    const browser = createFormClient(node.url)
    const fields = { email: "cli.stdin@example.org", password: "from a file" }
    expect((await browser.submit(await browser.get("/sign-in"), "/sign-in", fields)).status).toBe(303)
  })

  it("give an application another secret and delete it; its tokens end", async () => {
    const { client_id, client_secret } = await tandem(
      "app",
      "create",
      "--name",
      "Planner",
      "--redirect-uri",
      "http://a.example/cb?x=1,2",
    )
    expect(await tandem("app", "list")).toContainEqual({
      client_id,
      name: "Planner",
      dialect: "spec",
      redirect_uris: ["http://a.example/cb?x=1,2"],
      scopes: "read write share manage",
      public: false,
      owner: null,
    })
    const rotated = await tandem("app", "rotate-secret", "--client-id", client_id)
    const errorWith = async (secret: string) => {
      const body = JSON.stringify({ client_id, client_secret: secret, code: "x" })
      const reply = await fetch(`${node.url}/oauth/access_token`, {
        method: "POST",
        body,
        headers: { "Content-Type": "application/json" },
      })
      return ((await reply.json()) as { error: string }).error
    }
    expect([await errorWith(client_secret), await errorWith(rotated.client_secret)]).toEqual([
      "invalid_client",
      "invalid_grant",
    ])
    const user = await tandem("user", "create", "--email", "cli.two@example.org", "--name", "Cli")
    const { access_token } = await tandem("token", "create", "--user", String(user.id), "--client-id", client_id)
    const client = createClient(node.url, { clientId: client_id, token: access_token })
    expect((await client.get("/lists")).status).toBe(200)
    await tandem("app", "delete", "--client-id", client_id)
    await expect.poll(async () => (await client.get("/lists")).status, { timeout: 30_000 }).toBe(401)
    await expect(tandem("app", "delete", "--client-id", client_id)).rejects.toThrow(
      "--client-id: there is no application",
    )
    await expect(tandem("app", "delete", "--client-id", "personal")).rejects.toThrow(
      "--client-id: there is no application",
    )
  })

  it("make personal tokens, which the user sees, and of which nobody has more than 100 by any way", async () => {
    const email = "cli.many@example.org"
    const { id } = await tandem("user", "create", "--email", email, "--name", "Cli")
    const create = (...words: string[]) =>
      tandem("token", "create", "--user", email, "--client-id", "personal", ...words)
    const { access_token: token } = await create("--name", "backup")
    await create("--scope", "read")
    const client = createClient(node.url, { clientId: "personal", token })
    const listed = async () =>
      (await client.graphql("{ viewer { accessTokens { name clientId scopes } } }")).data.viewer.accessTokens
    expect(await listed()).toEqual([
      { name: "backup", clientId: "personal", scopes: ["read", "write", "share", "manage"] },
      { name: "Created by an operator", clientId: "personal", scopes: ["read"] },
    ])
    const { applicationId } = (await node.database.prisma.accessToken.findFirst({ where: { userId: id } })) as {
      applicationId: bigint
    }
    await node.database.prisma.accessToken.createMany({
      data: Array.from({ length: 98 }, (_, n) => ({
        ...{ userId: id, applicationId, name: "old", scopes: ["read"] },
        tokenHash: Buffer.alloc(32, `many ${n}`),
      })),
    })
    const sentence = "you have 100 personal tokens, and nobody may have more"
    await expect(create()).rejects.toThrow(sentence)
    const { errors } = await client.graphql('mutation { createAccessToken(input: { name: "more" }) { token } }')
    expect(JSON.stringify(errors)).toContain(sentence)
    // What an application has is no personal token.
    const { client_id } = await tandem("app", "create", "--name", "Planner")
    expect(await tandem("token", "create", "--user", email, "--client-id", client_id)).toHaveProperty("access_token")
  })

  it("show a user's tokens and end one", async () => {
    const { client_id } = await tandem("app", "create", "--name", "Planner")
    await tandem("user", "create", "--email", "cli.three@example.org", "--name", "Cli")
    const { access_token } = await tandem(
      "token",
      "create",
      "--user",
      "CLI.three@example.org",
      "--client-id",
      client_id,
    )
    const client = createClient(node.url, { clientId: client_id, token: access_token })
    const [token] = await tandem("token", "list", "--user", "cli.three@example.org")
    expect(token).toMatchObject({ id: expect.any(Number), client_id, name: null, last_used_at: null })
    expect((await client.get("/lists")).status).toBe(200)
    expect(await tandem("token", "revoke", "--id", String(token.id))).toEqual({ id: token.id, revoked: true })
    await expect.poll(async () => (await client.get("/lists")).status, { timeout: 30_000 }).toBe(401)
    expect(await tandem("token", "list", "--user", "cli.three@example.org")).toEqual([])
    await expect(tandem("token", "revoke", "--id", "x")).rejects.toThrow("--id: there is no token x")
  })

  it("delete a user with their lists and files, and notify everybody at once, only with --yes", async () => {
    const { owner, member, list, stranger } = await makePeople(node)
    const file = await makeFile(member, await makeTask(owner, list), Buffer.from("hello"))
    await makeFile(owner, await makeTask(owner, list), Buffer.from("their own"))
    const theirs = await makeList(member)
    await addMember(node, theirs, owner)
    const task = await makeTask(member, theirs)
    await makeFile(owner, task, Buffer.from("elsewhere"))
    const kept = await makeFile(member, task, Buffer.from("not theirs"))
    await expect(tandem("user", "delete", "--user", owner.email)).rejects.toThrow(
      `--yes: is required to delete ${owner.email} with the inbox, 1 other lists (1 of them shared) and 3 files`,
    )
    expect((await member.get(`/lists/${list.id}`)).status).toBe(200)
    expect(await tandem("user", "delete", "--user", owner.email.toUpperCase(), "--yes")).toEqual({
      id: owner.id,
      email: owner.email,
      lists: 1,
      files: 3,
      deleted: true,
    })
    expect((await member.get(`/lists/${list.id}`)).status).toBe(404)
    expect((await fetch(file.url)).status).toBe(404)
    expect((await member.get(`/files?task_id=${task.id}`)).body.map(({ id }: any) => id)).toEqual([kept.id])
    await expect.poll(async () => (await owner.get("/user")).status, { timeout: 30_000 }).toBe(401)
    expect((await stranger.get("/user")).status).toBe(200)
    await expect(tandem("user", "delete", "--user", owner.email, "--yes")).rejects.toThrow("--user: there is no user")
  })

  it.each(["not an address", "https://a.example/#fragment", "https://me@a.example/"])(
    "refuse the redirect URI %j",
    async (uri) => {
      await expect(tandem("app", "create", "--name", "x", "--redirect-uri", uri)).rejects.toThrow("redirectUris")
    },
  )

  it("makes tokens and applications with the scopes that are named", async () => {
    const user = await tandem("user", "create", "--email", "cli.scopes@example.org", "--name", "Cli")
    const words = ["--user", String(user.id), "--client-id", "personal", "--scope", "read"]
    const { access_token: token } = await tandem("token", "create", ...words)
    const client = createClient(node.url, { clientId: "personal", token })
    expect((await client.get("/lists")).status).toBe(200)
    expect((await client.post("/lists", { title: "x" })).status).toBe(403)
    const app = await tandem("app", "create", "--name", "Phone", "--public", "--scope", "read,write")
    expect(app).toEqual({ client_id: expect.any(String) })
    expect(await tandem("app", "list")).toContainEqual(
      expect.objectContaining({ ...app, public: true, scopes: "read write" }),
    )
    expect(await tandem("token", "list", "--user", String(user.id))).toMatchObject([{ scopes: "read" }])
    const more = ["--user", String(user.id), "--client-id", app.client_id, "--scope"]
    for (const scope of ["manage", "read,manage"])
      await expect(tandem("token", "create", ...more, scope)).rejects.toThrow(
        "Invalid: scope must be some of those of the application, read, write.",
      )
    await expect(tandem("app", "rotate-secret", "--client-id", app.client_id)).rejects.toThrow("with a secret")
    await expect(tandem("app", "create", "--name", "x", "--scope", "all")).rejects.toThrow("There is no scope all.")
  })
})
