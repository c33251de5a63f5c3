import { describe, expect, it } from "vitest"
import { networkOf } from "../../src/operations/network.js"

describe("networkOf", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["::FFFF:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002::ffff", "2001:db8:1:2::/64"],
    ["2001:db8::5", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["1::", "1:0:0:0::/64"],
  ])("takes %s for %s", (address, network) => {
    expect(networkOf(address)).toBe(network)
  })

  it("is the same for all addresses of 64 bits, and another for the next", () => {
    expect(networkOf("2001:db8::1")).toBe(networkOf("2001:db8::ffff:ffff:ffff:ffff"))
    expect(networkOf("2001:db8::1")).not.toBe(networkOf("2001:db8:0:1::1"))
  })

  it("does not fail without an address", () => {
    expect(networkOf(undefined)).toBe("")
  })
})
