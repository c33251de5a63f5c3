import { randomUUID } from "node:crypto"
import { beforeAll, describe, expect, it } from "vitest"
import { setEmail } from "../../src/accounts/account.rows.js"
import {
  addIdentity,
  idTokenOfSession,
  keepIdentityRequest,
  keepIdToken,
  takeIdentityRequest,
} from "../../src/accounts/identity.rows.js"
import { createMailedLink, findMailedLink, takeMailedLink } from "../../src/accounts/mailed-link.js"
import { endSession, startSession } from "../../src/accounts/session.js"
import { InvalidFields, NotFound } from "../../src/errors.js"
import { createUser } from "../../src/resources/user/user.commands.js"
import { sharedNode, type TestNode } from "../support/node.js"

const AT_ONCE = 8

/** What of many that are started at once is fulfilled, and what the others are refused with. */
async function outcomes<Result>(work: (index: number) => Promise<Result>) {
  const all = await Promise.allSettled(Array.from({ length: AT_ONCE }, (_, index) => work(index)))
  return {
    done: all.filter((one) => one.status === "fulfilled").map(({ value }) => value),
    refused: all.filter((one) => one.status === "rejected").map(({ reason }) => reason),
  }
}

describe("of any number of requests at once, written by Prisma", () => {
  let node: TestNode
  beforeAll(async () => {
    node = await sharedNode()
  })

  const person = async () => {
    const email = `${randomUUID()}@example.org`
    return createUser(node.database, { name: "Ann", email, verified: true })
  }

  it("one uses a mailed link, in a transaction or without one", async () => {
    const { email, id: userId } = await person()
    const link = { email, userId, next: undefined }
    for (const take of [
      (token: string) => takeMailedLink(node.database, "change-email", token),
      (token: string) => node.database.transaction((inside) => takeMailedLink(inside, "change-email", token)),
    ]) {
      const token = await createMailedLink(node.database, "change-email", link)
      const { done, refused } = await outcomes(() => take(token))
      expect(refused).toEqual([])
      expect(done.filter((taken) => taken !== undefined)).toEqual([link])
    }
  })

  it("none uses a link to reset a password that was mailed to a former address", async () => {
    const { email, id: userId } = await person()
    const token = await createMailedLink(node.database, "reset-password", { email, userId, next: undefined })
    expect(await findMailedLink(node.database, "reset-password", token)).toMatchObject({ userId })
    await setEmail(node.database, userId, `${randomUUID()}@example.org`, "test")
    expect(await findMailedLink(node.database, "reset-password", token)).toBeUndefined()
    expect(await takeMailedLink(node.database, "reset-password", token)).toBeUndefined()
  })

  it("one comes back from the provider, and only in its own browser", async () => {
    const asked = { next: "/lists", invitation: undefined }
    await keepIdentityRequest(node.database, "state", "browser", asked)
    await expect(takeIdentityRequest(node.database, "state", "another")).rejects.toThrow(NotFound)
    const { done, refused } = await outcomes(() => takeIdentityRequest(node.database, "state", "browser"))
    expect(done).toEqual([asked])
    expect(refused.every((reason) => reason instanceof NotFound)).toBe(true)
  })

  it("a session that has just ended keeps nothing of its provider, and that is no error", async () => {
    const { id } = await person()
    const [open, ended] = [await startSession(node.database, id, "test"), await startSession(node.database, id, "test")]
    await endSession(node.database, ended)
    for (const cookie of [open, ended]) await keepIdToken(node.database, cookie, "https://issuer", "token")
    expect(await idTokenOfSession(node.database, open)).toMatchObject({ issuer: "https://issuer", idToken: "token" })
    expect(await idTokenOfSession(node.database, ended)).toBeNull()
  })

  it("one user gets an identity, and gets it again", async () => {
    const people = await Promise.all(Array.from({ length: AT_ONCE }, person))
    const give = (index: number) => addIdentity(node.database, String(people[index]?.id), "https://issuer", "subject")
    const { done } = await outcomes(give)
    expect(done.filter(Boolean)).toHaveLength(1)
    expect(await give(done.indexOf(true))).toBe(true)
    expect(await give(done.indexOf(false))).toBe(false)
  })

  it("one user gets an address, and the others are told that it is somebody's", async () => {
    const people = await Promise.all(Array.from({ length: AT_ONCE }, person))
    const wanted = `${randomUUID()}@example.org`
    const { done, refused } = await outcomes((index) =>
      node.database.transaction((inside) => setEmail(inside, String(people[index]?.id), wanted, "test")),
    )
    expect(done).toHaveLength(1)
    expect(refused.map((reason) => reason instanceof InvalidFields && reason.violations)).toEqual(
      Array(AT_ONCE - 1).fill({ email: ["is already in use"] }),
    )
  })
})
