import { describe, expect, it } from "vitest"
import { isPassword } from "../../src/accounts/password.js"
import { Unavailable } from "../../src/errors.js"

const SIGN_IN = 200

describe("hashing passwords", () => {
  it("is done by few at a time; past 50 that wait it says at once that it is too much, and goes on afterwards", async () => {
    const all = Array.from({ length: SIGN_IN }, () => isPassword("wrong", undefined))
    const settled = await Promise.allSettled(all)
    const refused = settled.filter(({ status }) => status === "rejected") as PromiseRejectedResult[]
    expect(SIGN_IN - refused.length).toBeGreaterThan(50)
    expect(SIGN_IN - refused.length).toBeLessThanOrEqual(52)
    for (const { reason } of refused) expect(reason).toBeInstanceOf(Unavailable)
    expect(await isPassword("wrong", undefined)).toBe(false)
  })
})
