import express, { type Router } from "express"
import type { Config } from "../../config/config.js"
import type { Context } from "../../context.js"
import type { DatabaseClient } from "../../database/client.js"
import { signingKey } from "../../database/signing-key.js"
import { collectAbandonedUploads } from "../../jobs/abandoned-uploads.js"
import type { MaintenanceJobs } from "../../jobs/maintenance.js"
import { removeBytes } from "../../jobs/removed-bytes.js"
import type { Log } from "../../log.js"
import { expectedPart, keepEtagOfPart } from "../../resources/upload/upload.statements.js"
import { signAddress } from "../../signing/signed-address.js"
import { openStorage, PARTS_PATH } from "../../storage/open-storage.js"
import { downloads } from "./downloads.js"
import { partEndpoint } from "./part-endpoint.js"

/** The bytes of what was deleted are gone within a minute (§6 Files). */
const REMOVE_EVERY_MS = 15_000
const COLLECT_EVERY_MS = 3_600_000

/** What files need of the node. */
export type FileParts = {
  readonly config: Config
  readonly db: Pick<DatabaseClient, "run" | "prisma" | "transaction">
  readonly log: Log
  /** Whether the store is only looked at, and not served from. */
  readonly isVisit?: boolean
  /** Where clients reach the node; known when it listens. */
  publicUrl(): string
  now(): Date
}

/** The bytes of files: where they lie, and the transports through which they come and go without a token. */
export type Files = Pick<Context, "storage" | "sign"> & {
  /** What one of the nodes has to do from time to time. */
  readonly maintenance: MaintenanceJobs
  /** Takes parts below `/storage`, gives files below `/downloads` and thumbnails below `/previews`, each by a signature. */
  readonly router: Router
  stop(): void
}

/**
 * Opens the store and the transports.
 * @throws StoreFault when the files of the database lie in another store
 */
export async function openFiles({ config, db, log, isVisit = false, publicUrl, now }: FileParts): Promise<Files> {
  const key = await signingKey(db, "addresses")
  const { storage, receiver, stop } = await openStorage({
    config,
    db,
    log,
    isVisit,
    publicUrl,
    secret: (name) => signingKey(db, name),
  })
  const router = express.Router()
  if (receiver !== undefined)
    router.use(
      PARTS_PATH,
      partEndpoint({
        ...receiver,
        expected: async (...part) => (await db.run(expectedPart, part))[0],
        keepEtag: (...part) => db.run(keepEtagOfPart, part),
        now,
      }),
    )
  router.use(downloads({ db, storage, now, key }))
  const maintenance: MaintenanceJobs = {
    "remove-bytes": { everyMs: REMOVE_EVERY_MS, run: (signal) => removeBytes({ db, storage, log }, signal) },
    "collect-uploads": {
      everyMs: COLLECT_EVERY_MS,
      run: (signal) => collectAbandonedUploads({ db, storage, now }, signal),
    },
  }
  return { storage, sign: (path) => signAddress(key, publicUrl(), path, now()), maintenance, router, stop }
}
