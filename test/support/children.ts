import type { Client } from "./client.js"

/** What belongs to a task. `made` and `changed` are good values of its one required member, `bad` is outside of its limit. */
export type ChildKind = {
  readonly path: string
  /** Its name in the schema, also of its query; mutations begin with a verb. */
  readonly one: string
  readonly member: string
  readonly made: string
  readonly changed: string
  readonly bad: string
}

/** The four kinds that §4 treats alike. */
export const childKinds: readonly ChildKind[] = [
  { path: "/subtasks", one: "subtask", member: "title", made: "a", changed: "b", bad: " " },
  { path: "/notes", one: "note", member: "content", made: "a", changed: "b", bad: "\0" },
  { path: "/task_comments", one: "taskComment", member: "text", made: "a", changed: "b", bad: "\0" },
  {
    path: "/reminders",
    one: "reminder",
    member: "date",
    made: "2031-05-06T07:08:09.123Z",
    changed: "2032-01-01T00:00:00.000Z",
    bad: "tomorrow",
  },
]

/** No row has it. */
export const UNKNOWN_ID = 9007199254740991

/** The operations on one kind of child; REST by default, with GraphQL's counterparts in `graphql`. */
export function childrenBy({ path, one, member, made }: ChildKind) {
  const type = one.charAt(0).toUpperCase() + one.slice(1)
  const withInput = (verb: string) =>
    `mutation ($id: ID!, $input: ${verb}${type}Input!) { ${verb.toLowerCase()}${type}(id: $id, input: $input) { revision ${member} } }`
  return {
    type,
    /** Makes one; its object, whether the answer is an array or not. */
    async make(who: Client, taskId: number): Promise<any> {
      const { body } = await who.post(path, { task_id: taskId, [member]: made })
      return Array.isArray(body) ? body[0] : body
    },
    graphql: {
      read: (who: Client, id: number) => who.graphql(`query ($id: ID!) { ${one}(id: $id) { id ${member} } }`, { id }),
      create: (who: Client, input: object) =>
        who.graphql(`mutation ($input: Create${type}Input!) { create${type}(input: $input) { id } }`, { input }),
      update: (who: Client, id: number, input: object) => who.graphql(withInput("Update"), { id, input }),
      remove: (who: Client, id: number, revision: number) =>
        who.graphql(`mutation ($id: ID!, $revision: Int!) { delete${type}(id: $id, revision: $revision) }`, {
          id,
          revision,
        }),
    },
  }
}
