import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { cpuMs } from "./cpu-ms.js"
import { smallSchema as schema } from "./small-schema.js"
import { codes, GOOD, startSmallServer } from "./small-server.js"

let server: Awaited<ReturnType<typeof startSmallServer>>
beforeAll(async () => {
  server = await startSmallServer()
})
afterAll(() => server.stop())
beforeEach(() => {
  server.lines.length = 0
  server.ran.length = 0
})

describe("POST /graphql", () => {
  it("answers the same bytes when an operation is new and when it is prepared", async () => {
    const body = { query: "query ($id: ID!) { task(id: $id) { id title late } }", variables: { id: "3" } }
    const [first, second, third] = [await server.post(body), await server.post(body), await server.post(body)]
    expect(first.body).toEqual({ data: { task: { id: "3", title: "Task 1", late: "late" } } })
    for (const next of [second, third]) {
      expect(next?.text).toBe(first?.text)
      expect(next?.status).toBe(200)
      expect(next?.headers.get("content-type")).toBe(first?.headers.get("content-type"))
    }
  })

  it("answers the same errors through both ways in", async () => {
    for (const [query, variables, status, code] of [
      ["mutation { fail }", {}, 200, "VALIDATION_ERROR"],
      ["query ($id: ID!) { task(id: $id) { missing } }", { id: 1 }, 200, "NOT_FOUND"],
      ["query ($id: ID!) { task(id: $id) { id } }", {}, 400, "MISSING_PARAMETER"],
      ["{ task(id: 1) { broken } }", {}, 200, "SERVER_ERROR"],
      ["{ nothing }", {}, 200, "SERVER_ERROR"],
    ] as const) {
      const body = { query: `${query} # both ways`, variables }
      server.operations.get(body.query)
      const [viaApollo, viaFront] = [await server.post(body), await server.post(body)]
      expect([viaApollo.status, codes(viaApollo.body)]).toEqual([status, [code]])
      expect([viaFront.status, viaFront.text]).toEqual([status, viaApollo.text])
    }
  })

  it("runs the operation of the name that was sent", async () => {
    const query = "query A { task(id: 1) { id } } query B { list { title } }"
    for (const _ of [1, 2]) {
      expect((await server.post({ query, operationName: "B" })).body).toEqual({
        data: { list: { title: "Groceries" } },
      })
      expect((await server.post({ query, operationName: "A" })).body).toEqual({ data: { task: { id: "1" } } })
      expect((await server.post({ query, operationName: null })).status).toBe(400)
    }
    const named = { query: "query Only { list { id } }" }
    await server.post(named)
    expect(server.operations.get(named.query)).toBeDefined()
  })

  it("answers 401 without a viewer, except to operations that ask only for the schema", async () => {
    for (const _ of [1, 2]) {
      const { status, body } = await server.post({ query: "{ list { id } }" }, {})
      expect([status, body]).toEqual([
        401,
        { errors: [expect.objectContaining({ extensions: { code: "UNAUTHORIZED" } })] },
      ])
      expect((await server.post({ query: "{ __typename }" }, {})).body).toEqual({ data: { __typename: "Query" } })
      expect((await server.post({ query: "{ __typename list { id } }" }, {})).status).toBe(401)
    }
    expect((await server.post({ query: "mutation { count }" }, { "x-access-token": "bad" })).status).toBe(401)
    expect(server.ran).toEqual([])
  })

  it("answers 503 with Retry-After when the database is gone", async () => {
    for (const reply of [
      await server.post({ query: "{ gone }" }, { "x-access-token": "down" }),
      await server.post({ query: "query ($a: Int) { echo(count: $a) }" }, { "x-access-token": "down" }),
    ]) {
      expect([reply.status, codes(reply.body), reply.headers.get("retry-after")]).toEqual([503, ["UNAVAILABLE"], "1"])
    }
  })

  it("logs what a client may not see, under the request's id, and shows nothing of it", async () => {
    for (const _ of [1, 2]) {
      server.lines.length = 0
      const { body, text } = await server.post(
        { query: "{ task(id: 1) { id broken } }" },
        { ...GOOD, "x-request-id": "r-17" },
      )
      expect(text).not.toContain("secret")
      expect(body).toMatchObject({ data: { task: { id: "1", broken: null } }, errors: [{ path: ["task", "broken"] }] })
      expect(server.lines).toContainEqual(
        expect.objectContaining({
          requestId: "r-17",
          err: expect.objectContaining({ message: "a secret of the database" }),
        }),
      )
    }
  })

  it("shows no stack, whatever went wrong", async () => {
    for (const query of ["{ nothing }", "{ nope }", "{", "{ task(id: 1) { missing broken } }"])
      expect((await server.post({ query })).text).not.toMatch(/stack|node_modules|\.[jt]s\b/)
  })

  it("refuses subscriptions, which are for WebSockets", async () => {
    const query = "subscription { taskCreated(listId: 1) { id } }"
    for (const _ of [1, 2]) {
      const { status, body } = await server.post({ query })
      expect([status, codes(body)]).toEqual([400, ["BAD_REQUEST"]])
    }
  })

  it("refuses fields in a document that are not there, once and again", async () => {
    for (const _ of [1, 2]) {
      const { status, body, text } = await server.post({ query: "{ list { titel } }" })
      expect([status, codes(body)]).toEqual([400, ["GRAPHQL_VALIDATION_FAILED"]])
      expect(text).not.toContain("Did you mean")
    }
  })

  it("leaves the resolvers of the schema alone", () => {
    expect(schema.getType("Task")).toHaveProperty("_fields.title.resolve", undefined)
  })

  it("runs no mutation twice when it fails", async () => {
    const query = "mutation { fail }"
    await server.post({ query })
    server.ran.length = 0
    await server.post({ query })
    expect(server.ran).toEqual(["fail"])
  })
})

