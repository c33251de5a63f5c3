import { get, patch, post, type Route, remove } from "../../operations/route.js"

/** The members that REST shows, in their order. */
export const TASK = `id listId title assigneeId createdAt createdById createdByRequestId dueDate starred completed completedAt completedById
  recurrenceType recurrenceCount revision __typename`

/** §4 Tasks. */
export const taskRoutes: readonly Route[] = [
  get(
    "/tasks",
    `query ($listId: ID!, $completed: Boolean) { tasks(listId: $listId, completed: $completed) { ${TASK} } }`,
    { knownByRevisions: true },
  ),
  get("/tasks/:id", `query ($id: ID!) { task(id: $id) { ${TASK} } }`),
  post("/tasks", `mutation ($input: CreateTaskInput!) { createTask(input: $input) { ${TASK} } }`),
  patch(
    "/tasks/:id",
    `mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { ${TASK} } }`,
  ),
  remove("/tasks/:id", "mutation ($id: ID!, $revision: Int!) { deleteTask(id: $id, revision: $revision) }"),
  get(
    "/lists/tasks_count",
    "query ($listId: ID!) { tasksCount(listId: $listId) { id completedCount uncompletedCount __typename } }",
  ),
  get("/task_revisions", "query ($listId: ID!) { taskRevisions(listId: $listId) { id revision __typename } }", {
    knownByRevisions: true,
  }),
]
