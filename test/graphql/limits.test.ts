import {
  GraphQLList,
  GraphQLObjectType,
  GraphQLSchema,
  getIntrospectionQuery,
  type OperationDefinitionNode,
  parse,
} from "graphql"
import { describe, expect, it } from "vitest"
import { costOf } from "../../src/operations/cost.js"
import { InvalidDocument } from "../../src/operations/document.js"
import { createOperations } from "../../src/operations/operations.js"
import { ID } from "../../src/scalars/scalars.js"
import { buildSchema } from "../../src/transports/graphql/schema.js"
import { cpuMs } from "./cpu-ms.js"
import { smallSchema as schema } from "./small-schema.js"

const PRODUCTION = { introspection: false, suggestions: false }

/** The messages that refuse a text, undefined when it is prepared; and that this takes no longer than it may. */
function refusal(text: string, rules = { introspection: true, suggestions: true }): string | undefined {
  // What runs first is compiled meanwhile, so the quickest of three counts.
  const attempts = [1, 2, 3].map(() => attempt(text, rules))
  expect(Math.min(...attempts.map(({ ms }) => ms))).toBeLessThan(50)
  return attempts[0]?.message
}

function attempt(text: string, rules: typeof PRODUCTION): { ms: number; message?: string } {
  const { prepare } = createOperations(schema, rules)
  const startedAt = cpuMs()
  try {
    prepare(text)
    return { ms: cpuMs() - startedAt }
  } catch (error) {
    const ms = cpuMs() - startedAt
    if (!(error instanceof InvalidDocument)) throw error
    for (const { extensions } of error.errors) expect(extensions.code).toMatch(/^GRAPHQL_(PARSE|VALIDATION)_FAILED$/)
    return { ms, message: error.message }
  }
}

const times = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(" ")

/** An operation with this many fields below each other. */
function deep(depth: number, spread = (selection: string) => selection): string {
  const circle = ["list", "taskConnection(first: 1)", "nodes"]
  const nest = (level: number): string =>
    level === depth ? "__typename" : `${circle[(level - 1) % 3]} { ${spread(nest(level + 1))} }`
  return `{ ${nest(1)} }`
}

// The first run of each rule is slow, and no client has a cold server to itself.
createOperations(schema).prepare(getIntrospectionQuery())

