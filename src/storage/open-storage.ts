import type { IncomingMessage, ServerResponse } from "node:http"
import { join } from "node:path"
import type { Config } from "../config/config.js"
import type { Log } from "../log.js"
import { type EmbeddedStore, startEmbeddedStore } from "./embedded/embedded-store.js"
import { type PartSigner, presignParts, signPartsV2 } from "./part-signature.js"
import { type RelayParts, relayTo } from "./relay.js"
import { openBucket } from "./s3.js"
import type { Storage } from "./storage.js"

/** Below this path of the node clients send parts that go to the embedded store, or are relayed. */
export const PARTS_PATH = "/storage"

/** What the storage needs of the node. */
export type StorageParts = {
  readonly config: Pick<Config, "s3" | "s3PartSignature" | "dataDir">
  readonly log: Log
  /** Where clients reach the node; known when it listens. */
  publicUrl(): string
  /** A secret that all nodes of the database share, by its name. */
  secret(name: string): Promise<string>
  /** The MD5 that somebody announced for a part, in hex, by the key of its upload. */
  md5OfPart(key: string, partNumber: number): Promise<string | undefined>
  /** Keeps the ETag of a part that was seen to have the MD5, where it is not the MD5 itself. */
  keepEtag: RelayParts["keepEtag"]
}

/** The storage of one node. */
export type OpenedStorage = {
  readonly storage: Storage
  /** Answers what comes below {@link PARTS_PATH}; undefined when clients send parts to a store of its own. */
  readonly receive: ((request: IncomingMessage, response: ServerResponse) => Promise<void>) | undefined
  stop(): Promise<void>
}

const ACCESS_KEY_ID = "tandem"

/** Opens the store that the settings name, else the embedded one, with the part signatures that they name. */
export async function openStorage(parts: StorageParts): Promise<OpenedStorage> {
  const { config, log, publicUrl, secret, md5OfPart, keepEtag } = parts
  const keysOf = async (name: string) => ({ accessKeyId: ACCESS_KEY_ID, secretAccessKey: await secret(name) })
  const embedded: EmbeddedStore | undefined =
    config.s3 === undefined
      ? await startEmbeddedStore({
          folder: join(config.dataDir, "storage"),
          keys: await keysOf("embedded store"),
          log,
          md5OfPart,
        })
      : undefined
  const s3 = config.s3 ?? embedded?.s3
  if (s3 === undefined) throw new TypeError("There is a store, or the embedded one was started.")
  const bucket = openBucket(s3, log)
  const here = () => `${publicUrl()}${PARTS_PATH}`
  const stop = async () => {
    bucket.stop()
    await embedded?.stop()
  }

  if (config.s3PartSignature === "relay") {
    const keys = await keysOf("parts")
    const signPart = signPartsV2(() => ({ ...keys, endpoint: here(), bucketPath: "", region: s3.region }))
    const receive = relayTo({ bucket, keys, log, md5OfPart, keepEtag })
    return { storage: { ...bucket, signPart }, receive, stop }
  }
  const target = () => ({ ...s3, endpoint: embedded ? here() : s3.endpoint, bucketPath: `/${s3.bucket}` })
  const signPart: PartSigner = config.s3PartSignature === "v2" ? signPartsV2(target) : presignParts(target)
  const receive: OpenedStorage["receive"] =
    embedded && ((request, response) => embedded.handle(request, response, here()))
  return { storage: { ...bucket, signPart }, receive, stop }
}
