import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeList, makePeople, makePerson, makeTask } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"
import { listen } from "./listener.js"

let node: TestNode
beforeAll(async () => {
  node = await startNode()
})
afterAll(() => node.stop())

describe("listUpdated (§9 Events)", () => {
  it("tells a member of a new task, with the object as GET gives it", async () => {
    const { owner, member, list } = await makePeople(node)
    const listener = listen(member)
    const listening = listener.listUpdated(list.id)
    await listener.run("query { viewer { id } }")
    const task = await makeTask(owner, list, { title: "Buy milk", starred: true })
    const [event] = await listening.until((events) => events.length === 1)
    expect(event).toEqual({
      id: expect.stringMatching(/^\d+$/),
      operation: "CREATE",
      subjectType: "task",
      subjectId: String(task.id),
      listId: String(list.id),
      listRevision: list.revision + 1,
      revision: 1,
      actorId: String(owner.id),
      requestId: expect.any(String),
      occurredAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      before: null,
      after: task,
    })
    await listener.close()
  })
})
