import { LRUCache } from "lru-cache"
import type { Held } from "../context.js"
import { RateLimited } from "../errors.js"
import type { Id, Share } from "../statement.js"
import { createRotation } from "./rotation.js"

/** So many statements of one user are under way at once: more than an answer needs, as a rule. */
const MAX_UNDER_WAY = 16
/** The same while answers of the user are large, and so may be what each of these reads. */
const MAX_LARGE = 4
/** So many of them are under way with Prisma at once, each of which has one of its six connections until it is answered. */
const MAX_OF_PRISMA = 2
/** So many others may wait for them. */
const MAX_WAITING = 5_000
/** A user of whom nothing is under way may be forgotten. */
const MAX_KNOWN_USERS = 20_000

type Waiting = { readonly held: Held; send(): void; refuse(error: unknown): void }

/** What one user has of the database. */
export type UserShare = Share & {
  /**
   * Runs a statement for an answer, at once or when fewer of the user's are under way: one of each of the answers in turn. What
   * waits for an answer that has come to its end is not run any more.
   * @throws RateLimited when too many wait
   */
  run<Rows>(held: Held, read: () => Promise<Rows>): Promise<Rows>
  /** The same for a query of Prisma. */
  runPrisma<Rows>(held: Held, read: () => Promise<Rows>): Promise<Rows>
}

/** The shares of a node's users. */
export type Shares = { of(userId: Id | undefined): UserShare }

/** Makes the shares of one node. @param hasLarge whether answers of a user are large at the moment */
export function createShares(hasLarge: (userId: Id | undefined) => boolean): Shares {
  const users = new LRUCache<Id, UserShare>({ max: MAX_KNOWN_USERS })
  return {
    of(userId) {
      const name = userId ?? "nobody"
      const known = users.get(name)
      if (known !== undefined) return known
      const share = createShare(() => hasLarge(userId))
      users.set(name, share)
      return share
    },
  }
}

function createShare(hasLarge: () => boolean): UserShare {
  const connections: object[] = []
  const statements = createGate(
    (underWay) => underWay < MAX_LARGE || (underWay < MAX_UNDER_WAY && !hasLarge()),
    () => {
      connections.length = 0
    },
  )
  const prisma = createGate((underWay) => underWay < MAX_OF_PRISMA)
  return {
    connections,
    run: statements,
    runPrisma: (held, read) => prisma(held, () => statements(held, read)),
  }
}

/** Lets through what there is room for, and the rest as there is. */
function createGate(hasRoomFor: (underWay: number) => boolean, onIdle = () => {}): UserShare["run"] {
  const waiting = createRotation<Held, Waiting>()
  let underWay = 0

  const hasRoom = () => hasRoomFor(underWay)

  function start<Rows>(read: () => Promise<Rows>): Promise<Rows> {
    underWay++
    const rows = read()
    rows.then(end, end)
    return rows
  }

  function end(): void {
    underWay--
    while (hasRoom()) {
      const next = waiting.next()
      if (next === undefined) break
      if (next.held.over === undefined) next.send()
      else next.refuse(next.held.over)
    }
    if (underWay === 0) onIdle()
  }

  return (held, read) => {
    if (waiting.size === 0 && hasRoom()) return start(read)
    if (waiting.size >= MAX_WAITING) return Promise.reject(new RateLimited(1, TOO_MUCH_WAITS))
    return new Promise((resolve, reject) =>
      waiting.add(held, { held, send: () => start(read).then(resolve, reject), refuse: reject }),
    )
  }
}

const TOO_MUCH_WAITS = `More than ${MAX_WAITING} reads of your requests wait for each other. Ask for less at a time.`
