import { type GraphQLError, getVariableValues, type OperationDefinitionNode, parse } from "graphql"
import { describe, expect, it } from "vitest"
import { InvalidDocument } from "../../src/operations/document.js"
import { createOperations } from "../../src/operations/operations.js"
import { variablesOf } from "../../src/operations/variables.js"
import { smallSchema as schema } from "./small-schema.js"

const UPDATE = "mutation ($id: ID!, $input: TaskInput!) { updateTask(id: $id, input: $input) { id } }"
const LONG = "x".repeat(256)

const answered = (errors: readonly GraphQLError[] = []) => errors.map(({ extensions }) => extensions)

async function refused(text: string, variables?: unknown) {
  const context = { ran: [] as string[] }
  const operation = createOperations(schema).fixed(text)
  const { data, errors } = await operation.run(context, variables as Record<string, unknown>)
  expect(data).toBeUndefined()
  expect(answered(await operation.refusal({ ran: [] }, variables as Record<string, unknown>))).toEqual(answered(errors))
  expect(context.ran.filter((name) => name.startsWith("updateTask"))).toEqual([])
  return { extensions: answered(errors), ran: context.ran }
}

const missing = (fields: object) => [{ code: "MISSING_PARAMETER", fields }]
const invalid = (fields: object) => [{ code: "VALIDATION_ERROR", fields }]

