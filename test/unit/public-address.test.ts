import { describe, expect, it } from "vitest"
import { egressPolicy } from "../../src/outbound/egress-policy.js"

describe("egressPolicy", () => {
  const { address, host } = egressPolicy([])

  it.each([
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2606:4700::1111",
    "2a00::1",
    "2001:4860::8888",
  ])("lets %s through", (text) => expect(address(text)).toBe(true))

  it.each([
    "0.0.0.0",
    "0.255.255.255",
    "10.0.0.0",
    "10.255.255.255",
    "100.64.0.0",
    "100.127.255.255",
    "127.0.0.0",
    "127.255.255.255",
    "169.254.0.0",
    "169.254.255.255",
    "172.16.0.0",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "192.168.0.0",
    "192.168.255.255",
    "198.18.0.0",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:8.8.8.8",
    "::ffff:7f00:1",
    "::127.0.0.1",
    "64:ff9b::8.8.8.8",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:808:808::1",
    "3fff::1",
    "fc00::1",
    "fdff::1",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "not an address",
    "",
  ])("keeps %j out", (text) => expect(address(text)).toBe(false))

  it("judges a host as a URL names it; other names are judged where they lead to", () => {
    for (const name of ["example.org", "localhost.example.org", "mylocalhost", "8.8.8.8", "[2606:4700::1111]"])
      expect([name, host(name)]).toEqual([name, true])
    for (const name of [
      "localhost",
      "LocalHost.",
      "x.localhost",
      "ip6-localhost",
      "[::1]",
      "127.0.0.1",
      "10.1.2.3.",
      "",
    ])
      expect([name, host(name)]).toEqual([name, false])
  })

  it("lets allowed networks through, names of this machine with loopback, and nothing beside them", () => {
    const open = egressPolicy(["127.0.0.1/32", "10.1.0.0/16", "fd00::/8"])
    for (const name of ["127.0.0.1", "localhost", "10.1.255.255", "[fd12::1]", "8.8.8.8"])
      expect([name, open.host(name)]).toEqual([name, true])
    for (const name of ["127.0.0.2", "10.2.0.0", "[fc00::1]", "[::1]"])
      expect([name, open.host(name)]).toEqual([name, false])
  })
})
