import { addMember, makeList, makePerson, type Person } from "../support/make.js"
import type { TestNode } from "../support/node.js"
import { diceOf, play } from "./scenario.js"

/** Each waits for networks and clocks most of its time. */
const AT_ONCE = 4

/** Plays so many scenarios, the first with `seed`. Gives what was wrong in them, with the seed that plays it again. */
export async function playMany(node: TestNode, count: number, seed: number): Promise<string[]> {
  const violations: string[] = []
  let next = seed
  async function playOne(people: readonly [Person, Person], dice: number): Promise<string[]> {
    const list = await makeList(people[0])
    await addMember(node, list, people[1])
    return play(people, list, diceOf(dice))
  }
  async function playSome(): Promise<void> {
    const people = (await Promise.all(["Ann", "Bob"].map((name) => makePerson(node, name)))) as [Person, Person]
    for (let dice = next++; dice < seed + count; dice = next++) {
      const found = await playOne(people, dice).catch((error) => [String(error)])
      violations.push(...found.map((fault) => `SEED=${dice}: ${fault}`))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, playSome))
  return violations
}
