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
} from "graphql"
import { describe, expect, it } from "vitest"
import { createOperations } from "../../src/operations/operations.js"
import { limitedTypeOf } from "../../src/operations/standard-types.js"
import { FIRST_TABS } from "../../src/transports/graphql/explorer-page.js"
import { buildSchema } from "../../src/transports/graphql/schema.js"

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

  it("is not answered many times over in one operation", () => {
    const fields = "name description args { name description type { name kind } } type { name kind }"
    const text = (count: number) =>
      `{ __schema { types { ${Array.from({ length: count }, (_, index) => `a${index}: fields { ${fields} }`).join(" ")} } } }`
    const { prepare } = createOperations(schema)
    expect(() => prepare(text(2))).not.toThrow()
    expect(() => prepare(text(48))).toThrow(/is expected to read \d+ objects; at most 25000 are allowed/)
    const whole = getIntrospectionQuery().replace(/^[^{]*{\s*__schema/, "fragment Q on Query { __schema")
    expect(() => prepare(`{ a: __typename ...Q } ${whole}`)).not.toThrow()
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
