import { isDeepStrictEqual } from "node:util"
import {
  type GraphQLArgument,
  type GraphQLInputType,
  getIntrospectionQuery,
  getNamedType,
  isInputObjectType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  parse,
  validate,
  validateSchema,
} from "graphql"
import { describe, expect, it } from "vitest"
import { createOperations } from "../../src/operations/operations.js"
import { limitedTypeOf } from "../../src/operations/standard-types.js"
import { FIRST_TABS } from "../../src/transports/graphql/first-tabs.js"
import { buildSchema } from "../../src/transports/graphql/schema.js"
import { cpuMs } from "./cpu-ms.js"

const schema = buildSchema()
const types = Object.values(schema.getTypeMap()).filter(
  (type) => !type.name.startsWith("__") && !isSpecifiedScalarType(type),
)
const inputs = types.filter(isInputObjectType)
const objects = types.filter(isObjectType)

const namesWithin = (type: GraphQLInputType, seen: ReadonlySet<string> = new Set()): string[] => {
  const named = getNamedType(type)
  if (!isInputObjectType(named)) return []
  if (seen.has(named.name)) return [named.name]
  return Object.values(named.getFields()).flatMap((field) => namesWithin(field.type, new Set([...seen, named.name])))
}

it("is a valid schema", () => {
  expect(validateSchema(schema)).toEqual([])
})

describe("the schema, for the sake of the compiler", () => {
  it("has no input that contains itself", () => {
    expect(inputs.flatMap((input) => namesWithin(input))).toEqual([])
    expect(inputs.length).toBeGreaterThan(0)
  })

  it("has no @oneOf, which compiled operations would not check", () => {
    expect(inputs.filter(({ isOneOf }) => isOneOf)).toEqual([])
  })

  it("has only defaults that JSON can write, because compiled code holds them so", () => {
    const defaults = [
      ...inputs.flatMap((input) => Object.values(input.getFields())),
      ...objects.flatMap((type) => Object.values(type.getFields()).flatMap(({ args }) => args)),
    ].flatMap(({ name, defaultValue }) => (defaultValue === undefined ? [] : [[name, defaultValue]]))
    for (const pair of defaults) expect(isDeepStrictEqual(JSON.parse(JSON.stringify(pair)), pair)).toBe(true)
    expect(defaults.length).toBeGreaterThan(0)
  })

  it("has plain properties where a value needs no work", () => {
    createOperations(schema)
    expect(schema.getType("Task")).toHaveProperty("_fields.title.resolve", undefined)
    expect(schema.getType("List")).toHaveProperty("_fields.revision.resolve", undefined)
  })
})

