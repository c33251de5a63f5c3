/** Things that wait: those for whom they wait take turns, and the things of one come in their order. */
export type Rotation<Owner, Thing> = {
  readonly size: number
  add(owner: Owner, thing: Thing): void
  /** Takes out the next; undefined when nothing waits. */
  next(): Thing | undefined
}

/** Makes one in which nothing waits. */
export function createRotation<Owner, Thing>(): Rotation<Owner, Thing> {
  const queues = new Map<Owner, Thing[]>()
  let size = 0
  return {
    get size() {
      return size
    },
    add(owner, thing) {
      size++
      const queue = queues.get(owner)
      if (queue === undefined) queues.set(owner, [thing])
      else queue.push(thing)
    },
    next() {
      for (const [owner, queue] of queues) {
        size--
        queues.delete(owner)
        const thing = queue.shift()
        if (queue.length > 0) queues.set(owner, queue)
        return thing
      }
      return undefined
    },
  }
}
