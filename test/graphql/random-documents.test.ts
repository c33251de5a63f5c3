import { type ExecutionResult, execute, parse, validate } from "graphql"
import { describe, expect, it } from "vitest"
import { isCompilable } from "../../src/operations/compile.js"
import { operationIn } from "../../src/operations/document.js"
import { createOperations } from "../../src/operations/operations.js"
import { repetitions } from "../support/repetitions.js"
import { randomOf, randomSelection } from "./random-documents.js"
import { smallSchema as schema } from "./small-schema.js"

const DOCUMENTS = repetitions(200, 30)

/** Another number makes other documents; 9,000 of them were answered alike. */
const SEED = 17

const FRAGMENTS = {
  Task: "fragment Task on Task { id title list { title } late }",
  List: "fragment List on List { id tasks { ...Task } }",
}

const TYPES: Record<string, string> = {
  id: "ID!",
  sizes: "[Size!]",
  yes: "Boolean = true",
  no: "Boolean!",
  count: "Int = 2",
  text: "String",
  tags: "[String]",
  input: "TaskInput",
}

const VALUES: Record<string, string[]> = {
  id: ["1", '"2"', "$id"],
  sizes: ["[SMALL]", "LARGE", "$sizes", "null"],
  starred: ["true", "null", "$no"],
  first: ["1", "$count"],
  text: ['"x"', "$text"],
  tags: ['["a"]', '"b"', "$tags"],
  count: ["2", "$count", "null"],
  any: ['{ a: [$count, "x"] }', "[$tags, { b: $text }]", "$input"],
  input: ['{ listId: 1, title: "t" }', "$input"],
}

const SENT: Record<string, unknown[]> = {
  id: [1, "x", "2"],
  sizes: [["SMALL"], "LARGE", null, undefined],
  yes: [true, false, undefined],
  no: [true, false],
  // Null, where the argument may not be null, is refused before anything runs: refusals.test.ts has it.
  count: [1, undefined],
  text: ["q", undefined],
  tags: [["z"], "y", undefined],
  input: [{ listId: 1, title: "t" }, null, undefined],
}

function randomRequest(random: () => number): { text: string; variables: Record<string, unknown> } {
  const isSpreading = random() < 0.5
  const body = randomSelection({
    schema,
    random,
    values: VALUES,
    fragments: isSpreading ? Object.keys(FRAGMENTS) : [],
    // Of what fails below a null that they cause, graphql-jit tells in another order than graphql-js.
    without: ["missing", "nothing"],
  })
  const used = Object.keys(TYPES).filter((name) => new RegExp(`\\$${name}\\b`).test(body))
  const head = used.length > 0 ? `query (${used.map((name) => `$${name}: ${TYPES[name]}`).join(", ")})` : "query"
  const tail = isSpreading ? `used: list { ...List } } ${Object.values(FRAGMENTS).join(" ")}` : "}"
  const sent = Object.entries(SENT).map(
    ([name, values]) => [name, values[Math.floor(random() * values.length)]] as const,
  )
  return {
    text: `${head} { ${body} ${tail}`,
    variables: Object.fromEntries(sent.filter(([, value]) => value !== undefined)),
  }
}

const shown = ({ data, errors = [] }: ExecutionResult) => [data, errors.map((error) => JSON.stringify(error)).sort()]

describe("documents made at random", () => {
  it(`are answered as graphql-js answers them: ${DOCUMENTS} of them, compiled`, async () => {
    const { fixed } = createOperations(schema)
    const random = randomOf(SEED)
    for (let compiled = 0; compiled < DOCUMENTS; ) {
      const { text, variables } = randomRequest(random)
      const document = parse(text)
      if (validate(schema, document).length > 0 || !isCompilable(document, operationIn(document, undefined))) continue
      compiled++
      const wanted = await execute({ schema, document, variableValues: variables, contextValue: { ran: [] } })
      const answer = await fixed(text).run({ ran: [] }, variables)
      expect(JSON.stringify(shown(answer)), `${text} ${JSON.stringify(variables)}`).toBe(JSON.stringify(shown(wanted)))
    }
  })
})
