// GraphQL with types: gql.tada reads the schema, so that each document's variables and answer are known while you type.
//
//   npm install graphql gql.tada typescript
//   curl -O http://127.0.0.1:4000/schema.graphql
//   npx gql.tada generate-output       (writes graphql-env.d.ts, by what tsconfig.json says)
//   node tasks.ts                      (Node 22.18 or later; before that: npx tsx tasks.ts)

import { initGraphQLTada, type TadaDocumentNode } from "gql.tada"
import { print } from "graphql"
import type { introspection } from "./graphql-env.js"

const { TANDEM_URL = "http://127.0.0.1:4000", CLIENT_ID = "", TOKEN = "" } = process.env

// What the schema's scalars are in JSON; all others are strings.
const graphql = initGraphQLTada<{ introspection: introspection; scalars: { Title: string; Date: string } }>()

/** Runs a document. Its variables and its answer have the types that the schema gives them. */
async function run<Answer, Variables>(
  document: TadaDocumentNode<Answer, Variables>,
  variables: Variables,
): Promise<Answer> {
  const response = await fetch(`${TANDEM_URL}/graphql`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Client-ID": CLIENT_ID, "X-Access-Token": TOKEN },
    body: JSON.stringify({ query: print(document), variables }),
  })
  const { data, errors } = (await response.json()) as { data: Answer; errors?: { message: string }[] }
  if (errors) throw new Error(errors.map(({ message }) => message).join("\n"))
  return data
}

const CreateList = graphql(`
  mutation CreateList($title: String!) {
    createList(input: { title: $title }) {
      id
    }
  }
`)

const CreateTask = graphql(`
  mutation CreateTask($input: CreateTaskInput!) {
    createTask(input: $input) {
      id
    }
  }
`)

// One request for what REST answers in four: a list with its tasks in their order, and their assignees.
const Overview = graphql(`
  query Overview($id: ID!) {
    list(id: $id) {
      title
      owner {
        name
      }
      tasks {
        title
        dueDate
        assignee {
          name
        }
      }
      tasksCount {
        uncompletedCount
      }
    }
  }
`)

const { createList } = await run(CreateList, { title: "Groceries" })
for (const [title, dueDate] of [
  ["Buy milk", "2031-05-01"],
  ["Buy bread", null],
] as const)
  await run(CreateTask, { input: { listId: createList.id, title, dueDate } })

const { list } = await run(Overview, { id: createList.id })
console.log(`${list.title} of ${list.owner.name}: ${list.tasksCount.uncompletedCount} to do`)
for (const { title, dueDate, assignee } of list.tasks)
  console.log(`- ${title}${dueDate ? ` by ${dueDate}` : ""}${assignee ? ` (${assignee.name})` : ""}`)
