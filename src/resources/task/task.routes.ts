import { get, type Route, rowsOf } from "../../operations/route.js"
import { tasks } from "./task.type.js"

/** The members that REST shows, in their order. */
export const TASK = tasks.members()

const ORDERS = {
  due_date: "DUE_DATE",
  created_at: "CREATED_AT",
  completed_at: "COMPLETED_AT",
  title: "TITLE",
}

/** What `sort` may say; a hyphen in front turns it round. */
const SORTS = Object.fromEntries(
  Object.entries(ORDERS).flatMap(([name, order]) => [
    [name, `${order}_ASC`],
    [`-${name}`, `${order}_DESC`],
  ]),
)

/** §4 Tasks. */
export const taskRoutes: readonly Route[] = [
  get(
    "/tasks",
    `query ($listId: ID!, $completed: Boolean, $completedFrom: DateTime, $completedTo: DateTime) {
       tasks(listId: $listId, completed: $completed, completedAt: { from: $completedFrom, to: $completedTo }) { ${TASK} } }`,
    { knownByRevisions: true },
  ),
  get(
    "/tasks/find",
    `query ($q: String, $listIds: [ID!], $completed: Boolean, $starred: Boolean, $assigneeId: ID, $dueFrom: Date, $dueTo: Date, $due: Boolean,
       $completedFrom: DateTime, $completedTo: DateTime, $sort: TaskOrder, $limit: Int, $after: String) {
       findTasks(
         filter: { text: $q, listIds: $listIds, completed: $completed, starred: $starred, assigneeId: $assigneeId,
           due: { from: $dueFrom, to: $dueTo, none: $due }, completedAt: { from: $completedFrom, to: $completedTo } }
         orderBy: $sort, first: $limit, after: $after
       ) { nodes { ${TASK} matches { type id } } pageInfo { hasNextPage endCursor } } }`,
    {
      isPage: true,
      refusesUnknown: true,
      words: { sort: SORTS, due: { none: true, any: false }, assigneeId: { me: "me" } },
    },
  ),
  ...rowsOf("/tasks", "task", TASK),
  get(
    "/lists/tasks_count",
    "query ($listId: ID!) { tasksCount(listId: $listId) { id completedCount uncompletedCount __typename } }",
  ),
  get("/task_revisions", "query ($listId: ID!) { taskRevisions(listId: $listId) { id revision __typename } }", {
    knownByRevisions: true,
  }),
]
