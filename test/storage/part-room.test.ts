import { describe, expect, it } from "vitest"
import { NotFound, TooLarge } from "../../src/errors.js"
import { partRooms } from "../../src/storage/part-room.js"
import type { StoredPart } from "../../src/storage/storage.js"

const UPLOAD = { key: "files/1", uploadId: "u" }
const FILE_SIZE = 10

/** Rooms of a store whose lists come when the test lets them. */
function rooms() {
  const waiting: { answer(parts: StoredPart[] | undefined): void; fail(error: Error): void }[] = []
  const enter = partRooms({
    listParts: () => new Promise((answer, fail) => void waiting.push({ answer, fail })),
  })
  return {
    enter: (partNumber: number) => enter(UPLOAD, partNumber, FILE_SIZE),
    next: () => waiting.shift() as (typeof waiting)[number],
  }
}
const part = (partNumber: number, sizeBytes: number): StoredPart => ({ partNumber, sizeBytes, etag: `${partNumber}` })

describe("the room of a part", () => {
  it("counts one that was stored while the store was asked, and is not in its answer", async () => {
    const { enter, next } = rooms()
    const entering = enter(1)
    next().answer([])
    const first = await entering
    first.take(FILE_SIZE)
    const second = enter(2)
    first.leave(true)
    next().answer([])
    const room = await second
    expect(() => room.hold(1)).toThrow(TooLarge)
    room.leave(false)
  })

  it("keeps nothing of one that could not be entered", async () => {
    const { enter, next } = rooms()
    const failing = enter(1)
    next().fail(new Error("the store is away"))
    await expect(failing).rejects.toThrow("the store is away")
    const closed = enter(1)
    next().answer(undefined)
    await expect(closed).rejects.toThrow(NotFound)
    const entering = enter(1)
    next().answer([part(2, 4)])
    const room = await entering
    room.hold(6)
    expect(() => room.hold(7)).toThrow(TooLarge)
    room.leave(false)
    // Nobody is in any more, so that it is the store that says what is there.
    const again = enter(1)
    next().answer([])
    ;(await again).hold(FILE_SIZE)
  })
})
