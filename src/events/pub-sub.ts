import type { ChangeEvent, Topic } from "./event.js"

/** Called in the order of events, and not awaited. */
export type Listener<Event> = (event: Event) => void

/** Hands the events of this process's tail to the listeners of their topics. "*" gets everything, ends of tokens too. */
export type PubSub<Event extends ChangeEvent> = {
  /** Each listener hears an event once, whatever it listens to, in the order of the calls. */
  publish(event: Event): void
  listen(topic: Topic | "*", listener: Listener<Event>): void
  forget(topic: Topic | "*", listener: Listener<Event>): void
  /** How many listeners there are, each counted once for each of its topics. */
  size(): number
}

/** Makes one without listeners. What one of them throws goes to `onFault`, and the others hear the event all the same. */
export function createPubSub<Event extends ChangeEvent>(onFault: (error: unknown) => void): PubSub<Event> {
  const listeners = new Map<Topic | "*", Set<Listener<Event>>>()

  function audienceOf(event: Event): Iterable<Listener<Event>> {
    const everywhere = listeners.get("*")
    const audiences = event.topics.flatMap((topic) => listeners.get(topic) ?? [])
    if (everywhere) audiences.push(everywhere)
    const [only] = audiences
    // A listener that is added or removed by an event does not change who gets that event.
    return audiences.length === 1 ? [...(only as Set<Listener<Event>>)] : new Set(audiences.flatMap((set) => [...set]))
  }

  return {
    publish(event) {
      for (const listener of audienceOf(event))
        try {
          listener(event)
        } catch (error) {
          onFault(error)
        }
    },
    listen(topic, listener) {
      const set = listeners.get(topic) ?? new Set()
      listeners.set(topic, set.add(listener))
    },
    forget(topic, listener) {
      const set = listeners.get(topic)
      if (set?.delete(listener) && set.size === 0) listeners.delete(topic)
    },
    size() {
      let count = 0
      for (const set of listeners.values()) count += set.size
      return count
    },
  }
}
