import { once } from "node:events"
import { open } from "node:fs/promises"
import { createServer } from "node:http"
import net, { type AddressInfo } from "node:net"
import { join } from "node:path"
import express, { type Response } from "express"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { NotFound } from "../../src/errors.js"
import { EXPORT_FORMATS, exportAccount } from "../../src/exchange/export-account.js"
import { type Runner, statement } from "../../src/statement.js"
import { dataPages } from "../../src/transports/pages/data.page.js"
import { exportFiles, sendFile } from "../../src/transports/pages/export-file.js"
import { openPage } from "../../src/transports/pages/page.js"
import { pageRouter } from "../../src/transports/pages/router.js"
import { type Member, makeMember } from "../support/account.js"
import { silentLog } from "../support/log.js"
import { startNode, type TestNode } from "../support/node.js"
import { folderOf, runSql } from "../support/postgres.js"

const MIB = 2 ** 20
/** Notes of 1 MiB each: half of them in one task. */
const NOTES = 24
/** Subtasks of 1 kB each, more than a megabyte of them in each of these tasks. */
const SUBTASKS = 1_200
const TASKS_OF_SUBTASKS = 4

let node: TestNode
let ann: Member

beforeAll(async () => {
  node = await startNode()
  ann = await makeMember(node)
  await runSql(
    node.databaseUrl,
    `with t as (insert into tasks (list_id, title, created_by_id, updated_by_id)
       select l.id, 'x', ${ann.id}, ${ann.id} from lists l, generate_series(1, ${NOTES / 2 + 1}) where l.owner_id = ${ann.id} returning id)
     select 1 from t;
     alter table notes disable trigger user;
     insert into notes (task_id, content, created_by_id)
       select (select min(id) from tasks), repeat('x', ${MIB}), ${ann.id} from generate_series(1, ${NOTES / 2})
       union all select id, repeat('y', ${MIB}), ${ann.id} from tasks where id > (select min(id) from tasks);
     alter table notes enable trigger user;
     insert into tasks (list_id, title, created_by_id, updated_by_id)
       select l.id, 'y', ${ann.id}, ${ann.id} from lists l, generate_series(1, ${TASKS_OF_SUBTASKS}) where l.owner_id = ${ann.id};
     alter table subtasks disable trigger user;
     insert into subtasks (task_id, title, created_by_id)
       select id, repeat('😀', 250), ${ann.id} from tasks, generate_series(1, ${SUBTASKS}) where title = 'y';
     alter table subtasks enable trigger user`,
  )
})
afterAll(() => node.stop())

const cookieOf = ({ browser }: Member) => [...browser.cookies].map(([key, value]) => `${key}=${value}`).join("; ")

/** A socket that asks for an export and reads nothing of it. */
async function askOnly(member: Member, url = node.url): Promise<net.Socket> {
  const { hostname, port } = new URL(url)
  const socket = net.connect(Number(port), hostname)
  socket.on("error", () => {}).pause()
  socket.write(`GET /account/export/json HTTP/1.1\r\nHost: ${hostname}:${port}\r\nCookie: ${cookieOf(member)}\r\n\r\n`)
  return socket
}
const busy = () => node.database.status().pools.transactions.busy
const lockFolders = statement("lock_folders", "lock table folders in access exclusive mode", () => true)

describe("What an export holds", () => {
  it.each(EXPORT_FORMATS)("of memory is a few notes, however many there are: %s", async (format) => {
    let most = 0
    const metered: any = {
      ...node.database,
      transaction: (work: (runner: Runner) => Promise<unknown>) =>
        node.database.transaction((inside) =>
          work({
            run(asked, values) {
              let sum = 0
              const read = (bytes: number) => {
                sum += bytes
                most = Math.max(most, sum)
              }
              return inside.run(asked, values, { widestRow: 0, read })
            },
          }),
        ),
    }
    const what = { user: ann, format, host: "example.org", now: new Date() }
    await exportAccount(metered, what, async (pieces) => {
      for await (const piece of pieces) {
        most = Math.max(most, piece.length)
      }
    })
    expect(most).toBeGreaterThan(MIB)
    expect(most).toBeLessThan(4 * MIB)
  })

  it("says of notes and subtasks that a line has no room for where they are", async () => {
    const csv = (await ann.browser.get("/account/export/csv")).text
    expect(csv.match(/\(11 more: an export as JSON has them\)/g)).toHaveLength(1)
    expect(csv.match(/\(210 more: an export as JSON has them\)/g)).toHaveLength(TASKS_OF_SUBTASKS)
    const { data } = JSON.parse((await ann.browser.get("/account/export/json")).text)
    expect(data.notes).toHaveLength(NOTES)
    expect(data.subtasks).toHaveLength(SUBTASKS * TASKS_OF_SUBTASKS)
  })

  it("of the database is given back before it is sent", async () => {
    const socket = await askOnly(ann)
    await once(socket, "readable")
    await expect.poll(busy, { timeout: 20_000 }).toBe(0)
    const second = await ann.browser.get("/account/export/csv")
    expect([second.status, second.headers["retry-after"]]).toEqual([429, "5"])
    expect(second.text).toContain("An export of yours is under way")
    expect(second.headers["content-disposition"]).toBeUndefined()
    socket.destroy()
    await expect.poll(async () => (await ann.browser.get("/account/export/csv")).status, { timeout: 20_000 }).toBe(200)
  })

  it("of the database is held by two at a time, and a third is told to wait", async () => {
    const [bob, eve, dan] = [
      await makeMember(node, "Bob"),
      await makeMember(node, "Eve"),
      await makeMember(node, "Dan"),
    ]
    const both = await node.database.transaction(async (inside) => {
      await inside.run(lockFolders, [])
      const under = [bob, eve].map(({ browser }) => browser.get("/account/export/json"))
      await expect.poll(busy, { timeout: 20_000 }).toBe(3)
      const third = await dan.browser.get("/account/export/json")
      expect([third.status, third.headers["retry-after"]]).toEqual([429, "5"])
      expect(third.text).toContain("exports are under way")
      return under
    })
    for (const { status, headers, text } of await Promise.all(both))
      expect([status, Number(headers["content-length"])]).toEqual([200, Buffer.byteLength(text)])
    expect((await dan.browser.get("/account/export/json")).status).toBe(200)
  })
})

