import { describe, expect, it } from "vitest"
import { buildSchema } from "../../src/transports/graphql/schema.js"

// The names that other programs rely on: they may gain arguments that can be left out, and lose nothing.

const QUERIES = `viewer root users(listId) list(id) lists task(id) tasks(listId completed) tasksCount(listId) subtask(id)
  subtasks(taskId listId completed) note(id) notes(taskId listId) reminder(id) reminders(taskId listId) taskComment(id)
  taskComments(taskId listId) file(id) files(taskId listId) uploadPart(uploadId partNumber md5sum) folder(id) folders folderRevisions
  membership(id) memberships(listId) listPosition(id) listPositions taskPosition(id) taskPositions(listId) subtaskPosition(id)
  subtaskPositions(taskId listId) webhook(id) webhooks(listId) setting(id) settings devices listRevisions taskRevisions(listId)
  preview(fileId width)`
const MUTATIONS = [
  ...["List", "Task", "Subtask", "Note", "Reminder", "TaskComment", "Folder", "Membership", "Setting"].flatMap(
    (name) => [`create${name}(input)`, `update${name}(id input)`, `delete${name}(id revision)`],
  ),
  ...[
    "createWebhook(input)",
    "deleteWebhook(id revision)",
    "createDevice(input)",
    "deleteDevice(id)",
    "createUpload(input)",
  ],
  ...[
    "finishUpload(id)",
    "createFile(input)",
    "deleteFile(id revision)",
    "updateUser(input)",
    "updateListPosition(id input)",
  ],
  ...["updateTaskPosition(id input)", "updateSubtaskPosition(id input)"],
].join(" ")
const SUBSCRIPTIONS = "listUpdated(listId sinceRevision) fileCreated(listId) accountUpdated(after) reminderDue"

/** `name(argument argument)` as name and arguments. */
const namesIn = (text: string): [string, string[]][] =>
  [...text.matchAll(/(\w+)(?:\(([^)]*)\))?/g)].map(([, name, args = ""]) => [
    name as string,
    args.split(/\s+/).filter(Boolean),
  ])

const schema = buildSchema()

describe.each([
  ["Query", QUERIES],
  ["Mutation", MUTATIONS],
  ["Subscription", SUBSCRIPTIONS],
])("%s", (type, names) => {
  const fields = schema.getType(type) as { getFields(): Record<string, any> } | undefined

  it.each(namesIn(names))("has %s with these arguments, and needs no others", (name, args) => {
    const field = fields?.getFields()[name]
    expect(field?.args.map((arg: any) => arg.name)).toEqual(expect.arrayContaining(args))
    const needed = field.args.filter((arg: any) => String(arg.type).endsWith("!") && arg.defaultValue === undefined)
    for (const { name: wanted } of needed) expect(args).toContain(wanted)
  })
})

it("says of every type, field, argument and value what it means", () => {
  const silent: string[] = []
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith("__") || ["Boolean", "Int", "String", "Float", "ID"].includes(type.name)) continue
    if (!type.description && !["Query", "Mutation", "Subscription"].includes(type.name)) silent.push(type.name)
    const { getFields, getValues } = type as any
    for (const field of Object.values<any>(getFields?.call(type) ?? {})) {
      if (!field.description) silent.push(`${type.name}.${field.name}`)
      for (const arg of field.args ?? []) if (!arg.description) silent.push(`${type.name}.${field.name}(${arg.name})`)
    }
    for (const value of getValues?.call(type) ?? []) if (!value.description) silent.push(`${type.name}.${value.name}`)
  }
  expect(silent).toEqual([])
})
