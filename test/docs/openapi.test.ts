import { readFileSync } from "node:fs"
import {
  type GraphQLArgument,
  GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputField,
  GraphQLScalarType,
  getNamedType,
  isInputObjectType,
  isObjectType,
} from "graphql"
import { describe, expect, it } from "vitest"
import { limitedTypeOf } from "../../src/operations/standard-types.js"
import { buildOpenApi } from "../../src/transports/docs/openapi.js"
import { scalarSchemas } from "../../src/transports/docs/scalar.schemas.js"
import { servedSchema } from "../../src/transports/docs/served-schema.js"
import { resourceRoutes, routes } from "../../src/transports/rest/routes.js"
import { schemaName } from "../../src/transports/rest/wire-case.js"
import { checkExchange, faultOfDelivery } from "../support/openapi.js"

const schema = servedSchema()
const document: any = buildOpenApi(schema, resourceRoutes)
const operationAt = (method: string, path: string) =>
  document.paths[`/api/v1${path.replaceAll(/:(\w+)/g, "{$1}")}`]?.[method.toLowerCase()]

describe("openapi.json (ours)", () => {
  it("is what the rows and the schema say: npm run schema prints it", () => {
    expect(JSON.parse(readFileSync("openapi.json", "utf8"))).toEqual(JSON.parse(JSON.stringify(document)))
  })

  it("has every row with its statuses, and every PATCH as a PUT too", () => {
    for (const { method, path, status, wunderlistStatus } of routes) {
      const operation = operationAt(method, path)
      expect([method, path, Object.keys(operation.responses)]).toEqual([
        method,
        path,
        expect.arrayContaining([String(status), String(wunderlistStatus), "400", "401", "429", "500", "503"]),
      ])
      if (method === "PATCH") expect(operationAt("PUT", path)["x-alias-of"]).toBe(operation.operationId)
    }
    const ids = Object.values<any>(document.paths).flatMap((place) =>
      Object.values<any>(place).map((one) => one.operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })

  it("titles every operation by a verb and what it does it to, in a few words", () => {
    const titles = Object.values<object>(document.paths).flatMap((path) =>
      Object.values(path).flatMap(({ summary }: { summary?: string }) => summary ?? []),
    )
    expect(titles).toContain("Find tasks")
    expect(titles.filter((title) => !/^(?!What |Where |\w+s )[A-Z][a-z]+ .{1,45}$/.test(title))).toEqual([])
  })

  it("names the GraphQL counterpart of every row, and the schema names the row of every counterpart", () => {
    for (const { method, path } of routes) {
      const { operationId, description, "x-graphql-operation": counterpart } = operationAt(method, path)
      expect(description).toContain(`[\`${operationId}\`](/graphql?query=`)
      const root = method === "GET" ? schema.getQueryType() : schema.getMutationType()
      expect(counterpart).toMatch(new RegExp(`^(query|mutation) \\w+.*\\{\\s+${operationId}\\b`, "s"))
      expect(root?.getFields()[operationId]?.description).toContain(
        `REST: [${method} /api/v1${path}](docs#${operationId})`,
      )
    }
  })

  it("says what is different in the two dialects", () => {
    expect(operationAt("POST", "/folders").responses[200]["x-dialect"]).toBe("spec")
    expect(operationAt("POST", "/folders").responses[201]["x-dialect"]).toBe("wunderlist")
    const [spec, wunderlist] = operationAt("POST", "/reminders").responses[201].content["application/json"].schema.oneOf
    expect([spec.title, spec.type, wunderlist.title]).toEqual(["spec", "array", "wunderlist"])
    expect(operationAt("GET", "/reminders").description).toMatch(/dialect `wunderlist`.* return all of them/)
    expect(operationAt("DELETE", "/webhooks/:id").description).toMatch(/dialect `wunderlist` it requires no `revision`/)
  })
})

describe("the limits of scalars in JSON Schema (ours)", () => {
  const limits = new Map(
    Object.values(schema.getTypeMap())
      .flatMap((type): (GraphQLArgument | GraphQLInputField | GraphQLField<unknown, unknown>)[] => {
        if (isInputObjectType(type)) return Object.values(type.getFields())
        return isObjectType(type) ? Object.values(type.getFields()).flatMap((field) => [field, ...field.args]) : []
      })
      .map((place) => getNamedType(limitedTypeOf(place as GraphQLArgument)))
      .map((type) => [type.name, type] as const),
  )
  const scalarNamed = (name: string) => limits.get(name) as GraphQLScalarType
  const accepts = (name: string, value: unknown): boolean => {
    try {
      scalarNamed(name).parseValue(value)
      return true
    } catch {
      return false
    }
  }

  it("are there for every scalar and enum of an input", () => {
    for (const [name, { read, example }] of Object.entries(scalarSchemas)) {
      expect(scalarNamed(name), name).toBeInstanceOf(GraphQLScalarType)
      // Names of members are in snake_case over REST and in camelCase in the schema; kinds of events are the same in both.
      const values = read.enum as string[] | undefined
      for (const value of (name === "EventKind" ? values : values?.map(schemaName)) ?? [example])
        expect([name, value, accepts(name, value)]).toEqual([name, value, true])
    }
    expect(schema.getType("RecurrenceType")).toBeInstanceOf(GraphQLEnumType)
  })

  it.each(Object.entries(scalarSchemas).filter(([, { read }]) => read.maxLength !== undefined))(
    "%s ends where the scalar ends",
    (name, { read, example }) => {
      const [min = 0, max] = [read.minLength as number | undefined, read.maxLength as number]
      const grow = (length: number) => `${example}${"x".repeat(max + 1)}`.slice(0, length)
      expect([accepts(name, grow(max)), accepts(name, grow(max + 1))]).toEqual([true, false])
      expect(accepts(name, "")).toBe(min === 0)
    },
  )

  it.each(Object.entries(scalarSchemas).filter(([name, { read }]) => read.maximum !== undefined && name !== "ID"))(
    "%s begins and ends where the scalar does",
    (name, { read }) => {
      const { minimum, maximum } = read as { minimum: number; maximum: number }
      expect([minimum - 1, minimum, maximum, maximum + 1].map((value) => accepts(name, value))).toEqual([
        false,
        true,
        true,
        false,
      ])
    },
  )

  it("of names, dates and digests agree on what they refuse", () => {
    const samples: Record<string, string[]> = {
      Title: [" ", "\t", "a"],
      Date: ["2026-1-2", "2026-01-02", "x"],
      DateTime: ["2026-01-02", "2026-01-02T03:04:05Z", "2026-01-02 03:04+01"],
      Md5: ["9e107d9d372bb6826bd81d3542a419d6", "9e107d", "nhB9nTcrtoJr2B01QqQZ1g=="],
      FileName: ["a\r\nb", "a b.txt"],
      ContentType: ["", "text/plain", "a\u0000"],
      WebhookUrl: ["ftp://example.org", "HTTPS://example.org/x", "x"],
    }
    for (const [name, values] of Object.entries(samples))
      for (const value of values) {
        const { pattern = "" } = scalarSchemas[name]!.read as { pattern?: string }
        expect([name, value, new RegExp(pattern, "u").test(value)]).toEqual([name, value, accepts(name, value)])
      }
  })
})

describe("what the suite holds answers against (ours)", () => {
  const list = document.components.schemas.List
  const body = operationAt("GET", "/lists/:id").responses[200].content["application/json"].example
  const exchange = (change: object) => ({
    method: "GET",
    path: "/api/v1/lists/12",
    sent: undefined,
    status: 200,
    headers: new Headers({ "X-Request-Id": "x", ETag: 'W/"1"' }),
    body,
    text: JSON.stringify(body),
    dialect: "spec",
    ...change,
  })

  it("takes what the document says", () => {
    expect(() => checkExchange(exchange({}))).not.toThrow()
    expect(() => checkExchange(exchange({ path: "/api/v1/lists/12/" }))).not.toThrow()
  })

  it.each([
    ["a member too many", { body: { ...body, colour: "red" } }, /must NOT have additional properties/],
    ["a member too few", { body: { ...body, title: undefined } }, /required property 'title'/],
    ["another type", { body: { ...body, id: "12" } }, /body\/id must be integer/],
    ["null", { body: { ...body, created_by_request_id: null } }, /created_by_request_id must be string/],
    ["another status", { status: 202 }, /no answer with 202 is described/],
    ["no request id", { headers: new Headers({ ETag: 'W/"1"' }) }, /X-Request-Id is missing/],
    ["an unknown path that is answered", { path: "/api/v1/colours" }, /no such operation/],
    ["an error that is none", { status: 404, body: {} }, /required property 'error'/],
  ])("refuses %s", (_what, change, message) => {
    expect(list.required).toContain("title")
    expect(() => checkExchange(exchange(change))).toThrow(message)
  })

  it("tells the dialects apart", () => {
    const reminder = operationAt("POST", "/reminders").responses[201].content["application/json"].examples
    const made = { method: "POST", path: "/api/v1/reminders", status: 201 }
    const answered = (dialect: string, example: unknown) => () =>
      checkExchange(exchange({ ...made, dialect, body: example }))
    expect(answered("spec", reminder.spec.value)).not.toThrow()
    expect(answered("spec", reminder.wunderlist.value)).toThrow(/must be array/)
    expect(answered("wunderlist", reminder.spec.value)).toThrow(/must be object/)
    const folder = operationAt("POST", "/folders").responses[200].content["application/json"].example
    const sent = { title: "Home", list_ids: [12] }
    const wrong = { method: "POST", path: "/api/v1/folders", status: 201, body: folder, sent, dialect: "spec" }
    expect(() => checkExchange(exchange(wrong))).toThrow(/the answer of the dialect wunderlist/)
  })

  it("holds deliveries against it too", () => {
    const { parameters, requestBody } = document.webhooks.delivery.post
    const headers = Object.fromEntries(parameters.map(({ name, example }: any) => [name, example]))
    const { example } = requestBody.content["application/json"]
    expect(faultOfDelivery(headers, example)).toBeUndefined()
    expect(faultOfDelivery({}, example)).toContain("no header webhook-id")
    expect(faultOfDelivery(headers, { ...example, colour: 1 })).toContain("must NOT have additional properties")
    expect(faultOfDelivery(headers, { ...example, list_id: "12" })).toContain("/list_id must be integer")
  })

  it("refuses a request that was accepted and that the document would not let out", () => {
    const folder = operationAt("POST", "/folders").responses[200].content["application/json"].example
    const made = { method: "POST", path: "/api/v1/folders", body: folder, sent: { title: "Home" } }
    expect(() => checkExchange(exchange(made))).toThrow(/accepted what was sent, .*'list_ids'/)
  })
})
