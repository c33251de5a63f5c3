import "reflect-metadata"
import { connect } from "node:net"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { readConfig } from "../../src/config/config.js"
import { collectAbandonedUploads } from "../../src/jobs/abandoned-uploads.js"
import { findOrphans } from "../../src/jobs/orphans.js"
import { removeBytes } from "../../src/jobs/removed-bytes.js"
import { thumbnailIn } from "../../src/resources/preview/preview.commands.js"
import { statement } from "../../src/statement.js"
import type { Storage } from "../../src/storage/storage.js"
import { type Files, openFiles } from "../../src/transports/files/files.js"
import { silentLog } from "../support/log.js"
import { addMember, makeList, makePeople, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"
import { runSql } from "../support/postgres.js"
import { makeFile, makeUpload, sendPart, temporaryFolder } from "../support/uploads.js"

const HELLO = Buffer.from("hello")
const NEW = { file_name: "a.txt", content_type: "text/plain", file_size: 5 }
const DAY_MS = 86_400_000

const run = (name: string, text: string) => (...values: (string | number)[]) => node.database.run(statement(`test_${name}`, text, (row) => row), values) // biome-ignore format: one line
const ageUploads = run("age_uploads", "update uploads set created_at = created_at - interval '25 hours', finished_at = finished_at - interval '25 hours' returning 1") // biome-ignore format: one line
const pending = run("pending", "select storage_key from storage_deletions")
const removeUser = run("remove_user", "delete from users where id = $1::bigint returning 1")
const runNow = run("run_now", "update maintenance_jobs set due_at = now() where name = 'remove-bytes' returning 1")
const keyOfUpload = run("key_of_upload", "select storage_key from uploads where id = $1::bigint")
const keyOfFile = run("key_of_file", "select storage_key from files where id = $1::bigint")

let node: TestNode
let files: Files
let storage: Storage
let owner: Person
let member: Person
let list: { id: number }
let task: { id: number; revision: number }

beforeAll(async () => {
  const dataDir = temporaryFolder()
  node = await startNode({ dataDir })
  // A second pair of hands on the same store, to look at it with.
  const config = { ...readConfig({}), dataDir }
  files = await openFiles({
    config,
    db: node.database,
    log: silentLog,
    publicUrl: () => node.url,
    now: () => new Date(),
  })
  storage = files.storage
  ;({ owner, member, list } = await makePeople(node))
})
beforeEach(async () => {
  task = await makeTask(owner, list)
})
afterAll(async () => {
  files.stop()
  await node.stop()
})

const keys = async () => {
  const found: string[] = []
  for await (const key of storage.keys()) found.push(key)
  return found
}
const openUploads = async () => {
  let count = 0
  for await (const _ of storage.openUploads()) count++
  return count
}
const remove = () => removeBytes({ db: node.database, storage, log: silentLog })
const collect = (nowMs = Date.now()) =>
  collectAbandonedUploads({ db: node.database, storage, now: () => new Date(nowMs) })
/** Which of these there still are. The rows of a deleted list go by themselves, and only then its bytes. */
const left = (stored: readonly string[]) => async () => {
  await remove()
  return (await keys()).filter((key) => stored.includes(key))
}
const keyOf = async ({ id }: { id: number }) => (await keyOfFile(id))[0]?.[0] as string

describe("bytes without an owner", () => {
  it("are gone with a user: their files anywhere, other people's files in their lists, and their unfinished uploads", async () => {
    const leaver = await makePerson(node, "Lea")
    const own = await makeList(leaver, "Own")
    const ownTask = await makeTask(leaver, own)
    await addMember(node, own, member)
    await addMember(node, list, leaver)
    const [inOthers, inOwnList, inInbox] = [
      await makeFile(leaver, task, HELLO),
      await makeFile(member, ownTask, HELLO),
      await makeFile(leaver, await makeTask(leaver, { id: leaver.inboxId }), HELLO),
    ]
    const unused = await makeUpload(leaver, HELLO)
    const { body: unfinished } = await leaver.post("/uploads", NEW)
    await sendPart(unfinished.part, HELLO)
    const [kept, open] = [await makeFile(member, task, HELLO), await openUploads()]
    const stored = await Promise.all([inOthers, inOwnList, inInbox].map(keyOf))
    stored.push((await keyOfUpload(unused.id))[0]?.[0] as string)
    expect(await keys()).toEqual(expect.arrayContaining(stored))
    await removeUser(leaver.id)
    expect((await member.get(`/files/${inOthers.id}`)).status).toBe(404)
    expect((await member.get(`/files?task_id=${task.id}`)).body).toEqual([expect.objectContaining({ id: kept.id })])
    expect((await fetch(inOthers.url)).status).toBe(404)
    expect((await member.get(`/lists/${own.id}`)).status).toBe(404)
    const ends =
      "select before->>'title' from events where subject_type = 'list' and operation = 'DELETE' and list_id = "
    expect(await run("list_ends", `${ends} $1::bigint`)(own.id)).toEqual([["Own"]])
    await expect.poll(left(stored), { timeout: 40_000, interval: 200 }).toEqual([])
    await expect.poll(openUploads, { timeout: 40_000 }).toBe(open - 1)
    expect(await (await fetch(kept.url)).text()).toBe("hello")
  })

  it("are gone after their file, task, list or user is deleted", async () => {
    const other = await makeList(owner, "Other")
    const otherTask = await makeTask(owner, other)
    const [ofFile, ofTask, ofList, ofUser] = [
      await makeFile(owner, task, HELLO),
      await makeFile(owner, task, HELLO),
      await makeFile(owner, otherTask, HELLO),
      await makeFile(member, task, HELLO),
    ]
    const stored = await Promise.all([ofFile, ofTask, ofList, ofUser].map(keyOf))
    expect(await keys()).toEqual(expect.arrayContaining(stored))
    await owner.delete(`/files/${ofFile.id}?revision=1`)
    await removeUser(member.id)
    const { revision } = (await owner.get(`/tasks/${task.id}`)).body
    await owner.delete(`/tasks/${task.id}?revision=${revision}`)
    await owner.delete(`/lists/${other.id}?revision=${(await owner.get(`/lists/${other.id}`)).body.revision}`)
    await expect.poll(left(stored), { timeout: 40_000, interval: 200 }).toEqual([])
    await expect.poll(pending, { timeout: 40_000 }).toEqual([])
  })

  it("are removed by the node itself, without being asked", async () => {
    const file = await makeFile(owner, task, HELLO)
    const key = await keyOf(file)
    await owner.delete(`/files/${file.id}?revision=1`)
    // What a node does every 15 s; the test does not wait so long.
    await expect.poll(() => runNow().catch(() => "not yet"), { timeout: 40_000 }).not.toBe("not yet")
    await expect.poll(keys, { timeout: 40_000 }).not.toContain(key)
  })

  it("stay when the deletion is rolled back, and go in the next turn when the store was away", async () => {
    const file = await makeFile(owner, task, HELLO)
    const key = await keyOf(file)
    expect((await owner.delete(`/files/${file.id}?revision=9`)).status).toBe(400)
    await remove()
    expect(await keys()).toContain(key)
    await owner.delete(`/files/${file.id}?revision=1`)
    const away = { ...storage, remove: () => Promise.reject(new Error("away")) }
    await removeBytes({ db: node.database, storage: away, log: silentLog })
    expect((await pending()).flat()).toEqual([key])
    await remove()
    expect(await keys()).not.toContain(key)
  })

  it("are all removed by a turn that was broken off midway and the one after it", async () => {
    // The node's own turn, which comes each minute, is not to be among them.
    await runSql(node.databaseUrl, "update maintenance_jobs set due_at = now() + interval '1 hour'")
    const made = await Promise.all(Array.from({ length: 12 }, () => makeFile(owner, task, HELLO)))
    const stored = await Promise.all(made.map(keyOf))
    for (const file of made) await owner.delete(`/files/${file.id}?revision=1`)
    const stopping = new AbortController()
    let removed = 0
    const slow: Storage = {
      ...storage,
      async remove(key) {
        await storage.remove(key)
        if (++removed === 8) stopping.abort()
      },
    }
    await removeBytes({ db: node.database, storage: slow, log: silentLog }, stopping.signal)
    expect((await keys()).filter((key) => stored.includes(key))).toHaveLength(4)
    await remove()
    expect((await keys()).filter((key) => stored.includes(key))).toEqual([])
    expect(await pending()).toEqual([])
  })
})

describe("abandoned uploads (§3)", () => {
  it("are ended after 24 hours with their parts and objects; what was used stays", async () => {
    const unfinished = (await owner.post("/uploads", NEW)).body
    await sendPart(unfinished.part, HELLO)
    const unused = await makeUpload(owner, HELLO)
    const file = await makeFile(owner, task, HELLO)
    const before = { keys: (await keys()).length, open: await openUploads() }
    await collect()
    await remove()
    expect({ keys: (await keys()).length, open: await openUploads() }).toEqual(before)
    await ageUploads()
    await collect()
    await remove()
    expect({ keys: (await keys()).length, open: await openUploads() }).toEqual({
      keys: before.keys - 1,
      open: before.open - 1,
    })
    expect((await owner.get(`/uploads/${unfinished.id}/parts?part_number=1`)).status).toBe(404)
    expect((await owner.patch(`/uploads/${unused.id}`, { state: "finished" })).status).toBe(404)
    expect((await sendPart(unfinished.part, HELLO)).status).toBe(404)
    expect((await owner.post("/files", { upload_id: unused.id, task_id: task.id })).status).toBe(422)
    expect(await (await fetch(file.url)).text()).toBe("hello")
  })

  it("are ended at the store too when only it knows of them", async () => {
    const uploadId = await storage.startUpload("tandem/uploads/orphan")
    await collect()
    expect(await storage.listParts({ key: "tandem/uploads/orphan", uploadId })).toEqual([])
    await collect(Date.now() + DAY_MS + 60_000)
    expect(await storage.listParts({ key: "tandem/uploads/orphan", uploadId })).toBeUndefined()
  })
})

describe("an object of another size than its file", () => {
  const raw = (url: string) =>
    new Promise<string>((resolve) => {
      const { hostname, port, pathname, search } = new URL(url)
      let heard = ""
      const socket = connect(Number(port), hostname)
      socket.on("data", (piece) => {
        heard += piece
      })
      socket.on("error", () => {}).on("close", () => resolve(heard))
      const get = `GET ${pathname}${search} HTTP/1.1\r\nHost: x\r\n`
      socket.write(`${get}\r\n${get}Connection: close\r\n\r\n`)
    })

  it("is sent to the announced length and no byte further, also on a connection that is kept", async () => {
    const file = await makeFile(owner, task, HELLO)
    await storage.write(await keyOf(file), Buffer.from("hello\r\nHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"))
    const heard = await raw(file.url)
    expect(heard.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
    expect(heard.match(/\r\n\r\nhello/g)).toHaveLength(2)
    expect(heard).not.toContain("forged")
  })

  it("is cut off when it is too short, rather than to have another answer taken for its end", async () => {
    const file = await makeFile(owner, task, HELLO)
    await storage.write(await keyOf(file), Buffer.from("hel"))
    expect((await raw(file.url)).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(1)
  })

  it("is not read to make a thumbnail", async () => {
    const file = await makeFile(owner, task, Buffer.from("8 bytes."), { content_type: "image/png" })
    let read = 0
    await storage.write(await keyOf(file), Buffer.alloc(3 * 1024 ** 2))
    const counting: Storage = { ...storage, read: (...asked) => storage.read(...asked).finally(() => read++) }
    const stored = { id: BigInt(file.id), storageKey: await keyOf(file), fileSize: 8n }
    const making = thumbnailIn({ db: node.database, storage: counting }, stored, 64)
    await expect(making).rejects.toMatchObject({ errors: ["bad request"] })
    expect(read).toBe(0)
    expect((await owner.get(`/previews?file_id=${file.id}`)).status).toBe(400)
  })
})

describe("orphans, which doctor lists", () => {
  it("are objects without an owner, files without bytes, and deletions that are late", async () => {
    await remove()
    const look = () => findOrphans({ db: node.database, storage })
    expect(await look()).toEqual({ ownerless: [], empty: [], overdue: [] })
    await storage.write("tandem/previews/stray, with a comma", HELLO)
    const [emptied, deleted] = [await makeFile(owner, task, HELLO), await makeFile(owner, task, HELLO)]
    const late = await keyOf(deleted)
    await storage.remove(await keyOf(emptied))
    await owner.delete(`/files/${deleted.id}?revision=1`)
    expect((await look()).overdue).toEqual([])
    await run("delay", "update storage_deletions set due_at = now() - interval '11 minutes' returning 1")()
    expect(await look()).toEqual({
      ownerless: ["tandem/previews/stray, with a comma"],
      empty: [String(emptied.id)],
      overdue: [late],
    })
  })
})
