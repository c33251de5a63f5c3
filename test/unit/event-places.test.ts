import { describe, expect, it } from "vitest"
import { readCursor, writeCursor } from "../../src/events/cursor.js"
import { readSnapshot } from "../../src/events/snapshot.js"

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

describe("a cursor", () => {
  const cursor = {
    history: "65a1.00000001.16384",
    before: "100:110:100,104",
    after: "110:111:",
    id: "9007199254740991",
  }

  it("comes back as it was written, and fits into an address", () => {
    const text = writeCursor(cursor)
    expect(readCursor(text)).toEqual(cursor)
    expect(text).toMatch(/^[\w-]+$/)
  })

  it.each([
    ["without a part", "65a1/1:1:/1:1:"],
    ["with one too many", "65a1/1:1:/1:1:/1/2"],
    ["with a snapshot that is none", "65a1/1:1:/x/1"],
    ["with an id that is none", "65a1/1:1:/1:1:/-1"],
    ["with an id that no column holds", "65a1/1:1:/1:1:/99999999999999999999"],
  ])("is refused %s", (_case, text) => {
    expect(readCursor(Buffer.from(text).toString("base64url"))).toBeUndefined()
  })
})