describe("invalid variables (contract section 3)", () => {
  it("are told by field, what is missing and what is of the wrong type together", async () => {
    const input = { listId: true, starred: "yes", revision: "3", weight: "heavy", remark: 5, labels: {}, repeat: [] }
    const { extensions } = await refused(UPDATE, { input })
    expect(extensions).toEqual(
      missing({
        id: ["required"],
        listId: ["must be an integer"],
        title: ["required"],
        starred: ["must be a boolean"],
        revision: ["must be an integer"],
        weight: ["must be a number"],
        remark: ["must be a string"],
        labels: ["must be an array"],
        repeat: ["must be an object"],
      }),
    )
  })

  it.each([
    [{ id: 1 }, { input: ["required"] }],
    [{ id: null, input: { listId: 1, title: "t" } }, { id: ["required"] }],
    [{ id: 1, input: "x" }, { input: ["must be an object"] }],
    [{ id: 1, input: { listId: 1, title: null } }, { title: ["required"] }],
    [{ id: 1, input: { listId: 1, title: 5 } }, { title: ["must be a string"] }],
    [{ id: 1, input: { listId: 1.5, title: "t" } }, { listId: ["must be an integer"] }],
    [{ id: 1, input: { listId: 1, title: "t", repeat: { every: "2" } } }, { "repeat.every": ["must be an integer"] }],
    [{ id: 1, input: { listId: 1, title: "t", labels: ["a", null] } }, { labels: ["must not contain null"] }],
    [{ id: 1, input: { listId: 1, title: "t", labels: ["a", 1, 2] } }, { labels: ["must be a string"] }],
    [{ id: 1, input: { listId: 1, title: "t", size: 3 } }, { size: ["must be a string"] }],
  ])("are a missing parameter, before any limit is looked at: %j", async (variables, fields) => {
    expect(await refused(UPDATE, variables)).toEqual({ extensions: missing(fields), ran: [] })
  })

  it("are a missing parameter only, even if others are outside of their limits", async () => {
    const input = { listId: 1, title: LONG, starred: 1 }
    expect(await refused(UPDATE, { id: 1, input })).toEqual({
      extensions: missing({ starred: ["must be a boolean"] }),
      ran: [],
    })
  })

  it("are a validation error when they are outside of the limits of their scalars", async () => {
    const input = { listId: 1, title: LONG, dueDate: "2013-02-30", revision: -(2 ** 31) - 1, size: "HUGE" }
    const { extensions } = await refused(UPDATE, { id: 1, input })
    expect(extensions).toEqual(
      invalid({
        title: ["must have 1 to 255 characters"],
        dueDate: ["must be a real calendar date in the form YYYY-MM-DD"],
        revision: ["must be between -2147483648 and 2147483647"],
        size: ["must be one of SMALL, LARGE"],
      }),
    )
  })

  it("name the field that holds NUL or a lone surrogate", async () => {
    for (const title of ["a\0b", "\ud800"]) {
      const { extensions } = await refused(UPDATE, { id: 1, input: { listId: 1, title } })
      expect(extensions).toMatchObject([{ code: "VALIDATION_ERROR", fields: { title: [expect.any(String)] } }])
    }
  })

  it("are judged after what the field's precondition finds, which gets what could be read", async () => {
    const input = { listId: 7, title: LONG }
    expect(await refused(UPDATE, { id: 404, input })).toEqual({
      extensions: [{ code: "NOT_FOUND" }],
      ran: ["precondition 404 7"],
    })
    expect((await refused(UPDATE, { id: 1, input })).ran).toEqual(["precondition 1 7"])
  })

  it("are refused with members that the input does not have, also those of the prototype", async () => {
    for (const name of ["nope", "__proto__", "constructor"]) {
      const input = JSON.parse(`{"listId": 1, "title": "t", "${name}": {"starred": true}}`)
      const { extensions } = await refused(UPDATE, { id: 1, input })
      expect(extensions).toEqual([
        { code: "BAD_REQUEST", fields: JSON.parse(`{"${name}": ["is not a member of TaskInput"]}`) },
      ])
    }
    expect({}).not.toHaveProperty("starred")
  })

  it("are refused when they are no object", async () => {
    for (const variables of [[], "x", 5])
      expect((await refused(UPDATE, variables)).extensions).toEqual([{ code: "BAD_REQUEST" }])
  })

  it("tell null from absent", async () => {
    const { run } = createOperations(schema).fixed(UPDATE)
    const context = { ran: [] as string[] }
    await run(context, { id: 1, input: { listId: 1, title: "t" } })
    await run(context, { id: 1, input: { listId: 1, title: "t", dueDate: null } })
    expect(context.ran).toEqual([
      'updateTask {"listId":"1","title":"t"}',
      'updateTask {"dueDate":null,"listId":"1","title":"t"}',
    ])
  })

  it.each([
    undefined,
    null,
    0,
    1.5,
    -0,
    2 ** 40,
    "",
    "x",
    "SMALL",
    true,
    [],
    [1],
    ["a"],
    [[1]],
    {},
    { every: 1 },
    { listId: 1, title: "t" },
  ])("are accepted or not as graphql-js does: %j", async (value) => {
    for (const type of [
      "Int",
      "Float!",
      "String",
      "Boolean!",
      "ID",
      "String!",
      "Date",
      "Size",
      "[Int]",
      "[String!]!",
      "[Size]",
      "Repeat",
      "TaskInput!",
    ]) {
      // graphql-js takes an array for an object; we say that it is none.
      if (Array.isArray(value) && /Repeat|TaskInput/.test(type)) continue
      const text = `query ($v: ${type}) { __typename @include(if: true) }`
      const [node] = parse(text).definitions as [OperationDefinitionNode]
      const wanted = getVariableValues(schema, node.variableDefinitions ?? [], value === undefined ? {} : { v: value })
      const { values, violations } = variablesOf(schema, node)(value === undefined ? {} : { v: value })
      expect([type, violations.length > 0]).toEqual([type, wanted.errors !== undefined])
      if (wanted.coerced) expect(values).toEqual(wanted.coerced)
    }
  })
})

describe("null for what may be left out and may not be null", () => {
  it.each([
    ["query ($n: Int) { page(first: $n) }", "first"],
    ["query ($n: Int = 7) { page(first: $n) }", "first"],
    ["query ($n: Int = 7) { list { title } ... { page(first: $n) } }", "first"],
    ['query ($n: Int = 7) { echo(input: { listId: 1, title: "t", repeat: { every: $n } }) }', "repeat.every"],
    ["query ($n: Int = 7) { numbers(of: [1, $n]) }", "of", "must not contain null"],
    ["query ($n: Boolean = true) { list { title @include(if: $n) } }", "if"],
  ])(
    "is refused by the argument's name each time, and left out it is the default: %s",
    async (text, field, fault = "required") => {
      const operation = createOperations(schema).prepare(text)
      for (const _ of ["executed", "compiled", "compiled before"]) {
        const { data, errors } = await operation.run({ ran: [] }, { n: null })
        expect([data, answered(errors)]).toEqual([undefined, missing({ [field]: [fault] })])
      }
      const { run } = createOperations(schema).prepare(text)
      for (const _ of ["executed", "compiled", "compiled before"])
        expect((await run({ ran: [] }, {})).errors).toBeUndefined()
    },
  )
})

