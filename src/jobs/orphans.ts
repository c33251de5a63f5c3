import { type Id, type Runner, statement } from "../statement.js"
import type { Storage } from "../storage/storage.js"

const BATCH = 1_000

const ownerless = statement(
  "ownerless_keys",
  `select k.key from unnest($1::text[]) k(key)
   where not exists (select from files f where f.storage_key = k.key) and not exists (select from previews p where p.storage_key = k.key)
     and not exists (select from uploads u where u.storage_key = k.key) and not exists (select from storage_deletions d where d.storage_key = k.key)`,
  ([key]) => key as string,
)

const filesBehind = statement(
  "files_behind",
  `select id, storage_key from files where id > $1::bigint order by id limit ${BATCH}`,
  ([id, key]) => ({ id: id as Id, key: key as string }),
)

const overdue = statement(
  "overdue_deletions",
  "select storage_key from storage_deletions where due_at < now() - interval '10 minutes' order by id limit 1000",
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
  readonly db: Runner
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
  for (let last: Id | undefined = "0"; last !== undefined; ) {
    const files: { id: Id; key: string }[] = await db.run(filesBehind, [last])
    for (const { id, key } of files) if (!stored.has(key) && (await storage.sizeOf(key)) === undefined) empty.push(id)
    last = files.at(-1)?.id
  }
  return { ownerless: strays, empty, overdue: await db.run(overdue, []) }
}
