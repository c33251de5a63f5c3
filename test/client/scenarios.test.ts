import { beforeAll, describe, expect, it } from "vitest"
import { addMember, makeList, makePerson, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"
import { diceOf, play } from "./scenario.js"

/** `SCENARIOS=1000` plays that many; `SEED` begins elsewhere. */
const COUNT = Number(process.env.SCENARIOS ?? 12)
const SEED = Number(process.env.SEED ?? 1)
/** Each waits for networks and clocks most of its time. */
const AT_ONCE = 4

let node: TestNode
beforeAll(async () => {
  node = await sharedNode()
})

describe("three clients that are cut off, lose answers and are killed", () => {
  it(
    `are level with the service in the end, ${COUNT} times: nothing lost, nothing twice, nothing overwritten unasked`,
    async () => {
      const violations: string[] = []
      let next = SEED
      async function playOne(people: readonly [Person, Person], seed: number): Promise<string[]> {
        const list = await makeList(people[0])
        await addMember(node, list, people[1])
        return play(people, list, diceOf(seed))
      }
      async function playSome(): Promise<void> {
        const people = (await Promise.all(["Ann", "Bob"].map((name) => makePerson(node, name)))) as [Person, Person]
        for (let seed = next++; seed < SEED + COUNT; seed = next++) {
          const found = await playOne(people, seed).catch((error) => [String(error)])
          violations.push(...found.map((fault) => `SEED=${seed}: ${fault}`))
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, playSome))
      expect(violations).toEqual([])
    },
    60_000 + COUNT * 10_000,
  )
})
