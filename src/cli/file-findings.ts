import { Unavailable } from "../errors.js"
import { findOrphans } from "../jobs/orphans.js"
import { openFiles } from "../transports/files/files.js"
import type { Workbench } from "./with-database.js"

const NAMED = 20

/** What one check came to. */
export type Finding = { readonly check: string; readonly ok: boolean; readonly found: string }

/** What is wrong with the bytes of files: each orphan by name, as far as they are few. */
export async function fileFindings({ config, database, log }: Workbench): Promise<Finding[]> {
  const files = await openFiles({
    config,
    db: database,
    log,
    publicUrl: () => "http://localhost",
    now: () => new Date(),
  })
  try {
    const { ownerless, empty, overdue } = await findOrphans({ db: database, storage: files.storage })
    return [
      finding("objects", ownerless, "objects in the store belong to nothing"),
      finding("files", empty, "files have no bytes in the store"),
      finding("deletions", overdue, "objects should have been removed from the store"),
    ]
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    return [{ check: "store", ok: false, found: "the object store cannot be reached" }]
  } finally {
    files.stop()
  }
}

function finding(check: string, orphans: readonly string[], text: string): Finding {
  if (orphans.length === 0) return { check, ok: true, found: "as promised" }
  const named = orphans.slice(0, NAMED).join(", ")
  return { check, ok: false, found: `${orphans.length} ${text}: ${named}${orphans.length > NAMED ? ", …" : ""}` }
}
