import { join } from "node:path"
import type { Config } from "../config/config.js"
import type { DatabaseClient } from "../database/client.js"
import type { Log } from "../log.js"
import { claimStore, requireStore } from "./embedded/claim.js"
import { closeItself } from "./embedded/disk.js"
import { openEmbeddedStore } from "./embedded/embedded-store.js"
import { type PartSigner, signParts } from "./part-signature.js"
import { relayTo } from "./relay.js"
import { openBucket } from "./s3.js"
import type { PartStore, Storage } from "./storage.js"

/** Below this path of the node clients send parts that go to the embedded store, or are relayed. */
export const PARTS_PATH = "/storage"

/** What the storage needs of the node. */
export type StorageParts = {
  readonly config: Pick<Config, "s3" | "s3PartSignature" | "dataDir" | "databaseUrl">
  readonly db: Pick<DatabaseClient, "run" | "transaction">
  readonly log: Log
  /** Whether what is opened is only to be looked at. */
  readonly isVisit: boolean
  /** Where clients reach the node; known when it listens. */
  publicUrl(): string
  /** A secret that all nodes of the database share, by its name. */
  secret(name: string): Promise<string>
}

/** The storage of one node. */
export type OpenedStorage = {
  readonly storage: Storage
  /** What takes parts below {@link PARTS_PATH}; undefined when clients send them to a store of its own. */
  readonly receiver: { readonly store: PartStore; readonly sign: PartSigner } | undefined
  stop(): void
}

/**
 * Opens the store that the settings name, else the embedded one.
 * @throws StoreFault when that is not the one in which the files of the database lie
 */
export async function openStorage({
  config,
  db,
  log,
  isVisit,
  publicUrl,
  secret,
}: StorageParts): Promise<OpenedStorage> {
  const { s3 } = config
  const bucket = s3 && openBucket(s3, log)
  const stop = () => bucket?.stop()
  if (s3 !== undefined && bucket !== undefined && config.s3PartSignature === "v2")
    return {
      storage: { ...bucket, signPart: signParts(() => ({ ...s3, bucketPath: `/${s3.bucket}` })) },
      receiver: undefined,
      stop,
    }

  const keys = { accessKeyId: "tandem", secretAccessKey: await secret("parts"), bucketPath: "" }
  const signPart = signParts(() => ({ ...keys, endpoint: `${publicUrl()}${PARTS_PATH}` }))
  const sign = signParts(() => ({ ...keys, endpoint: "" }))
  if (bucket !== undefined)
    return { storage: { ...bucket, signPart }, receiver: { store: relayTo(bucket), sign }, stop }
  // The embedded PostgreSQL, where it lies there too, decides who may pass.
  if (config.databaseUrl !== undefined) await closeItself(config.dataDir)
  const folder = join(config.dataDir, "storage")
  await (isVisit ? requireStore : claimStore)(db, folder)
  const store = await openEmbeddedStore(folder)
  return { storage: { ...store, signPart }, receiver: { store, sign }, stop }
}
