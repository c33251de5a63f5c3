import { expect, it } from "vitest"
import { sharedNode } from "../support/node.js"
import { playMany } from "./play-many.js"

/** `SCENARIOS` plays another number of them, `SEED` begins elsewhere. */
const COUNT = Number(process.env.SCENARIOS ?? 1_000)
const TIMEOUT_MS = 60_000 + COUNT * 10_000

it(`three clients that are cut off, lose answers and are killed are level in the end, ${COUNT} times: nothing lost, nothing twice, nothing overwritten unasked`, {
  timeout: TIMEOUT_MS,
}, async () => {
  expect(await playMany(await sharedNode(), COUNT, Number(process.env.SEED ?? 1))).toEqual([])
})
