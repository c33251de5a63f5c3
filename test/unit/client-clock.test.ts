import { expect, it } from "vitest"
import { heldFor } from "../../src/client/command.js"

it("a command is held as long as it can be taken back, and no longer where the clock is set back meanwhile", () => {
  const given = Date.parse("2031-05-01T12:00:00Z")
  const command = { at: new Date(given).toISOString(), heldUntil: given + 5_000 } as Parameters<typeof heldFor>[0]
  const after = (ms: number) => heldFor(command, given + ms)
  expect([after(0), after(4_000), after(5_000), after(9_000)]).toEqual([5_000, 1_000, 0, 0])
  expect([after(-3_600_000), after(-20)]).toEqual([0, 5_020])
  expect(heldFor({ ...command, heldUntil: undefined } as typeof command, given)).toBe(0)
})
