import { beforeAll, describe } from "vitest"
import type { S3Config } from "../../src/config/s3-config.js"
import { hasSwift, startSwift } from "./swift.js"

/** A store in which files can lie: undefined settings stand for the embedded one. */
export type Store = { readonly s3: S3Config | undefined; stop(): Promise<void> }

const STORES: Record<string, () => Promise<Store>> = {
  "the embedded store": async () => ({ s3: undefined, stop: async () => {} }),
  "OpenStack Swift": startSwift,
}

if (!hasSwift && process.env.CI)
  throw new Error(
    "Swift is not installed: apt-get install swift-proxy swift-account swift-container swift-object memcached",
  )

/** Tests that have to hold whatever the store: the embedded one, and a real one that is not ours where it is installed. */
export function describeStores(tests: (store: () => Store) => void): void {
  for (const [name, start] of Object.entries(STORES)) {
    const isHere = name !== "OpenStack Swift" || hasSwift
    if (!isHere) console.warn("\nNOT TESTED against OpenStack Swift: it is not installed here.\n")
    describe.skipIf(!isHere)(`with ${name}`, () => {
      let store: Store
      beforeAll(async () => {
        store = await start()
        return () => store.stop()
      }, 120_000)
      tests(() => store)
    })
  }
}
