// The same work in PostGraphile's own words: it has no REST, so W1 to W4 are GraphQL too.
import { FIELDS, WORKLOADS } from "../workloads.mjs"

const ROW = FIELDS.replace(/^id/, "rowId")

const graphql = (name, query, variables) => ({
  ...WORKLOADS[name],
  method: "POST",
  path: "/graphql",
  headers: WORKLOADS.W5.headers,
  body: `{"query":${JSON.stringify(query)},"variables":${variables}}`,
})
const create = (name, fields) => ({
  ...graphql(
    name,
    `mutation C($input: CreateTaskInput!) { createTask(input: $input) { task { ${fields} } } }`,
    '{"input":{"task":{"listId":"{1}","title":"Created under load","starred":true,"dueDate":"2026-05-01","createdById":"1"}}}',
  ),
  found: ['"listId":', 1],
})

export const POSTGRAPHILE = {
  W1: {
    ...graphql(
      "W1",
      `query T($id: BigInt!) { allTasks(condition: { listId: $id }) { nodes { ${ROW} } } }`,
      '{"id":"{1}"}',
    ),
    found: ['"listId":', 100],
  },
  W2: {
    ...graphql("W2", `query T($id: BigInt!) { taskByRowId(rowId: $id) { ${ROW} } }`, '{"id":"{1}"}'),
    found: ['"listId":', 1],
  },
  W3: create("W3", ROW),
  W4: graphql(
    "W4",
    `mutation U($input: UpdateTaskByRowIdInput!) { updateTaskByRowId(input: $input) { task { ${ROW} } } }`,
    '{"input":{"rowId":"{1}","taskPatch":{"revision":"{3}","title":"Patched under load"}}}',
  ),
  W5: graphql(
    "W5",
    `query L($id: BigInt!) { listByRowId(rowId: $id) { rowId title revision tasksByListId { nodes { ${ROW}
      subtasksByTaskId { nodes { rowId title completed } } notesByTaskId { nodes { rowId content } } } } } }`,
    '{"id":"{1}"}',
  ),
  W6: create("W6", "rowId listId title starred dueDate createdAt createdById revision"),
}
