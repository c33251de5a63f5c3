import type { OpenApi } from "./document.js"

/** As much of a schema as a type tells. */
type Schema = {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly $ref?: string
}

/** What clients keep, as answers show it. */
const OBJECTS = [
  "User",
  "List",
  "Membership",
  "Folder",
  "Task",
  "Subtask",
  "Note",
  "Reminder",
  "TaskComment",
  "CommentAuthor",
  "File",
  "ListPosition",
  "TaskPosition",
  "SubtaskPosition",
  "Setting",
]
/** Members of a change that the client fills in by itself. */
const FILLED_IN = ["revision", "remove", "id"]

const HEAD = `// Printed by \`npm run schema\`: the types of schema.graphql as the REST interface shows and takes them.
`

/** The TypeScript types of what the client speaks, made of the schemas that the reference shows. */
export function wireTypes({ components }: Pick<OpenApi, "components">): string {
  const schemas = components.schemas as Readonly<Record<string, Schema>>
  const texts = OBJECTS.map((name) => objectType(name, schemas[name] ?? {}))
  return `${HEAD}${texts.join("")}${tables(schemas)}`
}

/** What there is of each kind of object: its type as it is kept, made and changed. */
function tables(schemas: Readonly<Record<string, Schema>>): string {
  const kinds = OBJECTS.flatMap((name) => {
    const kind = schemas[name]?.properties?.type?.const
    return kind === undefined ? [] : [{ kind, name }]
  })
  const table = (
    name: string,
    about: string,
    memberOf: (name: string) => readonly [] | readonly [text: string, about?: string],
  ) => {
    const members = kinds.flatMap(({ kind, name }) => {
      const [text, of] = memberOf(name)
      return text === undefined ? [] : `  ${of === undefined ? "" : `${comment(of)} `}readonly ${kind}: ${text}\n`
    })
    return `\n/** ${about} */\nexport type ${name} = {\n${members.join("")}}\n`
  }
  const input = (name: string) => {
    const schema = schemas[name]
    return schema === undefined ? ([] as const) : ([inputType(schema), schema.description] as const)
  }
  return [
    table("Objects", "Everything that a client keeps, by its kind.", (name) => [name]),
    // A file is made of an upload, which needs the service.
    table("News", "What can be made, and of what.", (name) => (name === "File" ? [] : input(`Create${name}Input`))),
    table("Changes", "What can be changed, and what of it; null removes what may be unset.", (name) =>
      input(`Update${name}Input`),
    ),
  ].join("")
}

function objectType(name: string, schema: Schema): string {
  const members = membersOf(schema).map(([text, about]) => `  ${comment(about)} ${text}\n`)
  return `\n${comment(schema.description)}\nexport type ${name} = {\n${members.join("")}}\n`
}

const inputType = (schema: Schema): string =>
  `{ ${membersOf(schema, FILLED_IN)
    .map(([text]) => text)
    .join("; ")} }`

/** Each member's text and what it means. */
const membersOf = ({ properties = {}, required = [] }: Schema, without: readonly string[] = []) =>
  Object.entries(properties)
    .filter(([member]) => !without.includes(member))
    .map(([member, schema]): [string, string | undefined] => [
      `readonly ${member}${required.includes(member) ? "" : "?"}: ${textOf(schema)}`,
      schema.description,
    ])

/** Its first sentence: the rest is about what the server refuses, and says so itself. */
const comment = (description = ""): string => `/** ${description.split(/(?<=[^.]\.) (?=[A-Z`\d])/)[0]} */`

function textOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.replace(/^.*\//, "")
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ")
  return [schema.type ?? "unknown"]
    .flat()
    .map((type) => {
      if (type === "integer") return "number"
      return type === "array" ? `readonly ${textOf(schema.items ?? {})}[]` : type
    })
    .join(" | ")
}
