import { Unavailable } from "../errors.js"
import { findOrphans } from "../jobs/orphans.js"
import { StoreFault } from "../storage/embedded/claim.js"
import { type Files, openFiles } from "../transports/files/files.js"
import type { Workbench } from "./with-database.js"

const NAMED = 20

/** What one check came to: a sentence for people, and its figures for programs where there are any. */
export type Finding = {
  readonly check: string
  readonly ok: boolean
  readonly found: string
  readonly figures?: Readonly<Record<string, unknown>>
}

/** What is wrong with the bytes of files: each orphan by name, as far as they are few. */
export async function fileFindings({ config, database, log }: Workbench): Promise<Finding[]> {
  let files: Files | undefined
  try {
    files = await openFiles({
      config,
      db: database,
      log,
      isVisit: true,
      publicUrl: () => "http://localhost",
      now: () => new Date(),
    })
    const { ownerless, empty, overdue } = await findOrphans({ db: database, storage: files.storage })
    return [
      finding("objects", ownerless, "objects in the store belong to nothing"),
      finding("files", empty, "files have no bytes in the store"),
      finding("deletions", overdue, "objects should have been removed from the store"),
    ]
  } catch (error) {
    if (error instanceof StoreFault) return [{ check: "store", ok: false, found: error.message }]
    if (!(error instanceof Unavailable)) throw error
    return [{ check: "store", ok: false, found: "the object store cannot be reached" }]
  } finally {
    files?.stop()
  }
}

function finding(check: string, orphans: readonly string[], text: string): Finding {
  if (orphans.length === 0) return { check, ok: true, found: "as promised" }
  const named = orphans.slice(0, NAMED).join(", ")
  return { check, ok: false, found: `${orphans.length} ${text}: ${named}${orphans.length > NAMED ? ", …" : ""}` }
}
