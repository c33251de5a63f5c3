import type { Transacted } from "../context.js"
import { type Id, statement } from "../statement.js"
import type { Storage } from "../storage/storage.js"

const BATCH = 1_000
const OVERDUE_MS = 600_000

// Not Prisma: one look at four tables, which gives no rows but the odd ones.
const ownerless = statement(
  "ownerless_keys",
  `select k.key from unnest($1::text[]) k(key)
   where not exists (select from files f where f.storage_key = k.key) and not exists (select from previews p where p.storage_key = k.key)
     and not exists (select from uploads u where u.storage_key = k.key) and not exists (select from storage_deletions d where d.storage_key = k.key)`,
  ([key]) => key as string,
)

/** Where the database and the store disagree. */
export type Orphans = {
  /** Keys of objects that no row owns and none says are to be removed. */
  readonly ownerless: readonly string[]
  /** Files without bytes. */
  readonly empty: readonly Id[]
  /** Keys of objects that should have been removed ten minutes ago. */
  readonly overdue: readonly string[]
}

/** Compares all that lies in the store with all that should. Changes nothing; what changes meanwhile is no orphan. */
export async function findOrphans({
  db,
  storage,
}: {
  readonly db: Pick<Transacted, "run" | "prisma">
  readonly storage: Storage
}): Promise<Orphans> {
  const stored = new Set<string>()
  for await (const key of storage.keys()) stored.add(key)

  const strays: string[] = []
  const keys = [...stored]
  for (let first = 0; first < keys.length; first += BATCH) {
    // Quoted, for what others put under our prefix may hold a comma.
    const batch = keys.slice(first, first + BATCH).map((key) => JSON.stringify(key))
    for (const key of await db.run(ownerless, [batch])) if ((await storage.sizeOf(key)) !== undefined) strays.push(key)
  }

  const empty: Id[] = []
  for (let last: bigint | undefined = 0n; last !== undefined; ) {
    const where = { id: { gt: last } }
    const select = { id: true, storageKey: true }
    const files: { id: bigint; storageKey: string }[] = await db.prisma.file.findMany({
      ...{ where, select, orderBy: { id: "asc" }, take: BATCH },
    })
    for (const { id, storageKey } of files)
      if (!stored.has(storageKey) && (await storage.sizeOf(storageKey)) === undefined) empty.push(String(id))
    last = files.at(-1)?.id
  }
  const overdue = await db.prisma.storageDeletion.findMany({
    where: { dueAt: { lt: new Date(Date.now() - OVERDUE_MS) } },
    ...{ select: { storageKey: true }, orderBy: { id: "asc" }, take: BATCH },
  })
  return { ownerless: strays, empty, overdue: overdue.map(({ storageKey }) => storageKey) }
}
