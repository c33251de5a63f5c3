import { type ExecutionResult, execute, GraphQLError, getOperationAST, parse, validate } from "graphql"
import { describe, expect, it } from "vitest"
import { isCompilable } from "../../src/operations/compile.js"
import { InvalidDocument } from "../../src/operations/document.js"
import { createOperations } from "../../src/operations/operations.js"
import { smallSchema as schema } from "./small-schema.js"

type Case = { text: string; variables?: Record<string, unknown>; name?: string; root?: unknown; plain?: true }

/** Documents of every kind; `plain` are those that graphql-jit would answer otherwise, so that graphql-js must run them. */
const CASES: Case[] = [
  { text: "{ task(id: 1) { id title starred size dueDate late } }" },
  { text: "query ($id: ID!) { task(id: $id) { id } }", variables: { id: "9007199254740993" } },
  { text: "query ($id: ID!) { task(id: $id) { id } }", variables: { id: 5 } },
  { text: "query ($id: ID!) { task(id: $id) { id } }", variables: { id: " 1" } },
  { text: '{ a: task(id: "1e3") { id } b: task(id: 99999999999999999999) { id } }' },
  { text: "{ lists { title tasks(sizes: [LARGE]) { id size list { title } } } }" },
  { text: "query ($s: [Size!]) { lists { tasks(sizes: $s) { id } } }", variables: { s: ["SMALL"] } },
  { text: "query ($s: [Size!]) { lists { tasks(sizes: $s) { id } } }", variables: { s: "LARGE" } },
  { text: "query ($s: [Size!] = [SMALL]) { lists { tasks(sizes: $s) { id } } }" },
  { text: 'query ($s: Size = SMALL) { echo(input: { listId: 1, title: "t", size: $s }) }' },
  { text: "{ named { __typename id ... on Task { title } ... on List { t: title } } }" },
  {
    text: "{ found { __typename ...T ...L } } fragment T on Task { name: title list { ...L } } fragment L on List { id title }",
  },
  { text: "query ($y: Boolean!) { task(id: 1) { id @skip(if: $y) title @include(if: $y) } }", variables: { y: true } },
  { text: "query ($y: Boolean = false) { task(id: 1) { id title @include(if: $y) title } }", plain: true },
  {
    text: "query ($y: Boolean!) { task(id: 1) { ... @include(if: $y) { title } id } }",
    variables: { y: false },
    plain: true,
  },
  // graphql-jit puts the condition of one place on the fragment's fields in all places.
  {
    text: "query ($y: Boolean!) { a: task(id: 1) { ...F @include(if: $y) } b: task(id: 2) { ...F } } fragment F on Task { title }",
    variables: { y: false },
    plain: true,
  },
  // ... and forgets the second spread of a fragment when the first one's condition does not hold.
  {
    text: "query ($y: Boolean!) { task(id: 1) { ...F @include(if: $y) ...F @skip(if: $y) } } fragment F on Task { title }",
    variables: { y: false },
    plain: true,
  },
  // ... and selects what a skipped field selects with the other fields of its name.
  {
    text: "query ($y: Boolean!) { list { tasks { id } ... @include(if: $y) { tasks { title } } } }",
    variables: { y: false },
    plain: true,
  },
  {
    text: "query ($y: Boolean!) { list { tasks { id } tasks @include(if: $y) { title list { id } } } }",
    variables: { y: false },
    plain: true,
  },
  { text: "{ maybe { id title } }" },
  { text: "{ nothing }" },
  { text: "{ task(id: 1) { id broken } }" },
  { text: "{ lists { tasks { id missing } } }" },
  { text: '{ echo(text: "a\\"b\\u2028") }' },
  { text: "query ($n: Int) { echo(count: $n) }" },
  { text: "query ($n: Int) { echo(count: $n) }", variables: { n: null } },
  { text: "query ($n: Int = 5) { echo(count: $n) }" },
  { text: "query ($t: [String]) { echo(tags: $t) }", variables: { t: ["a", null] } },
  { text: "query ($t: [String]) { echo(tags: $t) }", variables: { t: "one" } },
  {
    text: "query ($i: TaskInput) { echo(input: $i) }",
    variables: { i: { listId: 1, title: "t", repeat: { every: 2 } } },
  },
  { text: "query ($i: TaskInput) { echo(input: $i) }", variables: { i: { listId: "x", title: "t", dueDate: null } } },
  {
    text: "query ($i: TaskInput) { echo(input: $i) }",
    variables: { i: { listId: 1, title: "t", starred: undefined } },
  },
  {
    text: 'query ($i: TaskInput = { listId: 3, title: "d", repeat: { every: 1 } }) { echo(input: $i) }',
    variables: { unknown: 1 },
  },
  // "Not sent" must not turn into "remove".
  { text: 'query ($d: Date) { echo(input: { listId: 1, title: "t", dueDate: $d }) }' },
  { text: 'query ($d: String) { echo(tags: ["a", $d]) }' },
  // A result is an object: its own name for a member must not become its prototype.
  { text: "{ __proto__: task(id: 1) { id list { __proto__: title } } }" },
  { text: "{ constructor: task(id: 1) { toString: id hasOwnProperty: title then: late } }" },
  // Errors have the client's names in their paths.
  { text: "{ a: list { b: tasks { c: missing } } }" },
  { text: "{ list { tasks { id missing } } echo }" },
  { text: "{ a: maybe { b: broken c: id } }" },
  { text: 'mutation { updateTask(id: 1, input: { listId: 1, title: "t" }) { id title } }' },
  {
    text: "mutation ($input: TaskInput!) { updateTask(id: 1, input: $input) { id title starred } }",
    variables: { input: { listId: 1, title: "t", starred: true } },
  },
  { text: "mutation { fail }" },
  { text: "mutation { first: count fail second: count }", plain: true },
  { text: "mutation { ...M } fragment M on Mutation { fail count }", plain: true },
  { text: "query A { task(id: 1) { id } } query B { list { title } }", name: "B" },
  { text: "query A { task(id: 1) { id } } query B { list { title } }", name: "A" },
  { text: "subscription { taskCreated(listId: 1) { id title } }", root: { id: "4", title: "New" } },
  { text: '{ __schema { queryType { name } types { name } } __type(name: "Task") { fields { name type { name } } } }' },
]

