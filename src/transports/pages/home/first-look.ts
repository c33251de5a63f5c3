import type { ExecutionResult } from "graphql"
import { PERSONAL_CLIENT_ID } from "../../../access/writer.js"
import type { Context, Held, Viewer } from "../../../context.js"
import { NotFound, TooLarge, Unavailable } from "../../../errors.js"
import type { Operation, Operations } from "../../../operations/operations.js"
import type { RateLimit } from "../../../operations/rate-limit.js"
import type { SignedIn } from "../visit.js"
import { COMPLETED, LIST, LISTS, PAGE, TASK } from "./first-look.documents.js"

/** What the home page needs of the node: it is a client of the schema like any other. */
export type HomeParts = {
  readonly operations: Pick<Operations, "fixed">
  viewerOf(clientId: unknown, token: unknown): Viewer | undefined | Promise<Viewer | undefined>
  contextOf(viewer: Viewer, request: SignedIn["request"], response: SignedIn["response"]): Context
  /** Where files are sent to, unless that is here. */
  readonly storeOrigin: string | undefined
  /** Unset: no limit. */
  readonly rateLimit: Pick<RateLimit, "ofRequest"> | undefined
}

export type SeenTask = {
  readonly id: string
  readonly listId: string
  readonly title: string
  readonly completed: boolean
  readonly starred: boolean
  readonly dueDate: string | null
}
type Nodes<Item> = { readonly nodes: readonly Item[] }
type Named = { readonly name: string } | null
export type WholeTask = SeenTask & {
  readonly assignee: Named
  readonly createdBy: Named
  readonly subtaskConnection: Nodes<{ readonly title: string; readonly completed: boolean }>
  readonly notes: readonly { readonly id: string; readonly content: string }[]
  readonly commentConnection: Nodes<{
    readonly text: string
    readonly createdAt: string
    readonly author: { readonly name: string | null; readonly avatar: string }
  }>
  readonly files: readonly { readonly fileName: string; readonly url: string }[]
}
export type SeenList = {
  readonly id: string
  readonly title: string
  readonly listType: string
  readonly tasksCount: { readonly uncompletedCount: number; readonly completedCount: number }
}
/** What the page shows before its script runs, and without. */
export type FirstLook = {
  /** In the viewer's order, the inbox first, without those that they are invited to. */
  readonly lists: readonly SeenList[]
  readonly invitations: readonly SeenList[]
  readonly list: SeenList | undefined
  readonly tasks: readonly SeenTask[]
  /** Where the next page of them begins, if there is one. */
  readonly next: string | undefined
  readonly completed: readonly SeenTask[] | undefined
  /** Where the next page of those begins, if there is one. */
  readonly nextCompleted: string | undefined
  readonly task: WholeTask | undefined
}

/** A list with more tasks than that is given page by page. */
const MAX_TASKS = 200

function answerOf({ data, errors }: ExecutionResult): unknown {
  if (errors === undefined) return data
  throw errors[0]?.originalError ?? errors[0]
}

type Lists = {
  readonly lists: readonly SeenList[]
  readonly memberships: readonly { readonly listId: string; readonly state: string }[]
  readonly listPositions: readonly { readonly order: readonly string[] }[]
}

function sorted({ lists, memberships, listPositions }: Lists): Pick<FirstLook, "lists" | "invitations"> {
  const pending = new Set(memberships.flatMap(({ state, listId }) => (state === "pending" ? listId : [])))
  const places = new Map(listPositions[0]?.order.map((id, place) => [id, place]))
  const placeOf = ({ id, listType }: SeenList) => (listType === "inbox" ? -1 : (places.get(id) ?? -1))
  const all = [...lists].sort((one, other) => placeOf(one) - placeOf(other))
  return { lists: all.filter(({ id }) => !pending.has(id)), invitations: all.filter(({ id }) => pending.has(id)) }
}

type Page = { readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string } }
const nextOf = (page: Page | undefined) => (page?.pageInfo.hasNextPage ? page.pageInfo.endCursor : undefined)

/**
 * Gives the function that reads what the home page shows: the list and the task that its address names, or the inbox. The caller
 * tells `held` how long the page is that it makes of it.
 */
export function firstLookReader({ operations: { fixed }, ...home }: HomeParts) {
  const [ofLists, ofList, ofPage, ofCompleted, ofTask] = [LISTS, LIST, PAGE, COMPLETED, TASK].map((text) =>
    fixed(text),
  ) as [Operation, Operation, Operation, Operation, Operation]

  return async ({ request, response }: SignedIn, token: string): Promise<{ look: FirstLook; held: Held }> => {
    const viewer = await home.viewerOf(PERSONAL_CLIENT_ID, token)
    if (viewer === undefined) throw new Unavailable("You have just been signed out. Reload the page.")
    const context = home.contextOf(viewer, request, response)
    // biome-ignore lint/suspicious/noExplicitAny: what a document answers is known where it is read
    const ask = async (operation: Operation, variables?: Record<string, unknown>): Promise<any> =>
      answerOf(await operation.run(context, variables))
    /** Undefined for what does not exist, is not the user's, or is too large: the page shows what is left of its address. */
    const look = (operation: Operation, variables: Record<string, unknown>) =>
      ask(operation, variables).catch((error: unknown) => {
        if (error instanceof NotFound || error instanceof TooLarge) return undefined
        throw error
      })

    const { view, list: wanted, task: taskId, completed, after } = request.query
    const all = sorted(await ask(ofLists))
    const list = view === undefined ? (all.lists.find(({ id }) => id === wanted) ?? all.lists[0]) : undefined
    const id = list?.id
    const isLarge = (list?.tasksCount.uncompletedCount ?? 0) > MAX_TASKS
    const [open, done] = await Promise.all([
      id && look(isLarge ? ofPage : ofList, { id, ...(isLarge && typeof after === "string" && { after }) }),
      id && typeof completed === "string" && look(ofCompleted, { id, ...(completed !== "1" && { after: completed }) }),
    ])
    // Last: when it is too large, nothing more can be read for this page.
    const isTask = typeof taskId === "string" && /^[1-9]\d{0,15}$/.test(taskId)
    const task = isTask ? await look(ofTask, { id: taskId }) : undefined
    const page = open?.list.taskConnection
    return {
      held: context.held,
      look: {
        ...all,
        list,
        tasks: page?.nodes ?? open?.list.tasks ?? [],
        next: nextOf(page),
        completed: done ? done.list.taskConnection.nodes : undefined,
        nextCompleted: done ? nextOf(done.list.taskConnection) : undefined,
        task: task?.task.listId === id ? task.task : undefined,
      },
    }
  }
}