describe("the limits of a document", () => {
  it("let 15 levels of fields through, and no more", () => {
    expect(refusal(deep(15))).toBeUndefined()
    expect(refusal(deep(16))).toBe("The operation has 16 levels of fields; at most 15 are allowed.")
    expect(refusal(deep(15, (selection) => `... { ${selection} }`))).toBeUndefined()
    expect(refusal(deep(16, (selection) => `... { ${selection} }`))).toContain("16 levels")
  })

  it("count levels through fragments", () => {
    const fragments = times(6, (index) => `fragment F${index} on List { tasks { list { ...F${index + 1} } } }`)
    const text = `{ list { ...F0 } } ${fragments} fragment F6 on List { tasks { list { title } } }`
    expect(refusal(text)).toBe("The operation has 16 levels of fields; at most 15 are allowed.")
  })

  it("let 50 aliases through, and no more", () => {
    const text = (count: number) => `{ list { ${times(count, (index) => `a${index}: id`)} } }`
    expect(refusal(text(50))).toBeUndefined()
    expect(refusal(text(51))).toContain("51 aliases")
    expect(refusal(`{ ${times(101, (index) => `a${index}: __typename`)} }`)).toContain("101 aliases")
  })

  it("count aliases and repeated fields by type, as a client that reads every member of a union has some in each", () => {
    const every = (type: string, count: number) =>
      `... on ${type} { __typename ${times(count, (index) => `${type}${index}: id`)} }`
    const union = (task: number, list: number) =>
      `{ found { __typename ${every("Task", task)} ${every("List", list)} } }`
    expect(refusal(union(50, 50))).toBeUndefined()
    expect(refusal(union(51, 10))).toContain("51 aliases")
    // The same names in each type, once for each entry of a union with many types.
    const same = times(25, (index) => `a${index}: id`)
    expect(refusal(`{ found { ... on Task { ${same} } ... on List { ${same} } } }`)).toBeUndefined()
    expect(
      refusal(`{ found { ... on Task { ${same} ${times(51, () => "id")} id } ... on List { ${same} } } }`),
    ).toContain("102 repeated fields")
    expect(refusal(`{ found { ${times(60, () => "... on Task { id }")} } }`)).toContain("59 repeated fields")
    expect(refusal(`{ found { ${times(60, () => "... on Nothing { a: id }")} } }`)).toContain("60 aliases")
  })

  it("count what a fragment holds at every place where it is spread", () => {
    const aliases = times(26, (index) => `a${index}: id`)
    const text = (spreads: string) => `{ list { ${spreads} } } fragment F on List { ${aliases} }`
    expect(refusal(text("...F"))).toBeUndefined()
    expect(refusal(text("...F tasks { list { ...F } }"))).toContain("52 aliases")
  })

  it("let 50 directives through, and no more", () => {
    const text = (count: number) => `{ list { ${times(count, (index) => `a${index % 25}: id @skip(if: false)`)} } }`
    expect(refusal(`{ list { ${times(50, () => "... @skip(if: false) { id }")} } }`)).toBeUndefined()
    expect(refusal(text(51))).toContain("51 directives")
    expect(refusal("{ __typename @aa@aa@aa@aa@aa@aa@aa@aa@aa@aa }")).toContain('Unknown directive "@aa"')
  })

  it("let 30 root fields through, and no more", () => {
    const text = (count: number) => `{ ${times(count, (index) => `a${index}: __typename`)} }`
    expect(refusal(text(30))).toBeUndefined()
    expect(refusal(text(31))).toContain("31 root fields")
    const fragment = `fragment F on Query { ${times(31, (index) => `a${index}: __typename`)} }`
    expect(refusal(`{ ...F } ${fragment}`)).toContain("31 root fields")
  })

  it("refuse the same fields again and again, before they are compared in pairs", () => {
    expect(refusal(`{ ${times(500, () => "__typename")} }`)).toContain("499 repeated fields")
    expect(refusal(`{ list { ${times(500, () => "id")} } }`)).toContain("499 repeated fields")
    const fragments = times(200, (index) => `fragment F${index} on List { tasks { id title } }`)
    expect(refusal(`{ list { ${times(200, (index) => `...F${index}`)} } } ${fragments}`)).toContain(
      "199 repeated fields",
    )
    expect(refusal("{ list { id id title ...F } } fragment F on List { id title }")).toBeUndefined()
  })

  it("let 4,000 tokens through, and no more", () => {
    const text = (fields: number) => `{ list { ${times(fields, () => "id")} } }`
    expect(refusal(text(3_994))).toContain("3993 repeated fields")
    expect(refusal(text(4_000))).toContain("4000 tokens")
    expect(refusal(`{ ${"a { ".repeat(500_000)}`)).toContain("4000 tokens")
  })

  it("refuse fragments that would grow to more than 2,000 fields, and such that never end", () => {
    const fragments = times(
      11,
      (index) =>
        `fragment F${index} on Task { list { tasks { ...F${index + 1} } } size: list { tasks { ...F${index + 1} } } }`,
    )
    const text = `{ task(id: 1) { ...F0 } } ${fragments} fragment F11 on Task { id }`
    expect(refusal(text)).toContain("fields; at most 2000 are allowed")
    expect(refusal("{ list { ...A } } fragment A on List { tasks { list { ...A } } }")).toContain(
      "Cannot spread fragment",
    )
    expect(refusal("{ list { ...A } } fragment A on List { ...B } fragment B on List { ...A }")).toContain(
      "Cannot spread",
    )
    expect(refusal("{ list { ...A } } fragment A on List { ...A id }")).toContain("Cannot spread")
  })

  it("let tools read the schema, as deep as that is, but not in circles", () => {
    expect(refusal(getIntrospectionQuery())).toBeUndefined()
    const circle =
      "{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }"
    expect(refusal(circle)).toContain("Maximum introspection depth exceeded")
  })

  it("keep the schema to themselves in production", () => {
    expect(refusal(getIntrospectionQuery(), PRODUCTION)).toContain("introspection has been disabled")
    expect(refusal('{ __type(name: "Task") { name } }', PRODUCTION)).toContain("introspection has been disabled")
    expect(refusal("{ __typename list { __typename } }", PRODUCTION)).toBeUndefined()
    const typos = [
      "{ lisst { id } }",
      "{ list { tittle } }",
      "{ list(idd: 1) { id } }",
      "query ($a: Tasc) { list(id: $a) { id } }",
      '{ echo(input: { listId: 1, tittle: "t", title: "t" }) }',
      "{ list { ...F } } fragment F on Lisst { id }",
      "{ list { id @skipp(if: true) } }",
    ]
    for (const typo of typos) expect(refusalOrRequest(typo, PRODUCTION)).not.toMatch(/did you mean|Date|SMALL/i)
    expect(refusal("{ list { tittle } }")).toContain('Did you mean "title"')
  })

  it("do not hold for our own documents", () => {
    expect(() => createOperations(schema).fixed(deep(20))).not.toThrow()
  })
})