const shown = ({ data, errors }: ExecutionResult) => JSON.stringify({ data, errors })

describe("an operation", () => {
  it.each(CASES)(
    "answers as graphql-js does, compiled or not: $text",
    async ({ text, variables, name, root, plain }) => {
      const document = parse(text)
      expect(validate(schema, document)).toEqual([])
      const expected = { ran: [] as string[] }
      const contextValue = expected
      const args = { schema, document, operationName: name, variableValues: variables, contextValue, rootValue: root }
      const wanted = shown(await execute(args))

      const operation = createOperations(schema).prepare(text, name)
      for (const _ of ["executed", "compiled", "compiled before"]) {
        const context = { ran: [] as string[] }
        expect(shown(await operation.run(context, variables, root))).toBe(wanted)
        expect(context.ran).toEqual(expected.ran)
      }
      expect(isCompilable(document, getOperationAST(document, name)!)).toBe(!plain)
    },
  )

  it("gives errors that are graphql-js's own, so that Apollo can read their extensions", async () => {
    const operation = createOperations(schema).fixed("{ task(id: 1) { broken } }")
    const { errors = [] } = await operation.run({ ran: [] })
    expect(errors[0]?.constructor).toBe(GraphQLError)
    expect(errors[0]?.extensions).toEqual({})
    expect(errors[0]?.originalError?.message).toBe("a secret of the database")
  })

  it("says whether it only asks for the schema", () => {
    const { prepare } = createOperations(schema)
    expect(prepare("{ __schema { queryType { name } } ...T } fragment T on Query { __typename }").isIntrospection).toBe(
      true,
    )
    expect(prepare("{ __typename list { id } }").isIntrospection).toBe(false)
  })
})

describe("operations", () => {
  it("keeps what it prepared, by text and name, and knows nothing else", () => {
    const { get, prepare } = createOperations(schema)
    const text = "query A { list { id } } query B { list { title } }"
    expect(get(text, "A")).toBeUndefined()
    const a = prepare(text, "A")
    expect(get(text, "A")).toBe(a)
    expect(prepare(text, "A")).toBe(a)
    expect(get(text, "B")).toBeUndefined()
    expect(prepare(text, "B")).not.toBe(a)
    expect(get(text)).toBeUndefined()
  })

  it("keeps 500 texts, forgets the one used longest ago, and never a fixed one", async () => {
    const { get, prepare, fixed } = createOperations(schema)
    const ours = fixed("{ list { id } }")
    const text = (index: number) => `{ list { a${index}: id } }`
    for (let index = 0; index < 500; index++) prepare(text(index))
    expect(get(text(0))).toBeDefined()
    prepare(text(500))
    expect(get(text(0))).toBeDefined()
    expect(get(text(1))).toBeUndefined()
    expect(await ours.run({ ran: [] })).toEqual({ data: { list: { id: "7" } } })
  })

  it("does not keep a text of more than 10 KiB", () => {
    const { get, prepare } = createOperations(schema)
    const text = `{ list { id } } # ${"x".repeat(10_240)}`
    prepare(text)
    expect(get(text)).toBeUndefined()
  })

  it("refuses a text that is no document, an unknown name and no name where there are several", () => {
    const { prepare } = createOperations(schema)
    const refusal = (text: string, name?: string) => {
      try {
        prepare(text, name)
      } catch (error) {
        if (error instanceof InvalidDocument) return error.errors.map(({ extensions }) => extensions.code)
      }
      return undefined
    }
    expect(refusal("{ list { id }")).toEqual(["GRAPHQL_PARSE_FAILED"])
    expect(refusal("{ list { nope } }")).toEqual(["GRAPHQL_VALIDATION_FAILED"])
    expect(refusal("query A { list { id } }", "B")).toEqual(["OPERATION_RESOLUTION_FAILURE"])
    expect(refusal("query A { list { id } } query B { list { id } }")).toEqual(["OPERATION_RESOLUTION_FAILURE"])
    expect(refusal("fragment F on List { id }")).toEqual(["OPERATION_RESOLUTION_FAILURE"])
  })
})
