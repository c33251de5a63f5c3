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
  if ((turns.get(of)?.get(key)?.count ?? 0) >= most) throw tooMany(most)
  return oneAfterAnother(of, key, work)
}

type Room = { taken: number; readonly waiting: (() => void)[] }

const rooms = new WeakMap<object, Map<string, Room>>()

/** Lets of what has the same key `atOnce` be under way, and the rest wait in their order. @throws RateLimited when `most` wait */
export async function fewAtOnce<Result>(
  of: object,
  { key, atOnce, most }: { readonly key: string; readonly atOnce: number; readonly most: number },
  work: () => Promise<Result>,
): Promise<Result> {
  const known = rooms.get(of) ?? new Map<string, Room>()
  rooms.set(of, known)
  const room = known.get(key) ?? { taken: 0, waiting: [] }
  known.set(key, room)
  if (room.waiting.length >= most) throw tooMany(most)
  if (room.taken < atOnce) room.taken++
  else await new Promise<void>((resolve) => room.waiting.push(resolve))
  try {
    return await work()
  } finally {
    // Who waits takes over the place.
    const next = room.waiting.shift()
    if (next !== undefined) next()
    else if (--room.taken === 0) known.delete(key)
  }
}

const tooMany = (most: number) =>
  new RateLimited(1, `More than ${most} requests of this kind wait for each other. Try again in a second.`)
