import { Writable } from "node:stream"
import { describe, expect, it } from "vitest"
import { createLog } from "../../src/log.js"

function memory({ isTTY = false } = {}) {
  let text = ""
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += chunk
      done()
    },
  })
  return { stream: Object.assign(stream, { isTTY }), text: () => text }
}

function logged(write: (log: ReturnType<typeof createLog>) => void, level = "info") {
  const { stream, text } = memory()
  write(createLog({ level, isProduction: false }, stream))
  return text()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

describe("createLog", () => {
  it("writes one JSON object a line, with the level in words and the time in UTC", () => {
    const [line, ...others] = logged((log) => log.info({ port: 4000 }, "listening"))
    expect(others).toEqual([])
    expect(line).toEqual({ level: "info", time: expect.any(String), port: 4000, msg: "listening" })
    expect(new Date(line.time).toISOString()).toBe(line.time)
  })

  it("says of an error without words what those say that it holds, or its code", () => {
    const refused = (address: string) => new Error(`connect ECONNREFUSED ${address}`)
    const all = new AggregateError([refused("[::1]:80"), refused("127.0.0.1:80"), refused("127.0.0.1:80")])
    const lines = logged((log) => {
      log.info({ err: all }, "tried")
      log.info({ err: Object.assign(new Error(), { code: "EPIPE" }) }, "tried")
    })
    expect(lines.map(({ err }) => err.message)).toEqual([
      "connect ECONNREFUSED [::1]:80; connect ECONNREFUSED 127.0.0.1:80",
      "EPIPE",
    ])
  })

  it("leaves out what is below the level", () => {
    const lines = logged((log) => {
      log.info("not this")
      log.warn("this")
    }, "warn")
    expect(lines.map((line) => line.msg)).toEqual(["this"])
  })

  it("is readable text on a terminal and JSON on a terminal in production", () => {
    const desk = memory({ isTTY: true })
    createLog({ level: "info", isProduction: false }, desk.stream).info("listening")
    expect(desk.text()).toContain("listening")
    expect(desk.text()).not.toContain('{"')

    const production = memory({ isTTY: true })
    createLog({ level: "info", isProduction: true }, production.stream).info("listening")
    expect(JSON.parse(production.text())).toMatchObject({ msg: "listening" })
  })

  it("keeps a line break in a message inside its line", () => {
    const lines = logged((log) => log.info({ path: '/a\n{"level":"error"}' }, "one\ntwo"))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({ level: "info", msg: "one\ntwo" })
  })

  it("says of an error its kind, message, code and causes, and nothing else it carries", () => {
    const cause = Object.assign(new Error("connection refused"), { code: "ECONNREFUSED" })
    const error = Object.assign(new TypeError("no answer", { cause }), {
      request: { headers: { "x-access-token": "s3cret-token" } },
      parameters: ["s3cret-password"],
    })
    const [line] = logged((log) => log.error({ err: error }, "failed"))
    expect(line.err).toMatchObject({
      type: "TypeError",
      message: "no answer",
      cause: { message: "connection refused", code: "ECONNREFUSED" },
    })
    expect(JSON.stringify(line)).not.toContain("s3cret")
  })

  it("ends at an error that causes itself", () => {
    const error = new Error("round")
    error.cause = error
    const [line] = logged((log) => log.error({ err: error }, "failed"))
    expect(line.err.cause.message).toBe("round")
  })
})
