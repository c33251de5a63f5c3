import type { ExecutionResult } from "graphql"
import { PERSONAL_CLIENT_ID } from "../../../access/writer.js"
import { sessionToken } from "../../../accounts/session.js"
import type { Context, Viewer } from "../../../context.js"
import { NotFound, Unavailable } from "../../../errors.js"
import type { Operation, Operations } from "../../../operations/operations.js"
import type { RateLimit } from "../../../operations/rate-limit.js"
import type { Id, Runner } from "../../../statement.js"
import type { SignedIn } from "../visit.js"
import { DONE, HOME, LIST, TASK } from "./browser/documents.js"
import { type Home, type HomeData, listsOf } from "./browser/state.js"

/** What the home page needs of the node: it is a client of the schema like any other. */
export type HomeParts = {
  readonly operations: Pick<Operations, "fixed">
  viewerOf(clientId: unknown, token: unknown): Viewer | undefined | Promise<Viewer | undefined>
  contextOf(viewer: Viewer, request: SignedIn["request"], response: SignedIn["response"]): Context
  /** The cursor of this moment. */
  cursorNow(userId: Id): Promise<string>
  /** Where files are sent to, unless that is here. */
  readonly storeOrigin: string | undefined
  /** Unset: no limit. */
  readonly rateLimit: Pick<RateLimit, "ofRequest"> | undefined
}

type Parts = { readonly database: Runner; readonly home: HomeParts; now(): Date }

function answerOf({ data, errors }: ExecutionResult): unknown {
  if (errors === undefined) return data
  throw errors[0]?.originalError ?? errors[0]
}

/**
 * Gives the function that reads what a signed-in user's home page shows: the list and the task that its address names, or the
 * inbox. Whatever it does not show yet is behind its cursor.
 */
export function homeReader({ database, home, now }: Parts): (visit: SignedIn) => Promise<HomeData> {
  const { fixed } = home.operations
  const [ofHome, ofList, ofDone, ofTask] = [HOME, LIST, DONE, TASK].map((document) => fixed(document)) as [
    Operation,
    Operation,
    Operation,
    Operation,
  ]

  return async (visit) => {
    const { request, response, session } = visit
    await home.rateLimit?.ofRequest("page", { userId: session.user.id }, request, response)
    const token = await sessionToken(database, visit.cookie, session.id, now())
    const viewer = await home.viewerOf(PERSONAL_CLIENT_ID, token)
    if (viewer === undefined) throw new Unavailable("You have just been signed out. Reload the page.")
    // biome-ignore lint/suspicious/noExplicitAny: what a document answers is known where it is read
    const ask = async (operation: Operation, variables?: Record<string, unknown>): Promise<any> =>
      answerOf(await operation.run(home.contextOf(viewer, request, response), variables))
    /** Undefined for what does not exist or is not the user's: an old address shows what is left of it. */
    const look = (operation: Operation, id: unknown) =>
      ask(operation, { id }).catch((error: unknown) => {
        if (error instanceof NotFound) return undefined
        throw error
      })

    const cursor = await home.cursorNow(viewer.userId)
    const all: Home = await ask(ofHome)
    const lists = listsOf(all)
    const { list: wanted, task: taskId, completed } = request.query
    const id = (lists.find((list) => list.id === wanted) ?? lists[0])?.id
    const [list, done, task] = await Promise.all([
      look(ofList, id),
      completed === undefined ? undefined : look(ofDone, id),
      typeof taskId === "string" && /^[1-9]\d{0,15}$/.test(taskId) ? look(ofTask, taskId) : undefined,
    ])
    return {
      home: all,
      list: list?.list ?? null,
      done: done?.list.tasks ?? null,
      task: task?.task.listId === id ? task.task : null,
      cursor,
      token,
      today: now().toISOString().slice(0, 10),
    }
  }
}
