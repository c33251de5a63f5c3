import type { Socket } from "node:net"
import { createClient as createSseClient } from "graphql-sse"
import { createClient, type Client as GraphqlWsClient } from "graphql-ws"
import { WebSocket } from "ws"
import type { Person } from "../support/make.js"

/** One subscription and what has come of it. */
export type Listening = {
  /** The events, in the order in which they came. */
  readonly events: any[]
  /** "open", "complete", or the codes of the errors that ended it. */
  readonly state: () => string
  /** Resolves when `isDone` says so of the events; rejects with what has come instead after `withinMs`. */
  until(isDone: (events: any[]) => boolean, withinMs?: number): Promise<any[]>
  /** Resolves with the state when it has ended. */
  ended(withinMs?: number): Promise<string>
  stop(): void
}

/** One socket of a person, by the protocol's own client. */
export type Listener = {
  readonly client: GraphqlWsClient
  subscribe(query: string, variables?: Record<string, unknown>): Listening
  listUpdated(listId: number, sinceRevision?: number, fields?: string): Listening
  accountUpdated(after?: string, fields?: string): Listening
  /** Runs a query or mutation over the socket. */
  run(query: string, variables?: Record<string, unknown>): Promise<any>
  /** Resolves with the code when the socket has been closed. */
  closed(withinMs?: number): Promise<number>
  close(): Promise<void>
  /** Cuts the connection without a word. */
  cut(): void
  /** The connection below. */
  socket(): Socket
}

/** So long is waited for what is to come, also by a machine that does much else at the same time. */
export const PATIENCE_MS = 40_000

export const FIELDS =
  "id operation subjectType subjectId listId listRevision revision actorId requestId occurredAt before after"

let carrier: "graphql-ws" | "graphql-sse" = "graphql-ws"
/** What {@link listen} goes by from now on, in the file that says so. */
export const listenOver = (chosen: typeof carrier): void => {
  carrier = chosen
}

/** Speaks to a node by the carrier that the file has chosen; opened as soon as there is something to say, and never again. */
export const listen = (person: Person, url = person.url): Listener =>
  carrier === "graphql-ws" ? listenBySocket(person, url) : listenByEvents(person, url)

/** Each subscription is a stream of server-sent events of its own. */
export function listenByEvents(person: Person, url = person.url): Listener {
  const client = createSseClient({ url: `${url}/graphql`, headers: person.headers, retryAttempts: 0 })
  const ofSocket = (): never => {
    throw new Error("There is no socket.")
  }
  return listenerOf(client as unknown as GraphqlWsClient, {
    closed: ofSocket,
    close: async () => client.dispose(),
    cut: () => client.dispose(),
    socket: ofSocket,
  })
}

/** Opens a socket to a node. */
function listenBySocket(person: Person, url = person.url): Listener {
  let socket: WebSocket | undefined
  let code: number | undefined
  class KnownSocket extends WebSocket {
    constructor(address: string, protocols: string) {
      super(address, protocols)
      socket = this
      this.on("close", (closed) => {
        code = closed
      })
    }
  }
  const client = createClient({
    url: `${url.replace(/^http/, "ws")}/graphql`,
    webSocketImpl: KnownSocket,
    retryAttempts: 0,
    connectionParams: { "X-Client-ID": person.credentials.clientId, "X-Access-Token": person.credentials.token },
    onNonLazyError: () => {},
  })
  return listenerOf(client, {
    async closed(withinMs = PATIENCE_MS) {
      await eventually(
        () => code !== undefined,
        withinMs,
        () => "not closed",
      )
      return code as number
    },
    close: async () => void (await client.dispose()),
    cut: () => (socket as any)?._socket?.destroy(),
    socket: () => (socket as any)._socket,
  })
}

/** What both clients have alike: a refusal comes as an error over a socket, as a result without data over events. */
function listenerOf(
  client: GraphqlWsClient,
  ofCarrier: Pick<Listener, "closed" | "close" | "cut" | "socket">,
): Listener {
  function subscribe(query: string, variables: Record<string, unknown> = {}): Listening {
    const events: any[] = []
    let state = "open"
    const stop = client.subscribe<Record<string, any>>(
      { query, variables },
      {
        next({ data, errors }) {
          if (errors && data === undefined) state = codesOf(errors)
          else events.push(errors ? { errors } : Object.values(data ?? {})[0])
        },
        error: (error) => {
          state = Array.isArray(error) ? codesOf(error) : String((error as any).code)
        },
        complete: () => {
          if (state === "open") state = "complete"
        },
      },
    )
    return {
      events,
      state: () => state,
      async until(isDone, withinMs = PATIENCE_MS) {
        await eventually(
          () => isDone(events),
          withinMs,
          () => `${state}: ${JSON.stringify(events).slice(0, 2_000)}`,
        )
        return events
      },
      async ended(withinMs = PATIENCE_MS) {
        await eventually(
          () => state !== "open",
          withinMs,
          () => "still open",
        )
        return state
      },
      stop,
    }
  }

  return {
    client,
    subscribe,
    listUpdated: (listId, sinceRevision, fields = FIELDS) =>
      subscribe(
        `subscription ($listId: ID!, $sinceRevision: Int) { listUpdated(listId: $listId, sinceRevision: $sinceRevision) { ${fields} } }`,
        { listId, sinceRevision },
      ),
    accountUpdated: (after, fields = `${FIELDS} cursor`) =>
      subscribe(`subscription ($after: String) { accountUpdated(after: $after) { ${fields} } }`, { after }),
    run: (query, variables = {}) =>
      new Promise((resolve, reject) => {
        let result: unknown
        client.subscribe(
          { query, variables },
          { next: (value) => (result = value), error: reject, complete: () => resolve(result) },
        )
      }),
    ...ofCarrier,
  }
}

const codesOf = (errors: readonly any[]): string => errors.map(({ extensions }) => extensions.code).join()

/** Looks every few milliseconds until something is so. */
export async function eventually(
  isSo: () => boolean | Promise<boolean>,
  withinMs = PATIENCE_MS,
  tell = () => "",
): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${tell()}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/**
 * Waits until a stream of a whole account that began without a cursor is sure to hear of whatever its viewer does: what it was told
 * of for that is taken out again.
 */
export async function begun({ events, until }: Listening, person: Pick<Person, "post">): Promise<void> {
  const [mark, last] = [`begun ${Math.random()}`, `last ${Math.random()}`]
  const set = (key: string) => person.post("/settings", { key: `${key} ${Math.random()}`, value: "x" })
  await eventually(async () => {
    await set(mark)
    return events.length > 0
  })
  await set(last)
  await until((all) => JSON.stringify(all.at(-1)).includes(last))
  events.length = 0
}

/** Time for what must not happen. */
export const quiet = (ms = 300) => new Promise<void>((resolve) => setTimeout(resolve, ms))
