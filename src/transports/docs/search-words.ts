import { follow, type OpenApi } from "./document.js"
import type { JsonSchema } from "./json-schema.js"
import type { Place } from "./operation.section.js"

/** What people call things that have another name here, by a piece of the path. */
const SYNONYMS: Readonly<Record<string, string>> = {
  avatar: "picture photo image",
  batch: "bulk many transaction",
  changes: "sync delta since",
  devices: "push browser subscription",
  events: "stream sse live realtime",
  files: "attachment document",
  find: "search filter query",
  folders: "group",
  history: "audit log activity",
  lists: "project board",
  memberships: "share invite collaborator member",
  notes: "description text markdown",
  positions: "order sort reorder rank",
  previews: "thumbnail image",
  reminders: "alarm notification",
  settings: "preference option time zone",
  subtasks: "checklist step item",
  task_comments: "message discussion reply",
  tasks: "todo to-do item",
  uploads: "attachment send file",
  user: "account profile me person",
  webhooks: "callback hook",
}

/** The words by which an operation is found: its path and title, its parameters and members, and what else it may be called. */
export function searchWords(document: OpenApi, { path, method, operation, aliases }: Place): string {
  const parameters = ((operation.parameters ?? []) as unknown[]).map(
    (one) => follow<{ name: string }>(document, one).name,
  )
  const body = operation.requestBody as { content: Record<string, { schema: JsonSchema }> } | undefined
  const schema = body?.content["application/json"]?.schema
  const { properties = {} } = follow<{ properties?: object }>(document, schema ?? {})
  const names = Object.keys(SYNONYMS).filter((name) => path.includes(`/${name}`))
  const all = [method, path, operation.operationId, operation.summary, ...aliases, ...parameters]
  return [...new Set([...all, ...Object.keys(properties), ...names.map((name) => SYNONYMS[name])])]
    .join(" ")
    .toLowerCase()
}
