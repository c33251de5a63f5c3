// What the home page asks of the service: by the server for the first look, by the browser ever after.

const ROW = "id listId title completed completedAt starred dueDate createdById createdByRequestId revision"

/** The lists of the viewer with what is open in them, and the viewer's membership in each. */
export const HOME = `query Home {
  viewer { id name }
  lists { id title listType ownerId revision tasksCount { uncompletedCount completedCount } }
  memberships { id listId state owner revision }
  listPositions { order }
}`

/** One list with its open tasks in their order, and its people. */
export const LIST = `query HomeList($id: ID!) {
  list(id: $id) {
    id
    taskPosition { revision values }
    tasks { ${ROW} }
    memberships { id userId state owner revision user { name email avatarUrl(size: 64) } }
  }
}`

/** What is done in a list. */
export const DONE = `query HomeDone($id: ID!) { list(id: $id) { id tasks(completed: true) { ${ROW} } } }`

/** One task with what was said about it and what is attached to it. */
export const TASK = `query HomeTask($id: ID!) {
  task(id: $id) {
    ${ROW}
    createdBy { name }
    comments { id text createdAt createdById author { name avatar } }
    files { id fileName fileSize contentType url previewUrl(width: 480) createdAt userId revision }
  }
}`

/** Where a file is now: addresses end. */
export const FILE = "query HomeFile($id: ID!) { file(id: $id) { id url } }"

/** Everything that happens in what the viewer can see, from a place on. */
export const EVENTS = `subscription HomeEvents($after: String) {
  accountUpdated(after: $after) {
    operation subjectType subjectId listId revision actorId requestId before after cursor
  }
}`

export const CREATE_TASK = `mutation ($input: CreateTaskInput!) { createTask(input: $input) { ${ROW} } }`
export const UPDATE_TASK = `mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { ${ROW} } }`
export const DELETE_TASK = "mutation ($id: ID!, $revision: Int!) { deleteTask(id: $id, revision: $revision) }"
export const ORDER_TASKS = `mutation ($id: ID!, $input: UpdatePositionInput!) {
  updateTaskPosition(id: $id, input: $input) { revision values }
}`

export const CREATE_LIST = "mutation ($input: CreateListInput!) { createList(input: $input) { id } }"
export const UPDATE_LIST = "mutation ($id: ID!, $input: UpdateListInput!) { updateList(id: $id, input: $input) { id } }"
export const DELETE_LIST = "mutation ($id: ID!, $revision: Int!) { deleteList(id: $id, revision: $revision) }"

export const INVITE = "mutation ($input: CreateMembershipInput!) { createMembership(input: $input) { id state } }"
export const ACCEPT = `mutation ($id: ID!, $revision: Int!) {
  updateMembership(id: $id, input: { revision: $revision, state: accepted }) { id }
}`
export const LEAVE = "mutation ($id: ID!, $revision: Int!) { deleteMembership(id: $id, revision: $revision) }"

export const CREATE_COMMENT = `mutation ($input: CreateTaskCommentInput!) {
  createTaskComment(input: $input) { id text createdAt createdById author { name avatar } }
}`

export const CREATE_UPLOAD = `mutation ($input: CreateUploadInput!) {
  createUpload(input: $input) { id part { url date authorization } }
}`
export const SIGN_PART = `query ($id: ID!, $partNumber: Int!) {
  uploadPart(uploadId: $id, partNumber: $partNumber) { id part { url date authorization } }
}`
export const FINISH_UPLOAD = "mutation ($id: ID!) { finishUpload(id: $id) { id state } }"
export const CREATE_FILE = "mutation ($input: CreateFileInput!) { createFile(input: $input) { id } }"
export const DELETE_FILE = "mutation ($id: ID!, $revision: Int!) { deleteFile(id: $id, revision: $revision) }"
