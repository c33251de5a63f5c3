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

/** What is completed in a list. */
export const COMPLETED = `query HomeCompleted($id: ID!) { list(id: $id) { id tasks(completed: true) { ${ROW} } } }`

/** One task with what is in it. */
export const TASK = `query HomeTask($id: ID!) {
  task(id: $id) {
    ${ROW}
    assignee { name }
    createdBy { name }
    subtasks { id title completed }
    notes { id content }
    comments { id text createdAt author { name avatar } }
    files { id fileName url }
  }
}`
