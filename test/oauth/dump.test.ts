import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { askForToken, authorizePath, type Member, makeApplication, makeMember, PASSWORD } from "../support/account.js"
import { startNode, type TestNode } from "../support/node.js"
import { repetitions } from "../support/repetitions.js"

/** 1,000 were tried, with FLOWS=1000; a secret that is kept as it reads shows in the first. */
const FLOWS = Number(process.env.FLOWS ?? repetitions(200, 16))
const AT_ONCE = 8

let node: TestNode
beforeAll(async () => {
  node = await startNode()
})
afterAll(() => node.stop())

/** Every value of every column of every table. */
async function dump(): Promise<string> {
  const tables = await node.database.prisma.$queryRaw<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`
  const texts = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await node.database.prisma.$queryRawUnsafe<{ row: string }[]>(
        `select to_jsonb(t)::text as row from "${name}" t`,
      )
      return rows.map(({ row }) => row).join("\n")
    }),
  )
  return texts.join("\n")
}

describe(`the database after ${FLOWS} flows`, () => {
  it("holds no token, code, secret, session or password as it reads", { timeout: 120_000 }, async () => {
    const application = await makeApplication(node)
    const people: Member[] = await Promise.all(Array.from({ length: AT_ONCE }, () => makeMember(node)))
    const secrets = new Set<string>([PASSWORD, application.clientSecret])
    let left = FLOWS
    await Promise.all(
      people.map(async ({ browser }) => {
        secrets.add(browser.cookies.get("tandem") as string)
        const path = authorizePath(application, { scope: "offline_access" })
        const fields = (await browser.get(path)).form("/oauth/authorize")
        while (left-- > 0) {
          const { location } = await browser.send(path, { ...fields, decision: "allow" })
          const code = new URL(location ?? "").searchParams.get("code") as string
          const body = {
            client_id: application.clientId,
            client_secret: application.clientSecret,
            code,
            grant_type: "authorization_code",
          }
          const reply = await askForToken(node.url, body)
          for (const secret of [code, reply.body.access_token, reply.body.refresh_token]) secrets.add(secret)
        }
      }),
    )
    expect(secrets.size).toBe(2 + AT_ONCE + 3 * FLOWS)
    const text = await dump()
    // Bytes come out as hex; what is base64 would be found as it is.
    const found = [...secrets].filter(
      (secret) => text.includes(secret) || text.includes(Buffer.from(secret).toString("hex")),
    )
    expect(found).toEqual([])
    expect(text).toContain(application.clientId)
  })
})
