import { randomBytes } from "node:crypto"
import { readFile } from "node:fs/promises"
import { hostname } from "node:os"
import { join } from "node:path"
import type { DatabaseClient } from "../../database/client.js"
import { statement } from "../../statement.js"
import { makeFolder, unlessMissing, writeWhole } from "./disk.js"

const MARK = "mark"
const MARK_BYTES = 16

/** Why the embedded store of DATA_DIR cannot be used, in a sentence for the person who set it. */
export class StoreFault extends Error {
  override readonly name = "StoreFault"

  /** @param reason completes "DATA_DIR cannot be used for files: …", and says what to do */
  constructor(reason: string, options?: ErrorOptions) {
    super(`DATA_DIR cannot be used for files: ${reason}`, options)
  }
}

// Not Prisma: each start of a node asks them. Nodes that start at the same time take turns.
const takeTurn = statement("take_turn_with_store", "lock table embedded_stores in share row exclusive mode", () => true)

const storeOfDatabase = statement(
  "embedded_store_of_database",
  "select mark, place from embedded_stores",
  ([mark, place]) => ({ mark: mark as string, place: place as string }),
)

const noteStore = statement(
  "note_embedded_store",
  "insert into embedded_stores (mark, place) values ($1, $2)",
  () => true,
)

const markOf = async (folder: string): Promise<string | undefined> =>
  (await unlessMissing(readFile(join(folder, MARK), "utf8")))?.trim()

const isElsewhere = (folder: string, place: string): StoreFault =>
  new StoreFault(
    `the files of this database lie in another store, ${place}, and not in ${folder}. Let all nodes share that folder, ` +
      "or set S3_ENDPOINT for all of them. Where it is lost: tandem migrate --new-store",
  )

/**
 * Looks whether the files of the database lie in the embedded store of a folder, as far as that is known; changes nothing.
 * @throws StoreFault when they lie in another
 */
export async function requireStore(db: Pick<DatabaseClient, "run">, folder: string): Promise<void> {
  const [known] = await db.run(storeOfDatabase, [])
  if (known !== undefined && known.mark !== (await markOf(folder))) throw isElsewhere(folder, known.place)
}

/**
 * Makes the store of a folder the one of the database, unless it has one: the same mark in both tells that they belong
 * together. Several nodes may have the same folder.
 * @throws StoreFault when the database has another, or the folder cannot be marked
 */
export async function claimStore(db: Pick<DatabaseClient, "transaction">, folder: string): Promise<void> {
  await db.transaction(async (runner) => {
    await runner.run(takeTurn, [])
    const [known] = await runner.run(storeOfDatabase, [])
    if (known !== undefined) return requireStore(runner, folder)
    // The file first: what breaks off in between is a mark that the next start takes over.
    await runner.run(noteStore, [await markedBy(folder), `${folder} on ${hostname()}`])
  })
}

/** The mark of a folder, which gets one when it has none. */
async function markedBy(folder: string): Promise<string> {
  try {
    const known = await markOf(folder)
    if (known !== undefined) return known
    const mark = randomBytes(MARK_BYTES).toString("hex")
    await makeFolder(folder)
    await writeWhole(folder, MARK, mark)
    return mark
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StoreFault(
      `${folder} cannot be written (${code}). Name a folder in which this process may make files, or set S3_ENDPOINT`,
      { cause: error },
    )
  }
}

/** Lets the next node that starts bring a store of its own, because the one that the database names is lost. */
export const forgetStore = ({ prisma }: Pick<DatabaseClient, "prisma">): Promise<unknown> =>
  prisma.embeddedStore.deleteMany()
