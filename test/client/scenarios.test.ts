import { expect, it } from "vitest"
import { sharedNode } from "../support/node.js"
import { playMany } from "./play-many.js"

it("three clients that are cut off, lose answers and are killed are level in the end", {
  timeout: 120_000,
}, async () => {
  expect(await playMany(await sharedNode(), 6, Number(process.env.SEED ?? 1))).toEqual([])
})
