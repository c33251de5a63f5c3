const ROW = "id listId title completed completedAt starred dueDate"

/** The lists of the viewer with how much is open in them. */
export const LISTS = `query HomeLists {
  lists { id title listType tasksCount { uncompletedCount completedCount } }
  memberships { listId state }
  listPositions { order }
}`

/** One list with its open tasks in their order. */
export const LIST = `query HomeList($id: ID!) { list(id: $id) { id tasks { ${ROW} } } }`

/** One page of what is open in a list, by id. */
export const PAGE = `query HomePage($id: ID!, $after: String) {
  list(id: $id) { id taskConnection(first: 100, after: $after) { nodes { ${ROW} } pageInfo { hasNextPage endCursor } } }
}`

/** One page of what is completed in a list, by id. */
export const COMPLETED = `query HomeCompleted($id: ID!, $after: String) {
  list(id: $id) {
    id
    taskConnection(completed: true, first: 100, after: $after) { nodes { ${ROW} } pageInfo { hasNextPage endCursor } }
  }
}`

/** One task with the first of what is in it. */
export const TASK = `query HomeTask($id: ID!) {
  task(id: $id) {
    ${ROW}
    assignee { name }
    createdBy { name }
    subtaskConnection(first: 100) { nodes { id title completed } }
    notes { id content }
    commentConnection(first: 100) { nodes { id text createdAt author { name avatar } } }
    files { id fileName url }
  }
}`
