// What is asked, W1 to W6. `{1}`, `{2}`, `{3}` in a path, header or body are the columns of a row.
const headers = { "X-Access-Token": "{2}", "X-Client-ID": "bench-client" }
const withJson = { ...headers, "Content-Type": "application/json" }

export const FIELDS =
  "id listId title assigneeId createdAt createdById dueDate starred completed recurrenceType recurrenceCount revision"
const TREE = `query L($id: ID!) { list(id: $id) { id title revision tasks { ${FIELDS} subtasks { id title completed } notes { id content } } } }`
export const CREATE =
  "mutation C($input: CreateTaskInput!) { createTask(input: $input) { id listId title starred dueDate createdAt createdById revision } }"
const graphql = (query, variables) => `{"query":${JSON.stringify(query)},"variables":${variables}}`

/** Rows of (id, token, revision) that fill requests: of lists, or of tasks in an order that is everywhere. */
const OWNER = "'token-of-user-' || l.owner_id"
export const ROWS = {
  lists: `select l.id, ${OWNER} from lists l where l.id between 10001 and 12000 order by md5(l.id::text)`,
  tasks: `select t.id, ${OWNER}, t.revision from tasks t join lists l on l.id = t.list_id where t.id <= 200000 order by md5(t.id::text)`,
}

/** `found`: a text that the checked answer holds, and how often. A row of `eachOnce` fills one request only: its revision is used up. */
export const WORKLOADS = {
  W1: {
    title: "REST, 100 tasks",
    method: "GET",
    path: "/api/v1/tasks?list_id={1}",
    headers,
    rows: "lists",
    found: ['"list_id":', 100],
  },
  W2: {
    title: "REST, one task",
    method: "GET",
    path: "/api/v1/tasks/{1}",
    headers,
    rows: "tasks",
    found: ['"list_id":', 1],
  },
  W3: {
    title: "REST create",
    method: "POST",
    path: "/api/v1/tasks",
    headers: withJson,
    rows: "lists",
    body: '{"list_id":{1},"title":"Created under load","starred":true,"due_date":"2026-05-01"}',
    found: ['"list_id":', 1],
  },
  W4: {
    title: "REST patch",
    method: "PATCH",
    path: "/api/v1/tasks/{1}",
    headers: withJson,
    rows: "tasks",
    eachOnce: true,
    body: '{"revision":{3},"title":"Patched under load"}',
    found: ["Patched under load", 1],
  },
  W5: {
    title: "GraphQL, list → 100 tasks → subtasks, notes",
    method: "POST",
    path: "/graphql",
    headers: withJson,
    rows: "lists",
    body: graphql(TREE, '{"id":"{1}"}'),
    found: ['"revision":', 101],
  },
  W6: {
    title: "GraphQL create",
    method: "POST",
    path: "/graphql",
    headers: withJson,
    rows: "lists",
    body: graphql(
      CREATE,
      '{"input":{"listId":"{1}","title":"Created under load","starred":true,"dueDate":"2026-05-01"}}',
    ),
    found: ['"listId":', 1],
  },
}

const put = (text, row) => text.replace(/\{(\d)\}/g, (_, column) => row[column - 1])

/** A workload's request for one row, as fetch takes it. */
export const requestFor = ({ method, path, headers: named, body }, row) => ({
  path: put(path, row),
  init: {
    method,
    headers: Object.fromEntries(Object.entries(named).map(([name, value]) => [name, put(value, row)])),
    body: body && put(body, row),
  },
})
