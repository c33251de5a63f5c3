import { type ExecutionResult, execute, getOperationAST, parse, validate } from "graphql"
import { compileQuery } from "graphql-jit"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { isCompilable } from "../../src/operations/compile.js"
import { createOperations } from "../../src/operations/operations.js"
import { smallSchema as schema } from "./small-schema.js"

/** All code that this process makes out of text, as it is made. */
const sources: string[] = []
const RealFunction = globalThis.Function
beforeAll(() => {
  const seen = <Result>(args: unknown[], make: () => Result): Result => {
    sources.push(args.join("\n"))
    return make()
  }
  globalThis.Function = new Proxy(RealFunction, {
    construct: (target, args) => seen(args, () => Reflect.construct(target, args)),
    apply: (target, self, args) => seen(args, () => Reflect.apply(target, self, args)),
  })
})
afterAll(() => {
  globalThis.Function = RealFunction
})
beforeEach(() => {
  sources.length = 0
})

/** Stands in every name and value that a client writes here, and nowhere else. */
const MARK = /zq|7345/i

/** A word that graphql-jit pastes as code what follows. */
const MAGIC = "__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d"

/** A value of each kind that a document can hold. */
const VALUES = {
  string: '"zq \\" + zq() + \\u2028"',
  "block string": '"""zq\n" + zq()"""',
  enum: "zqEnum",
  int: "7345001",
  float: "-0.7345007",
  object: '{ zqKey: 7345002, __proto__: { zqInner: "zq" }, zqList: [zqEnum] }',
  list: '[7345003, "zq", [zqEnum, { zqKey: null }]]',
  null: "null",
  boolean: "true",
  "magic enum": `${MAGIC}zqCall`,
  "magic string": `"${MAGIC}globalThis.zqCalled=7345004"`,
  "magic key": `{ ${MAGIC}zqKey: "${MAGIC}zqCall()" }`,
  variable: "$zqVar",
  "variable inside": '{ zqKey: [$zqVar, "zq"], zqOther: $zqVar }',
}

/** A document for each place that a value can stand at. Whatever else can be named is named by the client. */
const PLACES: Record<string, (value: string) => string> = {
  "an argument of the query": (value) => `query zqOp(${VARIABLES}) { zqAlias: echo(any: ${value}) }`,
  "an argument deep inside": (value) =>
    `query zqOp(${VARIABLES}) { list { zqTasks: tasks { zqSaid: said(any: ${value}) } } }`,
  "a named fragment": (value) =>
    `query zqOp(${VARIABLES}) { list { ...zqList } } fragment zqList on List { tasks { ...zqTask } } fragment zqTask on Task { said(any: ${value}) }`,
  "an inline fragment": (value) =>
    `query zqOp(${VARIABLES}) { zqFound: named { zqType: __typename ... on Task { zqSaid: said(any: ${value}) } } }`,
  "a list": (value) => `query zqOp(${VARIABLES}) { echo(any: [1, ${value}]) }`,
  "an object": (value) => `query zqOp(${VARIABLES}) { echo(any: { inner: { any: ${value} } }) }`,
  "an input's member": (value) =>
    `query zqOp(${VARIABLES}) { echo(input: { listId: 7345005, title: "zqTitle", size: LARGE, any: ${value} }) }`,
  "a variable's default": (value) =>
    value.includes("$")
      ? "query ($zqVar: Anything) { echo(any: $zqVar) }"
      : `query ($zqVar: Anything = ${value}) { zqAlias: echo(any: $zqVar) }`,
  "beside a condition": (value) =>
    `query zqOp(${VARIABLES}, $zqIf: Boolean! = true) { zqAlias: list @include(if: $zqIf) { zqTasks: tasks @skip(if: false) { said(any: ${value}) } } }`,
  "an argument of the mutation": (value) => `mutation zqOp(${VARIABLES}) { zqAlias: say(any: ${value}) }`,
  "an argument of the subscription": (value) => `subscription zqOp(${VARIABLES}) { zqAlias: said(any: ${value}) }`,
}
const VARIABLES = "$zqVar: Anything"

const CASES = Object.entries(PLACES).flatMap(([place, document]) =>
  Object.entries(VALUES).map(([kind, value]) => {
    const text = document(value)
    // A variable that nothing uses would be refused.
    const unused = text.split("$zqVar").length === 2 && !/: \$zqVar/.test(text.slice(text.indexOf("{")))
    return {
      place,
      kind,
      text: unused ? text.replace(/\(\$zqVar: Anything\)/, "").replace("$zqVar: Anything, ", "") : text,
    }
  }),
)

const SENT = [undefined, { zqVar: { zqKey: [`${MAGIC}zqCall`, 7_345_006] }, zqIf: true }]

const shown = ({ data, errors }: ExecutionResult) => JSON.stringify({ data, errors })

describe("text of a client", () => {
  it.each(Object.keys(PLACES))("is in no code that is made of its document: %s", async (name) => {
    for (const { kind, text } of CASES.filter(({ place }) => place === name)) {
      const document = parse(text)
      expect([kind, validate(schema, document)]).toEqual([kind, []])
      expect([kind, isCompilable(document, getOperationAST(document)!)]).toEqual([kind, true])
      const { run } = createOperations(schema).prepare(text)
      // Compiled at its second run.
      for (const variables of [undefined, ...SENT]) {
        const contextValue = { ran: [] }
        const wanted = await execute({ schema, document, variableValues: variables, contextValue })
        expect([kind, shown(await run(contextValue, variables))]).toEqual([kind, shown(wanted)])
      }
      expect(sources.join("\n")).toMatch(/Resolver/)
      expect(sources.filter((source) => MARK.test(source))).toEqual([])
    }
    expect(globalThis).not.toHaveProperty("zqCalled")
  })

  it("would be seen here if it were", () => {
    for (const { kind, text } of CASES) {
      sources.length = 0
      compileQuery(schema, parse(text), "")
      expect([kind, text, sources.some((source) => MARK.test(source)) || /null|boolean/.test(kind)]).toEqual([
        kind,
        text,
        true,
      ])
    }
  })
})
