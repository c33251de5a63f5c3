import { describe, expect, it } from "vitest"
import { inTurn } from "../../src/transports/pages/import-turn.js"

/** Work that ends when it is told to. */
function heldWork(name: string, begun: string[]) {
  let end: (fails: boolean) => void = () => {}
  const ended = new Promise<string>((resolve, reject) => {
    end = (fails) => (fails ? reject(new Error(name)) : resolve(name))
  })
  const work = () => {
    begun.push(name)
    return ended
  }
  return { work, end }
}
const refused = (text: RegExp) => ({ kind: { status: 429 }, message: expect.stringMatching(text) })

describe("Imports of several users", () => {
  it("are done one after another as they come, one a user and five in all, whether one fails or not", async () => {
    const begun: string[] = []
    const all = ["ann", "bob", "eve", "dan", "joe"].map((name) => ({ name, ...heldWork(name, begun) }))
    const done = all.map(({ name, work }) => inTurn(name, work).catch(({ message }: Error) => `failed ${message}`))
    await expect(inTurn("ann", async () => "twice")).rejects.toMatchObject(refused(/An import of yours/))
    await expect(inTurn("joe", async () => "twice")).rejects.toMatchObject(refused(/An import of yours/))
    await expect(inTurn("kim", async () => "sixth")).rejects.toMatchObject(refused(/Other people's imports/))
    expect(begun).toEqual(["ann"])
    all[0]?.end(true)
    expect(await done[0]).toBe("failed ann")
    const again = heldWork("ann again", begun)
    done.push(inTurn("ann", again.work))
    for (const { end } of [...all.slice(1), again]) end(false)
    expect(await Promise.all(done)).toEqual(["failed ann", "bob", "eve", "dan", "joe", "ann again"])
    expect(begun).toEqual(["ann", "bob", "eve", "dan", "joe", "ann again"])
  })
})
