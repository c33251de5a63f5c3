import { describe, expect, it } from "vitest"
import { createCursors } from "../../src/events/cursor.js"
import { readSnapshot, tightened } from "../../src/events/snapshot.js"
import { createTurns } from "../../src/events/turns.js"

describe("readSnapshot", () => {
  it("sees what was over, and neither what was open nor what had not begun", () => {
    const snapshot = readSnapshot("100:110:100,104,109")
    const seen = Array.from({ length: 13 }, (_, n) => 99 + n).filter((xid) => snapshot?.sees(xid))
    expect(seen).toEqual([99, 101, 102, 103, 105, 106, 107, 108])
  })

  it("reads a snapshot without open transactions", () => {
    const snapshot = readSnapshot("7:7:")
    expect([snapshot?.sees(6), snapshot?.sees(7)]).toEqual([true, false])
  })

  it.each([
    "",
    "1",
    "1:2",
    "1:2:3",
    "2:1:",
    "0:1:",
    "5:9:4",
    "5:9:9",
    "5:9:7,6",
    "5:9:,",
    "-1:2:",
    "1:1e3:",
    "1:2:\n",
    " 1:2:",
    "1:9999999999999999:",
  ])("refuses %j, which PostgreSQL would not read either", (text) => {
    expect(readSnapshot(text)).toBeUndefined()
  })
})

describe("tightened", () => {
  it.each([
    ["100:110:100,104,109", 106, "100:107:100,104"],
    ["100:110:100,104,109", 99, "100:100:"],
    ["100:110:100", 90, "91:91:"],
    ["100:110:100", 200, "100:110:100"],
  ])("makes of %s, which sees nothing of what came after %i, %s", (snapshot, lastXid, expected) => {
    expect(tightened(snapshot, lastXid)).toBe(expected)
    expect(readSnapshot(expected)).toBeDefined()
  })
})

describe("a cursor", () => {
  const cursor = {
    history: "0123456789abcdef",
    before: "100:110:100,104",
    after: "110:111:",
    id: "9007199254740991",
    occurredAt: "2026-11-28T10:00:00.007Z",
  }
  const cursors = createCursors("key")
  const text = cursors.write("7", cursor)

  it("comes back to its user as it was written, at every node, and fits into an address", () => {
    expect(createCursors("key").read("7", text)).toEqual(cursor)
    expect(text).toMatch(/^[\w-]+$/)
  })

  it("is nothing to another user, or under another key", () => {
    expect(cursors.read("8", text)).toBeUndefined()
    expect(createCursors("yek").read("7", text)).toBeUndefined()
  })

  it("is nothing when one character of it is another, missing or too many", () => {
    const others = Array.from(
      text,
      (character, at) => text.slice(0, at) + (character === "A" ? "B" : "A") + text.slice(at + 1),
    )
    for (const other of [...others, ...Array.from(text, (_, at) => text.slice(0, at)), `${text}A`, `${text}=`])
      expect(cursors.read("7", other)).toBeUndefined()
  })

  it("of an earlier version is known for what it is", () => {
    const former = (place: string) => cursors.read("7", Buffer.from(place).toString("base64url"))
    expect(former("65a1b2.00000001.16384/100:110:100,104/110:111:/5")).toBe("former")
    for (const place of ["65a1/1:1:/1:1:", "65a1.00000001.5/1:1:/x/1", "65a1.00000001.5/1:1:/1:1:/-1", "/1:1:/1:1:/1"])
      expect(former(place)).toBeUndefined()
  })
})

describe("turns", () => {
  it("are taken by a few users at a time, by each of them once, in the order in which they asked", async () => {
    const turns = createTurns(2)
    const begun: string[] = []
    const ends: (() => void)[] = []
    for (const user of ["1", "1", "2", "3"])
      void turns.take(user).then((end) => {
        begun.push(user)
        ends.push(end)
      })
    await Promise.resolve().then(() => {})
    expect(begun).toEqual(["1", "2"])
    ends[0]?.()
    await Promise.resolve().then(() => {})
    expect(begun).toEqual(["1", "2", "1"])
  })
})
