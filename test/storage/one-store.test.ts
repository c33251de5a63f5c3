import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { Config } from "../../src/config/config.js"
import { isSentence } from "../../src/telemetry/sentence.js"
import { runCli } from "../support/cli.js"
import { startNodeOn } from "../support/node.js"
import { createTestDatabase, type TestDatabase } from "../support/postgres.js"
import { temporaryFolder } from "../support/uploads.js"

const S3 = {
  endpoint: "http://127.0.0.1:1",
  region: "us-east-1",
  bucket: "tandem",
  accessKeyId: "k",
  secretAccessKey: "s",
}

let database: TestDatabase
const [first, second] = [temporaryFolder(), temporaryFolder()]
const markOf = (dataDir: string) => readFileSync(join(dataDir, "storage/mark"), "utf8")

/** What a start comes to: it listens, or what it ends with. */
async function start(dataDir: string, settings: Partial<Config> = {}): Promise<string> {
  try {
    const app = await startNodeOn(database.url, { dataDir, ...settings })
    await app.stop()
    return "listens"
  } catch (error) {
    return isSentence(error) ? error.message : `no sentence: ${error}`
  }
}

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

describe("nodes of one database with embedded stores (ours)", () => {
  it("are refused where their folders differ, also at the same time, and served where it is one", async () => {
    const [one, other] = await Promise.all([start(first), start(first)])
    expect([one, other]).toEqual(["listens", "listens"])
    const mark = markOf(first)
    expect(await start(first)).toBe("listens")
    expect(await start(second)).toMatch(
      new RegExp(
        `^DATA_DIR cannot be used for files: the files of this database lie in another store, ${first}/storage on .+, and not in ${second}/storage\\. .*S3_ENDPOINT`,
      ),
    )
    expect(() => markOf(second)).toThrow("ENOENT")
    expect(markOf(first)).toBe(mark)
  })

  it("may use an S3 store, which has nothing to do with the folder", async () => {
    expect(await start(second, { s3: S3, s3PartSignature: "v2" })).toBe("listens")
    expect(await start(second, { s3: S3, s3PartSignature: "relay" })).toBe("listens")
  })

  it("are told by doctor, which marks nothing, and may begin with a new store where the other is lost", async () => {
    vi.stubEnv("DATABASE_URL", database.url)
    vi.stubEnv("DATA_DIR", second)
    const store = async () => (await runCli("doctor", "--json")).json.findings.find((one: any) => one.check === "store")
    expect(await store()).toMatchObject({ ok: false, found: expect.stringContaining(`${first}/storage on `) })
    expect((await runCli("migrate", "--new-store")).code).toBe(0)
    expect(await store()).toBeUndefined()
    expect(() => markOf(second)).toThrow("ENOENT")
    expect(await start(second)).toBe("listens")
    expect(await start(first)).toContain("lie in another store")
    vi.unstubAllEnvs()
  })

  it("are told in a sentence when the folder cannot be written", async () => {
    const fresh = await createTestDatabase()
    const file = join(first, "file")
    writeFileSync(file, "")
    const app = startNodeOn(fresh.url, { dataDir: file })
    await expect(app).rejects.toThrow(
      /^DATA_DIR cannot be used for files: .*file\/storage cannot be written \(ENOTDIR\)\. Name a folder/,
    )
    await fresh.drop()
  })
})
