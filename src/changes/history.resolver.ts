import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql"
import { Needs } from "../access/needs.js"
import type { Context } from "../context.js"
import { BadRequest, MissingParameter } from "../errors.js"
import type { Event } from "../events/event.type.js"
import { inVisible } from "../loading/loader.js"
import { List } from "../resources/list/list.type.js"
import { Task } from "../resources/task/task.type.js"
import { ID } from "../scalars/scalars.js"
import type { Id, Statement } from "../statement.js"
import { historyOfList, historyOfTask } from "./history.statement.js"
import { HistoryArgs, HistoryPage } from "./history.type.js"

/** Each is a statement of its own: an operation is given no more. */
const MAX_HISTORIES = 20

/**
 * A page of a history. That of a task is looked for among all events of its list, so one after the other and where nobody waits.
 * @throws NotFound for what is closed to the viewer, BadRequest for what is no cursor and for too many in one operation
 */
async function readHistory(
  { db, viewer, loaders }: Context,
  statement: Statement<Event | null>,
  id: Id,
  { first, after }: HistoryArgs,
): Promise<HistoryPage> {
  const count = ((loaders.get(readHistory) as number | undefined) ?? 0) + 1
  loaders.set(readHistory, count)
  if (count > MAX_HISTORIES)
    throw new BadRequest(`An operation reads at most ${MAX_HISTORIES} histories. Ask for the others by themselves.`)
  const revision = after == null ? null : revisionIn(after)
  const values = [id, viewer.userId, revision, first + 1]
  const runner = statement === historyOfTask ? db.searching : db
  const events = inVisible(await runner.run(statement, values))
  const shown = events.slice(0, first)
  const last = shown.at(-1)?.listRevision
  return { events: shown, hasMore: events.length > first, ...(last != null && { cursor: cursorAt(last) }) }
}

const cursorAt = (revision: number): string => Buffer.from(`revision:${revision}`).toString("base64url")

function revisionIn(cursor: string): string {
  const [, revision] = /^revision:(\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? []
  if (revision !== undefined) return revision
  throw new BadRequest("The history has no such place.", { after: ["must be the cursor of an earlier page"] })
}

/** What happened in a list, or to a task: who, when, and what was before and after. */
@Resolver()
export class HistoryResolver {
  @Needs("read")
  @Query(() => HistoryPage, {
    description:
      "Get the history of a list or of a task. The newest event first: up to 30 days back, and no further than the viewer's own membership.",
  })
  history(
    @Arg("listId", () => ID, { nullable: true, description: "The list; required unless taskId is given." })
    listId: Id | null | undefined,
    @Arg("taskId", () => ID, {
      nullable: true,
      description: "The task; its history begins when it came into its list.",
    })
    taskId: Id | null | undefined,
    @Args(() => HistoryArgs) page: HistoryArgs,
    @Ctx() context: Context,
  ): Promise<HistoryPage> {
    if (taskId != null) return readHistory(context, historyOfTask, taskId, page)
    if (listId != null) return readHistory(context, historyOfList, listId, page)
    throw new MissingParameter({ taskId: ["required, or listId"], listId: ["required, or taskId"] })
  }
}

/** The history of a list. */
@Resolver(() => List)
export class HistoryOfList {
  @FieldResolver(() => HistoryPage, { description: "What happened in it, the newest event first." })
  history(
    @Args(() => HistoryArgs) page: HistoryArgs,
    @Root() { id }: List,
    @Ctx() context: Context,
  ): Promise<HistoryPage> {
    return readHistory(context, historyOfList, id, page)
  }
}

/** The history of a task. */
@Resolver(() => Task)
export class HistoryOfTask {
  @FieldResolver(() => HistoryPage, { description: "What happened to it and in it, the newest event first." })
  history(
    @Args(() => HistoryArgs) page: HistoryArgs,
    @Root() { id }: Task,
    @Ctx() context: Context,
  ): Promise<HistoryPage> {
    return readHistory(context, historyOfTask, id, page)
  }
}
