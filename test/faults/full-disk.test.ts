import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chmodSync, cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { App } from "../../src/app.js"
import { type DebianServer, hasDebianPostgres, makeDebianFolder, openDebianServer } from "../support/debian-postgres.js"
import { makePerson, makeTask, type Person } from "../support/make.js"
import { startNodeOn } from "../support/node.js"

const folder = mkdtempSync(join(tmpdir(), "tandem-full-disk-"))
const disk = join(folder, "disk")
const canMount = hasDebianPostgres && mountDisk()
if (!canMount) console.warn("A disk of its own cannot be made here: not tried what happens when it is full")

function mountDisk(): boolean {
  chmodSync(folder, 0o755)
  makeDebianFolder(disk)
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=96m,mode=755", "tmpfs", disk], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

const fill = (name: string) => {
  try {
    for (let count = 0; ; count++) writeFileSync(join(disk, `${name}-${count}`), Buffer.alloc(8_192))
  } catch {
    return // no byte is left
  }
}
const clear = () => execFileSync("find", [disk, "-maxdepth", "1", "-name", "ballast-*", "-delete"])

describe.skipIf(!canMount)("a node whose database's disk is full (ours)", () => {
  let server: DebianServer
  let app: App
  let ann: Person

  beforeAll(async () => {
    makeDebianFolder(join(disk, "of-postgres"))
    server = await openDebianServer(join(disk, "of-postgres", "data"))
    server.init()
    // Its journal lies elsewhere, as is advised: a server without room for that ends at once.
    const journal = join(server.folder, "pg_wal")
    cpSync(journal, join(folder, "journal"), { recursive: true })
    execFileSync("chown", ["-R", "postgres", join(folder, "journal")])
    rmSync(journal, { recursive: true })
    symlinkSync(join(folder, "journal"), journal)
    await server.start({ fsync: "off" })
    await server.ask("create database tandem")
    app = await startNodeOn(server.url, { dataDir: join(folder, "files") })
    ann = await makePerson(app)
  }, 120_000)

  afterAll(async () => {
    await app?.stop()
    await server?.end("SIGKILL")
    if (canMount) execFileSync("umount", ["-l", disk])
    rmSync(folder, { recursive: true, force: true })
  })

  it("answers 503 to what has no room, reads on, keeps what it has acknowledged and nothing else, and goes on by itself", async () => {
    const kept = new Map<string, string>()
    const tasks = await Promise.all(Array.from({ length: 200 }, () => makeTask(ann, { id: ann.inboxId })))
    fill("ballast")
    const refused: any[] = []
    for (const { id } of tasks) {
      const content = randomBytes(20_000).toString("base64")
      const reply = await ann.post("/notes", { task_id: id, content })
      if (reply.status === 201) kept.set(String(id), content)
      else refused.push(reply)
      if (refused.length === 3) break
    }
    expect(refused).toHaveLength(3)
    for (const { status, body, headers } of refused)
      expect([status, body.error.type, headers.get("retry-after")]).toEqual([503, "unavailable", "1"])
    const without = tasks.at(-1).id
    const graphql = await ann.graphql("mutation ($input: CreateNoteInput!) { createNote(input: $input) { id } }", {
      input: { taskId: without, content: randomBytes(20_000).toString("base64") },
    })
    expect([graphql.status, graphql.code]).toEqual([503, "UNAVAILABLE"])
    expect((await ann.get(`/tasks/${without}`)).status).toBe(200)
    expect((await fetch(`${app.url}/healthz`)).status).toBe(200)

    clear()
    await expect
      .poll(async () => (await ann.post("/notes", { task_id: without, content: "There is room." })).status, {
        timeout: 20_000,
      })
      .toBe(201)
    kept.set(String(without), "There is room.")
    const { body: notes } = await ann.get(`/notes?list_id=${ann.inboxId}`)
    expect(new Map(notes.map((note: any) => [String(note.task_id), note.content]))).toEqual(kept)
  })
})
