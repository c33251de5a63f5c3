import { describe, expect, it } from "vitest"
import { createBuffer } from "../../src/events/buffer.js"
import { ChangeEvent } from "../../src/events/event.js"
import { createPubSub } from "../../src/events/pub-sub.js"

type Row = { subjectType?: string; listId?: string | null; userId?: string | null; operation?: string; after?: object }
const event = ({ subjectType = "task", listId = "5", userId = null, operation = "CREATE", after = { id: 1 } }: Row) =>
  new ChangeEvent([
    "1",
    "700",
    listId,
    listId && "2",
    userId,
    operation,
    subjectType,
    "1",
    "1",
    null,
    null,
    "2030-01-01 00:00:00+00",
    null,
    JSON.stringify(after),
  ])

describe("the topics of an event", () => {
  it.each([
    ["something in a list", {}, ["list:5"]],
    ["a membership", { subjectType: "membership", after: { user_id: 8 } }, ["list:5", "user:8"]],
    ["a new list", { subjectType: "list", after: { owner_id: 8 } }, ["list:5", "user:8"]],
    ["a list that changes", { subjectType: "list", operation: "UPDATE", after: { owner_id: 8 } }, ["list:5"]],
    ["what one user sees", { subjectType: "setting", listId: null, userId: "8" }, ["user:8"]],
    ["the end of a token", { subjectType: "access_token", listId: null, userId: "8" }, ["access_token"]],
  ] as [string, Row, string[]][])("of %s", (_case, row, topics) => {
    expect(event(row).topics).toEqual(topics)
  })
})

const fail = (error: unknown) => {
  throw error
}

describe("createPubSub", () => {
  it("lets a listener hear an event once, whatever it listens to", () => {
    const pubSub = createPubSub(fail)
    const heard: unknown[] = []
    const hear = (one: unknown) => heard.push(one)
    for (const topic of ["list:5", "user:8", "*"] as const) pubSub.listen(topic, hear)
    pubSub.listen("list:5", hear)
    const joined = event({ subjectType: "membership", after: { user_id: 8 } })
    const others = event({ listId: "6" })
    pubSub.publish(joined)
    pubSub.publish(others)
    expect(heard).toEqual([joined, others])
    expect(pubSub.size()).toBe(3)
  })

  it("lets one that begins to listen because of an event hear the next, not this one", () => {
    const pubSub = createPubSub(fail)
    const heard: string[] = []
    pubSub.listen("list:5", () => {
      heard.push("first")
      pubSub.listen("list:5", late)
    })
    const late = () => void heard.push("late")
    pubSub.publish(event({}))
    pubSub.publish(event({}))
    expect(heard).toEqual(["first", "first", "late"])
  })

  it("lets the others hear what made one fail", () => {
    const violations: unknown[] = []
    const pubSub = createPubSub((error) => violations.push(error))
    const heard: string[] = []
    pubSub.listen("list:5", () => fail("broken"))
    pubSub.listen("list:5", () => void heard.push("second"))
    pubSub.publish(event({}))
    expect([violations, heard]).toEqual([["broken"], ["second"]])
  })

  it("forgets, and keeps nothing of a topic that nobody listens to", () => {
    const pubSub = createPubSub(fail)
    const hear = () => {
      throw new Error("was forgotten")
    }
    pubSub.listen("list:5", hear)
    pubSub.forget("list:5", hear)
    pubSub.forget("list:6", hear)
    pubSub.publish(event({}))
    expect(pubSub.size()).toBe(0)
  })
})

describe("createBuffer", () => {
  const sized = (length: number) => ({ length })

  it("gives back in order what fits, and says when something did not", () => {
    const held = createBuffer<{ length: number }>(3, 10)
    for (const n of [1, 2, 7]) held.add(sized(n))
    expect([held.hasOverflowed(), held.next(), held.next(), held.next(), held.next()]).toEqual([
      false,
      sized(1),
      sized(2),
      sized(7),
      undefined,
    ])
    for (let n = 0; n < 5; n++) held.add(sized(0))
    expect([held.hasOverflowed(), held.hasOverflowed(), held.next()]).toEqual([true, false, undefined])
    held.add(sized(9))
    expect(held.next()).toEqual(sized(9))
  })

  it("holds no more characters than it may", () => {
    const held = createBuffer<{ length: number }>(3, 10)
    held.add(sized(10))
    expect(held.hasOverflowed()).toBe(false)
    held.add(sized(1))
    expect([held.hasOverflowed(), held.next()]).toEqual([true, undefined])
  })
})
