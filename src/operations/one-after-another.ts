import { RateLimited } from "../errors.js"

type Turns = Map<string, { last: Promise<unknown>; count: number }>

const turns = new WeakMap<object, Turns>()

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

/** The same, where no more than `most` may be under way and wait. @throws RateLimited */
export async function oneOfFew<Result>(
  of: object,
  { key, most }: { readonly key: string; readonly most: number },
  work: () => Promise<Result>,
): Promise<Result> {
  if ((turns.get(of)?.get(key)?.count ?? 0) >= most)
    throw new RateLimited(1, `More than ${most} requests of this kind wait for each other. Try again in a second.`)
  return oneAfterAnother(of, key, work)
}
