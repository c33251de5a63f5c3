import type { GraphQLError, GraphQLSchema } from "graphql"
import type { Context, Dialect, Viewer } from "../../context.js"
import { BadRequest, Problem, RefusedInWords, ServerError } from "../../errors.js"
import { type Repeat, runOnce } from "../../operations/answer-once.js"
import { lacking } from "../../operations/needs.js"
import { asksNetwork } from "../../operations/once-rules.js"
import type { Operation, Operations } from "../../operations/operations.js"
import type { Route } from "../../operations/route.js"
import { inNamesOf, namesIn } from "./argument-names.js"
import { parametersOf, type Sent } from "./parameters.js"
import { type Writer, writerOf } from "./writer.js"

/** What rows need of the node they belong to. */
export type RowParts = {
  readonly schema: GraphQLSchema
  readonly operations: Operations
  /** What a client may see of an error; logs the rest. */
  visible(error: unknown, requestId: string): GraphQLError
}

type Variables = Record<string, unknown>

type Prepared = {
  /** What the row calls arguments of its field, where it is another name. */
  readonly names: ReadonlyMap<string, string>
  readonly operation: Operation
  readonly write: Writer
  readonly parameters: (sent: Sent) => Variables
  readonly asksNetwork: boolean
}

/** A row of the contract, ready to answer: a request of its own, or one of a batch. */
export type Row = {
  readonly route: Route
  /** Whether it talks to the storage or the network. */
  asksNetwork(dialect: Dialect): boolean
  /** What answers the applications of a dialect. */
  operationOf(dialect: Dialect): Operation
  /** @throws InsufficientScope for a token that is not good for it; to be asked before anything of the request is read */
  admit(viewer: Viewer): void
  /** What was sent as the variables of that operation. @throws MissingParameter, BadRequest, InvalidFields */
  variablesOf(dialect: Dialect, sent: Sent): Variables
  /** The value of the operation's only field. @throws what its resolvers throw */
  valueOf(context: Context, variables: Variables, repeat: Repeat): Promise<unknown>
  statusOf(dialect: Dialect): number
  /** A value as JSON; empty where the answer has no body. */
  textOf(dialect: Dialect, value: unknown): string
  /** An error as the row tells it. */
  problemOf(error: unknown, requestId: string): Problem
}

/** Makes a row ready. Its documents are prepared when it is first asked, so that they do not delay the start. */
export function createRow(parts: RowParts, route: Route): Row {
  const { options } = route
  const prepared: Partial<Record<Dialect, Prepared>> = {}

  function prepare(dialect: Dialect): Prepared {
    const source = dialect === "wunderlist" ? (options.wunderlistDocument ?? route.document) : route.document
    const operation = parts.operations.fixed(source)
    return {
      operation,
      names: namesIn(operation),
      write: writerOf(parts.schema, operation.document, options.isPage),
      parameters: parametersOf(parts.schema, route, operation.document),
      asksNetwork: operation.roots().some(({ field }) => asksNetwork(field)),
    }
  }
  function preparedFor(dialect: Dialect): Prepared {
    prepared[dialect] ??= prepare(dialect)
    return prepared[dialect]
  }
  const statusOf = (dialect: Dialect) => (dialect === "wunderlist" ? route.wunderlistStatus : route.status)

  return {
    route,
    asksNetwork: (dialect) => preparedFor(dialect).asksNetwork,
    operationOf: (dialect) => preparedFor(dialect).operation,
    admit(viewer) {
      const refusal = lacking(preparedFor(viewer.dialect).operation.needs, viewer)
      if (refusal) throw refusal
    },
    variablesOf: (dialect, sent) => preparedFor(dialect).parameters(sent),
    async valueOf(context, variables, repeat) {
      const { operation, names } = preparedFor(context.viewer.dialect)
      const { data, errors } = await runOnce(operation, repeat, context, variables)
      if (errors?.[0] !== undefined) throw inNamesOf(names, errors[0])
      for (const name in data) return data[name]
      throw new ServerError()
    },
    statusOf,
    textOf(dialect, value) {
      if (statusOf(dialect) === 204) return ""
      const text = preparedFor(dialect).write(value)
      return options.inArray && dialect === "spec" ? `[${text}]` : text
    },
    problemOf(error, requestId) {
      const problem = problemOf(parts, error, requestId)
      const isInWords = options.refusesInWords && [400, 409].includes(problem.kind.status)
      return isInWords ? new RefusedInWords(["bad request"]) : problem
    },
  }
}

/** An error as a client may see it. A path that cannot be decoded is the client's fault. */
export function problemOf({ visible }: Pick<RowParts, "visible">, error: unknown, requestId: string): Problem {
  if (error instanceof Problem) return error
  if (error instanceof URIError) return new BadRequest("The path is not valid percent-encoded UTF-8.")
  const seen = visible(error, requestId)
  const cause = seen instanceof Problem ? seen : seen.originalError
  return cause instanceof Problem ? cause : new ServerError()
}
