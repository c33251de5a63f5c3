import { createSocket, type Socket } from "node:dgram"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { resolveName } from "../../src/outbound/connect.js"

/** What the name server answers with: RFC 1035, 4.1.1. */
const CODES: Record<string, number> = {
  formerr: 1,
  servfail: 2,
  nxdomain: 3,
  notimp: 4,
  refused: 5,
  nodata: 0,
  single: 2,
}

let server: Socket
let servers: string[]
let lookedUp: string[]
const lookup = async (name: string) => {
  lookedUp.push(name)
  return [{ address: "192.0.2.1", family: 4 }]
}

beforeAll(async () => {
  server = createSocket("udp4").bind(0, "127.0.0.1")
  await once(server, "listening")
  servers = [`127.0.0.1:${(server.address() as AddressInfo).port}`]
  server.on("message", (query, { address, port }) => {
    const label = query.subarray(13, 13 + (query[12] as number)).toString()
    const answer = Buffer.from(query)
    answer.writeUInt16BE(0x8180 | (CODES[label] as number), 2)
    server.send(answer, port, address)
  })
})
afterAll(() => server.close())
beforeEach(() => {
  lookedUp = []
})

describe("resolveName", () => {
  it.each(["nxdomain.test", "nodata.test", "single"])("looks %s up as the system does", async (name) => {
    expect(await resolveName(name, { servers, lookup })).toEqual([{ address: "192.0.2.1", family: 4 }])
    expect(lookedUp).toEqual([name])
  })

  it.each([
    ["servfail.test", "ESERVFAIL"],
    ["refused.test", "EREFUSED"],
    ["notimp.test", "ENOTIMP"],
    ["formerr.test", "EFORMERR"],
  ])("occupies no thread for %s, whose servers fail", async (name, code) => {
    await expect(resolveName(name, { servers, lookup })).rejects.toMatchObject({
      code,
      message: `the name servers fail for ${name}: ${code}`,
    })
    expect(lookedUp).toEqual([])
  })

  it("occupies none where there is no name server", async () => {
    const nowhere = createSocket("udp4").bind(0, "127.0.0.1")
    await once(nowhere, "listening")
    const { port } = nowhere.address() as AddressInfo
    await new Promise<void>((resolve) => nowhere.close(() => resolve()))
    const asked = resolveName("a.test", { servers: [`127.0.0.1:${port}`], lookup })
    await expect(asked).rejects.toMatchObject({ code: expect.stringMatching(/ECONNREFUSED|ETIMEOUT/) })
    expect(lookedUp).toEqual([])
  })
})
