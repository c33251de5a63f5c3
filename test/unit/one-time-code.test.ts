import { describe, expect, it } from "vitest"
import { newRecoveryCodes, plainCode, shownSecret, stepOfCode } from "../../src/accounts/one-time-code.js"

// The vectors of RFC 6238, appendix B, in six digits.
const secret = Buffer.from("12345678901234567890")
const at = (seconds: number) => new Date(seconds * 1_000)

describe("a code of RFC 6238", () => {
  it.each([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_234_567_890, "005924"],
    [20_000_000_000, "353130"],
  ])("at second %i is %s", (seconds, code) => {
    expect(stepOfCode(secret, code, at(seconds))).toBe(Math.floor(seconds / 30))
  })

  it("is taken one step of 30 seconds early and late, with the step that it is of, and no two", () => {
    const step = Math.floor(1_234_567_890 / 30)
    const begin = step * 30
    for (const seconds of [begin - 30, begin - 1, begin, begin + 29, begin + 59])
      expect([seconds, stepOfCode(secret, "005924", at(seconds))]).toEqual([seconds, step])
    for (const seconds of [begin - 31, begin + 60]) expect(stepOfCode(secret, "005924", at(seconds))).toBeUndefined()
  })

  it.each(["", "05924", "0005924", "00592a", "٠٠٥٩٢٤"])("is not %j", (code) => {
    expect(stepOfCode(secret, code, at(1_234_567_890))).toBeUndefined()
  })
})

describe("what is shown", () => {
  it("of a secret is base32 in groups, and the address that applications open", () => {
    expect(shownSecret(secret, "ann+x@example.org")).toEqual({
      text: "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ",
      address:
        "otpauth://totp/Tandem:ann%2Bx%40example.org?issuer=Tandem&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6&period=30",
    })
  })

  it("of recovery codes is ten of 80 bits, which are read however they are typed", () => {
    const codes = newRecoveryCodes()
    expect(new Set(codes).size).toBe(10)
    for (const code of codes) {
      expect(code).toMatch(/^[A-HJ-NP-Z2-9]{4}(-[A-HJ-NP-Z2-9]{4}){3}$/)
      expect(plainCode(` ${code.toLowerCase().replaceAll("-", " ")} `)).toBe(code.replaceAll("-", ""))
    }
  })
})