describe("the schema, for those who ask for all of it", () => {
  it("is answered once for all who ask in the same way", async () => {
    const { run } = createOperations(schema).prepare(getIntrospectionQuery())
    const first = await run({})
    expect(first.errors).toBeUndefined()
    expect(await run({})).toBe(first)
  })

  const FULL = {
    descriptions: true,
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
  }
  const ofTypes = (levels: number) => `${"ofType { kind name ".repeat(levels)}${"}".repeat(levels)}`
  const withDepth = (text: string, levels: number) =>
    text.replace(/fragment TypeRef[\s\S]*$/, `fragment TypeRef on __Type { kind name ${ofTypes(levels)} }`)
  /** As Apollo's tools ask. */
  const ROVER = `query GraphIntrospectQuery { __schema {
      queryType { name } mutationType { name } subscriptionType { name } types { ...FullType }
      directives { name description locations args { ...InputValue } } } }
    fragment FullType on __Type { kind name description
      fields(includeDeprecated: true) { name description args { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason }
      inputFields { ...InputValue } interfaces { ...TypeRef }
      enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason } possibleTypes { ...TypeRef } }
    fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue }
    fragment TypeRef on __Type { kind name ${ofTypes(7)} }`
  const whole = getIntrospectionQuery(FULL).replace(/^[^{]*{\s*__schema/, "fragment Whole on Query { __schema")

  it.each([
    ["graphql-js without options", getIntrospectionQuery()],
    ["graphql-js, GraphiQL and generators of code with all options", getIntrospectionQuery(FULL)],
    ["tools that look 15 wrappings deep", withDepth(getIntrospectionQuery(FULL), 15)],
    ["Apollo's tools", ROVER],
    ["a tool that asks for something else beside it", `{ a: __typename ...Whole } ${whole}`],
    [
      "a tool that asks for one type",
      "query ($name: String!) { __type(name: $name) { fields { name type { name } } } }",
    ],
  ])("answers %s", async (_, text) => {
    const { data, errors } = await createOperations(schema).prepare(text).run({}, { name: "Mutation" })
    expect([errors, Object.keys(data ?? {}).length > 0]).toEqual([undefined, true])
  })

  const REFUSED = /asks for more than \d+ values of the schema/
  const aliases = (count: number, text: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => text(index)).join(" ")
  const fields = "name description args { name description type { name kind } } type { name kind }"
  // Types lead to fields, and those to types, most of which are wrapped once; graphql-js itself lets no more than two in each other.
  const circle = (alias: string) => `${alias}: fields { type { ofType { fields { type { name ofType { name } } } } } }`

  it.each([
    [
      "the whole of it twice",
      getIntrospectionQuery(FULL).replace("__schema {", "__schema { again: types { ...FullType }"),
    ],
    [
      "its fields under many names",
      `{ __schema { types { ${aliases(48, (index) => `a${index}: fields { ${fields} }`)} } } }`,
    ],
    ["types within types", `{ __schema { types { ${aliases(8, (index) => circle(`a${index}`))} } } }`],
    [
      "the largest type under many names",
      `{ ${aliases(30, (index) => `a${index}: __type(name: "Mutation") { ${circle("b")} }`)} }`,
    ],
    [
      "wrappings without end",
      `{ __schema { types { fields { ${aliases(8, (index) => `a${index}: type { name ${ofTypes(30)} }`)} } } } }`,
    ],
  ])("refuses %s before anything is run", (_, text) => {
    const startedAt = cpuMs()
    expect(() => createOperations(schema).prepare(text)).toThrow(REFUSED)
    // Much less than it would take to answer it.
    expect(cpuMs() - startedAt).toBeLessThan(100)
  })

  it("judges a type by the name in a variable", async () => {
    const many = aliases(40, (index) => circle(`a${index}`))
    const text = `query ($name: String!) { __type(name: $name) { ${many} } }`
    const operation = createOperations(schema).prepare(text)
    for (const _ of ["executed", "compiled"]) {
      expect((await operation.run({}, { name: "Mutation" })).errors?.[0]?.message).toMatch(REFUSED)
      expect((await operation.run({}, { name: "DateTime" })).data).toMatchObject({ __type: { a0: null } })
      expect(await operation.run({}, { name: "Nothing" })).toEqual({ data: { __type: null } })
    }
  })
})

describe("the schema, for clients that declare variables", () => {
  const argumentsOf = objects.flatMap((type) =>
    Object.values(type.getFields()).flatMap((field) =>
      field.args.map((arg) => ({ ...arg, of: `${type.name}.${field.name}` })),
    ),
  )

  it("takes standard scalars, enums and inputs as arguments", () => {
    const odd = argumentsOf.filter(
      ({ type }) => isScalarType(getNamedType(type)) && !isSpecifiedScalarType(getNamedType(type)),
    )
    expect(odd.map(({ of, name }) => `${of}(${name})`)).toEqual([])
  })

  it("has scalars of its own only where a client gains by them", () => {
    const own = types.filter(isScalarType).map(({ name }) => name)
    expect(own.sort()).toEqual(["Date", "DateTime", "Email", "JSONObject", "PushSubscription", "URL"])
  })

  it("keeps the limit of what it shows as a standard scalar, and says it", () => {
    const places = [...argumentsOf, ...inputs.flatMap((input) => Object.values(input.getFields()))]
    const limited = places.filter((place) => limitedTypeOf(place) !== place.type)
    expect(limited.length).toBeGreaterThan(20)
    for (const place of limited) {
      const limit = getNamedType(limitedTypeOf(place))
      expect([place.name, place.description]).toEqual([
        place.name,
        expect.stringContaining(limit.description as string),
      ])
    }
  })
})

describe("the schema, for those who read it", () => {
  it("describes every type, field and argument", () => {
    const bare = types.flatMap((type) => {
      const fields = "getFields" in type ? Object.values(type.getFields()) : []
      const parts = fields.flatMap((field) => [
        [`${type.name}.${field.name}`, field.description] as const,
        ...("args" in field
          ? field.args.map(
              (arg: GraphQLArgument) => [`${type.name}.${field.name}(${arg.name})`, arg.description] as const,
            )
          : []),
      ])
      const isRoot = ["Query", "Mutation", "Subscription"].includes(type.name)
      return [...(isRoot ? [] : [[type.name, type.description] as const]), ...parts]
    })
    expect(bare.filter(([, description]) => !description).map(([name]) => name)).toEqual([])
  })

  it("fits the operations that the explorer begins with", () => {
    for (const { query, variables = "{}" } of FIRST_TABS) {
      expect(validate(schema, parse(query)).map(({ message }) => message)).toEqual([])
      expect(Object.keys(JSON.parse(variables))).toEqual([...query.matchAll(/\$(\w+):/g)].map(([, name]) => name))
    }
  })
})
