import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Demo, isEmpty, makeDemo } from "../../src/accounts/demo.js"
import { createClient } from "../support/client.js"
import { startNode, type TestNode } from "../support/node.js"

describe("the demo account", () => {
  let node: TestNode
  let demo: Demo
  beforeAll(async () => {
    node = await startNode()
  })
  afterAll(() => node.stop())

  it("is made with a list and tasks by the first start, for which Prisma is not loaded", async () => {
    expect(await isEmpty(node.database)).toBe(true)
    demo = await makeDemo(node.database, "spec")
    expect(node.database.status().pools.prisma.open).toBe(0)
    expect(await isEmpty(node.database)).toBe(false)
    expect(demo.password).toMatch(/^[\w-]{16}$/)
    const tasks = await clientOf(demo).get(`/tasks?list_id=${demo.listId}`)
    expect(tasks.body.map(({ title }: any) => title)).toContain("Read the README")
  })

  it("keeps its list and password when it is made again, with another application and token", async () => {
    const again = await makeDemo(node.database, "spec")
    expect(again).toMatchObject({ userId: demo.userId, listId: demo.listId, password: undefined })
    expect(again.clientId).not.toBe(demo.clientId)
    expect((await clientOf(again).get("/lists")).body).toHaveLength(2)
  })

  const clientOf = ({ clientId, accessToken }: Demo) => createClient(node.url, { clientId, token: accessToken })
})
