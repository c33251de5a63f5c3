import { describe, expect, it } from "vitest"
import { createHeldMemory } from "../../src/operations/held-memory.js"
import { jsonInPieces } from "../../src/operations/json-pieces.js"
import { createShares } from "../../src/operations/shares.js"
import { createTurns, ENTRIES_PER_TURN } from "../../src/operations/turns.js"

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

describe("the turns of a node", () => {
  it("let one large piece of work begin in each turn of the event loop, of those who wait in turn", async () => {
    const { take } = createTurns()
    const begun: string[] = []
    expect(take("ann", ENTRIES_PER_TURN)).toBeUndefined()
    for (const who of ["ann", "ann", "ann", "bob"])
      void take(who, ENTRIES_PER_TURN)?.then(() => begun.push(`${who} ${begun.length}`))
    expect(begun).toEqual([])
    const seen: number[] = []
    for (let turn = 0; turn < 5; turn++) {
      await nextTurn()
      seen.push(begun.length)
    }
    // Each turn adds one at most, and Bob does not wait until Ann has nothing left.
    expect(seen.every((count, turn) => count <= turn + 1)).toBe(true)
    expect(begun.slice(0, 2)).toEqual(["ann 0", "bob 1"])
    expect(begun).toHaveLength(4)
    expect(take("ann", 1)).toBeUndefined()
  })
})

describe("the share of a user", () => {
  /** Statements that end when they are told to. */
  function run(hasLarge = false) {
    const memory = createHeldMemory()
    const share = createShares(() => hasLarge).of("1")
    const underWay: { name: string; end(): void }[] = []
    const answer = (name: string) => {
      const held = memory.of("1")
      const read = () =>
        share.run(held, () => new Promise<string>((resolve) => underWay.push({ name, end: () => resolve(name) })))
      return { held, read }
    }
    return { answer, underWay }
  }

  it("has 16 statements under way, and 4 while large answers are held", () => {
    for (const [hasLarge, most] of [
      [false, 16],
      [true, 4],
    ] as const) {
      const { answer, underWay } = run(hasLarge)
      const { read } = answer("many")
      for (let count = 0; count < 40; count++) void read()
      expect(underWay).toHaveLength(most)
    }
  })

  it("goes on with one statement of each answer in turn", async () => {
    const { answer, underWay } = run(true)
    const [many, one] = [answer("many"), answer("one")]
    for (let count = 0; count < 20; count++) void many.read()
    void one.read()
    for (const { end } of underWay.slice(0, 2)) end()
    await nextTurn()
    expect(underWay.map(({ name }) => name)).toEqual(["many", "many", "many", "many", "many", "one"])
  })

  it("runs nothing more for an answer that has ended", async () => {
    const { answer, underWay } = run(true)
    const { held, read } = answer("many")
    const outcomes = Array.from({ length: 10 }, () => read().catch((error: Error) => error.message))
    held.release()
    for (const { end } of underWay) end()
    const told = await Promise.all(outcomes)
    expect(underWay).toHaveLength(4)
    expect(told.filter((outcome) => outcome === "many")).toHaveLength(4)
    expect(told.filter((outcome) => outcome.includes("no longer waiting"))).toHaveLength(6)
  })
})

describe("JSON in pieces", () => {
  const held = { turn: () => undefined } as never
  it("is what JSON.stringify writes", async () => {
    const task = (id: number) => ({ id, title: 'a "quoted"\n\u2028 \ud800 é', done: null, left: undefined, tags: [] })
    const nested = { lists: [{ tasks: Array.from({ length: 2_500 }, (_, id) => task(id)) }, null, [], {}, [[1], []]] }
    const bare = Object.assign(Object.create(null), { __proto__: null, x: { y: [undefined, { z: undefined }] }, 1: 2 })
    const values = [nested, bare, [], {}, "x", null, 7, [[[]]], [undefined], { a: {}, b: { c: {} } }]
    // Beside what is too long to be written at once, each is walked through.
    const long = "x".repeat(40_000)
    const walked = values.flatMap((value) => [value, [value, long, value], { a: value, long, b: [[value, [long]]] }])
    for (const value of walked) expect(await jsonInPieces(value, held)).toBe(JSON.stringify(value))
  })

  it("is made in as many turns as it is long", async () => {
    let turns = 0
    const counting = { turn: () => void turns++ } as never
    const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, title: "x".repeat(100) }))
    for (const value of [{ rows }, rows.map((row) => [{ row }]), [rows]]) {
      turns = 0
      const text = await jsonInPieces(value, counting)
      expect(text).toBe(JSON.stringify(value))
      expect(turns).toBeGreaterThan(text.length / 300_000)
    }
  })
})