describe("The files that exports are written to", () => {
  let size: number
  beforeAll(async () => {
    const reply = await ann.browser.get("/account/export/json")
    size = Number(reply.headers["content-length"])
  })

  /** The same pages on the same database, with other bounds. */
  async function withBounds(
    bounds: Parameters<typeof exportFiles>[0],
    work: (url: string, ask: (who: Member) => Promise<globalThis.Response>) => Promise<void>,
  ): Promise<void> {
    const parts: any = {
      database: node.database,
      publicUrl: () => "http://127.0.0.1/",
      now: () => new Date(),
      log: silentLog,
    }
    const server = express()
      .use(pageRouter(parts, dataPages(parts, exportFiles(bounds))))
      .listen(0, "127.0.0.1")
    try {
      await once(server, "listening")
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      await work(url, (who) => fetch(`${url}/account/export/json`, { headers: { Cookie: cookieOf(who) } }))
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }

  it("have a bound together: who finds no room is told when to come again, and has it then", async () => {
    const bob = await makeMember(node, "Bob")
    await withBounds({ maxBytes: size + 100 }, async (url, ask) => {
      const socket = await askOnly(ann, url)
      await once(socket, "readable")
      const refused = await ask(bob)
      expect(refused.status).toBe(429)
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
      expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(60)
      expect(await refused.text()).toContain("leave no room for this one. Try again in")
      socket.destroy()
      await expect.poll(async () => (await ask(bob)).status, { timeout: 20_000 }).toBe(200)
    })
  })

  it("have a bound that one alone may reach, and not pass", async () => {
    await withBounds({ maxBytes: size }, async (_url, ask) => {
      const reply = await ask(ann)
      expect([reply.status, (await reply.arrayBuffer()).byteLength]).toEqual([200, size])
    })
    await withBounds({ maxBytes: size - 1 }, async (_url, ask) => {
      const reply = await ask(ann)
      expect([reply.status, reply.headers.get("content-disposition")]).toEqual([413, null])
      expect(await reply.text()).toContain("too large for a page")
      expect((await ask(ann)).status).toBe(413) // not that one is under way
    })
  })

  it("have a deadline by their size, at which they go though somebody reads them", async () => {
    const bob = await makeMember(node, "Bob")
    const bounds = { maxBytes: size + 100, fetchedWithinMs: 1_000, bytesPerMs: size / 1_000 }
    await withBounds(bounds, async (url, ask) => {
      const socket = await askOnly(ann, url)
      await once(socket, "readable")
      let received = 0
      const sip = setInterval(() => {
        received += socket.read(1_000)?.length ?? 0
      }, 50)
      await expect.poll(async () => (await ask(bob)).status, { timeout: 20_000 }).toBe(200)
      clearInterval(sip)
      socket.on("data", (chunk) => {
        received += chunk.length
      })
      socket.resume()
      await once(socket, "close")
      expect(received).toBeLessThan(size)
    })
  })
})

describe("A download", () => {
  it("that fails before it begins is a page that says so, not the file", async () => {
    const fails = openPage({
      path: "/fails",
      get: () => ({
        headers: { "Content-Type": "text/csv", "Content-Length": "9", "Content-Disposition": "attachment" },
        write: () => Promise.reject(new NotFound()),
      }),
    })
    const parts: any = { publicUrl: () => "http://127.0.0.1/" }
    const server = express()
      .use(pageRouter(parts, [fails]))
      .listen(0, "127.0.0.1")
    try {
      await once(server, "listening")
      const reply = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/fails`)
      expect([reply.status, reply.headers.get("content-disposition")]).toEqual([404, null])
      expect(await reply.text()).toMatch(/<\/html>\s*$/)
    } finally {
      server.close()
    }
  })

  it("from which nobody reads is cut, and its file is closed", async () => {
    const file = await open(join(folderOf(node.databaseUrl), "download"), "w+", 0o600)
    await file.write(Buffer.alloc(32 * MIB))
    let sent: Promise<unknown> | undefined
    const server = createServer((_request, response) => {
      response.setHeader("Content-Length", 32 * MIB)
      sent = sendFile(file, response as Response, { stalledMs: 200, dueAt: performance.now() + 60_000 })
      sent.catch(() => {})
    }).listen(0, "127.0.0.1")
    try {
      await once(server, "listening")
      const socket = net.connect((server.address() as AddressInfo).port, "127.0.0.1").pause()
      socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      await expect.poll(() => sent !== undefined, { timeout: 20_000 }).toBe(true)
      await expect(sent).rejects.toThrow()
      expect(file.fd).toBe(-1)
      let received = 0
      socket.on("data", (chunk) => {
        received += chunk.length
      })
      socket.resume()
      await once(socket, "close")
      expect(received).toBeLessThan(32 * MIB)
    } finally {
      server.close()
    }
  })
})