/** As `refusal`, for texts that may also be refused as a request. */
function refusalOrRequest(text: string, rules: typeof PRODUCTION): string {
  try {
    createOperations(schema, rules).prepare(text)
  } catch (error) {
    if (error instanceof InvalidDocument) return error.message
  }
  throw new Error(`${text} was prepared`)
}

describe("the objects that a run is given", () => {
  // A list of 400 that each lead back to the list: 160,000 entries, of which no guess knows.
  const Item: GraphQLObjectType = new GraphQLObjectType({
    name: "Item",
    fields: () => ({
      id: { type: ID },
      items: { type: new GraphQLList(Item), resolve: async () => Array.from({ length: 400 }, (_, id) => ({ id })) },
    }),
  })
  const many = () => createOperations(new GraphQLSchema({ query: Item }))

  it("are counted where a list lies within itself, and the run ends at 100,000 with one error and no half of an answer", async () => {
    const { run } = many().prepare("{ items { items { id } } }")
    for (const _ of ["executed", "compiled"]) {
      const { data, errors = [] } = await run({})
      expect([data, errors.map(({ message, extensions }) => [extensions.code, message])]).toEqual([
        null,
        [["TOO_LARGE", expect.stringContaining("at most 100000 entries of lists")]],
      ])
    }
  })

  it("are not counted together over runs", async () => {
    const { run } = many().prepare("{ items { ... @include(if: false) { items { id } } } }")
    const context = {}
    for (let index = 0; index < 300; index++) expect((await run(context)).errors).toBeUndefined()
  })
})

describe("the cost of an operation", () => {
  const cost = async (text: string, variables?: Record<string, unknown>) => {
    const { errors } = await createOperations(schema).prepare(text).run({ ran: [] }, variables)
    return errors?.[0]?.message
  }

  it("is refused when lists within lists make more than 25,000 objects", async () => {
    expect(await cost("{ lists { tasks { list { tasks { id } } } } }")).toBeUndefined()
    const text = "{ lists { tasks { list { tasks { list { tasks { list { tasks { id } } } } } } } } }"
    expect(refusal(text)).toMatch(/is expected to read \d+ objects; at most 25000 are allowed/)
  })

  it("counts a page by its length, written or in a variable", async () => {
    const text = (first: string) =>
      `query ($n: Int = 40) { lists { taskConnection(first: ${first}) { nodes { list { tasks { id } } } } } }`
    expect(await cost(text("$n"))).toBeUndefined()
    expect(await cost(text("$n"), { n: 100 })).toBeUndefined()
    expect(await cost(text("$n"), { n: 300 })).toContain("objects; at most 25000")
    expect(refusal(text("300").replace("($n: Int = 40)", ""))).toContain("objects; at most 25000")
  })

  it("counts each object in a page of a plain list, and what is in it", () => {
    const full = buildSchema()
    const objects = (text: string) => {
      const document = parse(text)
      return costOf(full, document, document.definitions[0] as OperationDefinitionNode, {}).cost
    }
    expect(objects("{ tasks(listId: 1, first: 7) { id } }")).toBe(7)
    expect(objects("{ tasks(listId: 1, first: 7) { list { id } subtaskConnection(first: 2) { nodes { id } } } }")).toBe(
      35,
    )
    expect(objects("{ tasks(listId: 1) { id } }")).toBe(10)
  })

  it("takes no negative page as a discount", async () => {
    const text =
      "query ($n: Int) { lists { taskConnection(first: $n) { nodes { id } } tasks { list { tasks { list { tasks { list { tasks { id } } } } } } } } }"
    expect(await cost(text, { n: -2_000_000_000 })).toContain("objects; at most 25000")
  })
})
