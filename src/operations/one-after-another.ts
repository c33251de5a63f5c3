import { RateLimited } from "../errors.js"

type Turns = Map<string, { last: Promise<unknown>; count: number }>

const turns = new WeakMap<object, Turns>()

/** More of one user wait for nothing that they could not ask for later. */
const MAX_WAITING = 20

/** Lets what has the same key wait for each other here: in the database each would hold one of the few connections for it. */
export function oneAfterAnother<Result>(of: object, key: string, work: () => Promise<Result>): Promise<Result> {
  const known = turns.get(of) ?? new Map()
  turns.set(of, known)
  const turn = known.get(key) ?? { last: Promise.resolve(), count: 0 }
  known.set(key, turn)
  turn.count++
  const mine = turn.last.then(work)
  turn.last = mine.then(
    () => end(known, key),
    () => end(known, key),
  )
  return mine
}

function end(known: Turns, key: string): void {
  const turn = known.get(key)
  if (turn !== undefined && --turn.count === 0) known.delete(key)
}

/** The same for what is long and of one user, of which only a few may wait. @throws RateLimited */
export async function oneOfUser<Result>(of: object, key: string, work: () => Promise<Result>): Promise<Result> {
  if ((turns.get(of)?.get(key)?.count ?? 0) >= MAX_WAITING)
    throw new RateLimited(
      1,
      `More than ${MAX_WAITING} requests of this kind wait for each other. Try again in a second.`,
    )
  return oneAfterAnother(of, key, work)
}