describe("other requests to /graphql", () => {
  const search = (query: string) => `?query=${encodeURIComponent(query)}`

  it("GET answers a query of a client that a browser has let through", async () => {
    const { status, body } = await server.send({ headers: GOOD }, search("{ list { id } }"))
    expect([status, body]).toEqual([200, { data: { list: { id: "7" } } }])
    expect((await server.send({}, search("{ __typename }"))).status).toBe(400)
  })

  it("GET with a mutation is 405", async () => {
    const { status, headers } = await server.send({ headers: GOOD }, search("mutation { count }"))
    expect([status, headers.get("allow")]).toEqual([405, "POST"])
    expect((await server.send({}, search("mutation { count }"))).status).toBe(400)
    expect(server.ran).toEqual([])
  })

  it("any other method is 405", async () => {
    for (const method of ["PUT", "DELETE", "PATCH"])
      expect((await server.send({ method, headers: GOOD })).status).toBe(405)
  })

  it("a persisted query is told to be sent whole", async () => {
    const query = "{ list { title } }"
    for (const persistedQuery of [
      { version: 1, sha256Hash: "ab".repeat(32) },
      { version: 1, sha256Hash: "no hash" },
      { version: "1", sha256Hash: 5 },
      { version: 9 },
      [],
      "x",
    ])
      for (const body of [{ extensions: { persistedQuery } }, { query, extensions: { persistedQuery } }])
        expect(codes((await server.post(body)).body)).toEqual(["PERSISTED_QUERY_NOT_SUPPORTED"])
    expect((await server.post({ query, extensions: { other: 1 } })).body).toEqual({
      data: { list: { title: "Groceries" } },
    })
    expect(server.lines.filter(({ err }) => err)).toEqual([])
  })

  it.each([
    { extensions: "x" },
    { extensions: 5, query: "{ __typename }" },
    { extensions: { persistedQuery: null } },
    { query: 5 },
    { query: { kind: "Document" } },
    { query: "" },
    { query: "{ __typename }", variables: [] },
    { query: "{ __typename }", variables: "{}" },
    { query: "{ __typename }", operationName: 7 },
    { query: "query A { __typename }", operationName: "B" },
    { query: "query ($a: Nothing) { echo(count: $a) }" },
    { query: "subscription { taskCreated(listId: 1) { id } }" },
    [{ query: "{ __typename }" }],
    "null",
    "[]",
  ])("is a fault of its client, and no line of the log: %j", async (body) => {
    for (const _ of [1, 2]) {
      const reply = await server.post(body)
      expect([reply.status, codes(reply.body)]).toEqual([400, [expect.not.stringMatching(/SERVER_ERROR/)]])
    }
    expect(server.lines.filter(({ err }) => err)).toEqual([])
  })

  it.each([
    ["*/*", "json"],
    ["application/*", "json"],
    ["application/json", "json"],
    ["APPLICATION/JSON; charset=utf-8", "json"],
    ["application/graphql-response+json, application/json", "graphql-response+json"],
    ["application/json, application/graphql-response+json", "json"],
    ["application/graphql-response+json;q=0.9, application/json", "json"],
    ["application/json;q=0.1, application/graphql-response+json;q=0.2", "graphql-response+json"],
    ["application/graphql-response+json", "graphql-response+json"],
    ["text/html, */*;q=0.1", "json"],
    ["multipart/mixed;deferSpec=20220824, application/json", "json"],
    ["text/html", undefined],
    ["application/json;q=0", undefined],
  ])(
    "gets one media type whatever has been prepared, and nothing is run for none: Accept: %s",
    async (accept, type) => {
      for (const [query, status] of [
        [`mutation { count } # ${accept}`, 200],
        [`query ($id: ID!) { task(id: $id) { id } } # ${accept}`, 400],
      ] as const) {
        const replies = [1, 2, 3].map(() => () => server.post({ query }, { ...GOOD, accept }))
        for (const post of replies) {
          const { status: answered, headers } = await post()
          const expected =
            type === undefined
              ? [406, "application/json; charset=utf-8"]
              : [status, `application/${type}; charset=utf-8`]
          expect([answered, headers.get("content-type")]).toEqual(expected)
        }
      }
      expect(server.ran.length).toBe(type === undefined ? 0 : 3)
    },
  )

  it("too much of anything is 4xx within 50 ms", async () => {
    const times = (count: number, text: (index: number) => string) =>
      Array.from({ length: count }, (_, index) => text(index)).join(" ")
    const attacks = [
      `{ ${times(101, (index) => `a${index}: __typename`)} }`,
      `{ ${times(500, () => "__typename")} }`,
      "{ __typename @aa@aa@aa@aa@aa@aa@aa@aa@aa@aa }",
      "{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }",
      `{ ${"list { tasks { ".repeat(400)} id ${"} }".repeat(400)} }`,
      `{ ${"a ".repeat(200_000)} }`,
      `fragment A on Query { ...A } { ...A }`,
      "{ titel }",
    ]
    for (const query of attacks) {
      const elapsed: number[] = []
      for (const _ of [1, 2, 3]) {
        const cpu = cpuMs()
        const { status, text } = await server.post({ query })
        elapsed.push(cpuMs() - cpu)
        expect([query.slice(0, 40), status]).toEqual([query.slice(0, 40), 400])
        expect(text).not.toMatch(/did you mean/i)
      }
      expect(Math.min(...elapsed)).toBeLessThan(50)
    }
  })
})