describe("limits behind arguments of standard types", () => {
  it.each([
    ["query ($s: String) { picture(name: $s) }", { s: LONG }, { name: ["must have at most 255 characters"] }],
    ["query ($s: String!) { picture(tags: [$s]) }", { s: LONG }, { tags: ["must have at most 255 characters"] }],
    ["query ($t: [String!]) { picture(tags: $t) }", { t: ["a", LONG] }, { tags: ["must have at most 255 characters"] }],
    ["query ($w: Int!) { picture(width: $w) }", { w: 0 }, { width: ["must be from 1 to 2048"] }],
    [
      `query ($w: Int = 2049) { picture(width: $w, name: "${LONG}") }`,
      {},
      { name: ["must have at most 255 characters"], width: ["must be from 1 to 2048"] },
    ],
  ])("are a validation error that names the argument: %s", async (text, variables, fields) => {
    const operation = createOperations(schema).prepare(text)
    for (const _ of ["executed", "compiled"]) {
      const { data, errors } = await operation.run({ ran: [] }, variables)
      expect([data, answered(errors)]).toEqual([undefined, invalid(fields)])
    }
  })

  it("let through what is within them", async () => {
    const text = 'query ($w: Int, $s: String = "x", $t: [String!]) { picture(width: $w, name: $s, tags: $t) }'
    const { run } = createOperations(schema).prepare(text)
    for (const width of [1, 2048]) {
      const { data } = await run({ ran: [] }, { w: width, t: [LONG.slice(1)] })
      expect(JSON.parse(data?.picture as string)).toEqual({ width, name: "x", tags: [LONG.slice(1)] })
    }
    expect(await run({ ran: [] }, {})).toEqual({ data: { picture: '{"name":"x","width":512}' } })
  })
})

describe("values in the document at fault", () => {
  const invalidDocument = (text: string) => {
    try {
      createOperations(schema).prepare(text)
    } catch (error) {
      if (error instanceof InvalidDocument) return answered(error.errors)
      throw error
    }
    return undefined
  }

  it("are told by field, as variables are", async () => {
    expect(invalidDocument('mutation { updateTask(id: 1, input: { title: 5, listId: "1" }) { id } }')).toEqual(
      missing({ title: ["must be a string"] }),
    )
    expect(invalidDocument("mutation { updateTask(input: { listId: 1 }) { id } }")).toEqual(
      missing({ id: ["required"], title: ["required"] }),
    )
    expect(invalidDocument('{ list(id: 1) { tasks(starred: "no") { id } } }')).toEqual(
      missing({ starred: ["must be a boolean"] }),
    )
  })

  it("are a validation error outside of their limits, after the precondition", async () => {
    const operations = createOperations(schema)
    const text = (id: number) => `mutation { updateTask(id: ${id}, input: { listId: 7, title: "${LONG}" }) { id } }`
    const context = { ran: [] as string[] }
    const results = [await operations.prepare(text(404)).run(context), await operations.prepare(text(1)).run(context)]
    expect(results.map(({ errors }) => answered(errors))).toEqual([
      [{ code: "NOT_FOUND" }],
      invalid({ title: ["must have 1 to 255 characters"] }),
    ])
    expect(context.ran).toEqual(["precondition 404 7", "precondition 1 7"])
    expect(operations.get(text(1))).toBeUndefined()
  })

  it("do not hide that the document is wrong besides", () => {
    const text = `mutation { updateTask(id: 1, input: { listId: 7, title: "${LONG}" }) { nope } }`
    expect(invalidDocument(text)).toContainEqual({ code: "GRAPHQL_VALIDATION_FAILED" })
  })
})
