import { ApolloServer, type ApolloServerOptionsWithGateway } from "@apollo/server"
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from "@apollo/server/plugin/disabled"
import type { Response } from "express"
import type { ExecutionResult, GraphQLError, GraphQLSchema } from "graphql"
import type { Held } from "../../context.js"
import type { Log } from "../../log.js"
import { type Asking, answer } from "../../operations/answer.js"
import { copyError } from "../../operations/copy-error.js"
import { asGraphQLError, formatted, visibleError } from "../../operations/format-error.js"
import { resultInPieces } from "../../operations/json-pieces.js"
import { LIMITS } from "../../operations/limits.js"
import type { Operations } from "../../operations/operations.js"
import { problemHeaders } from "../http/problem-headers.js"

/** Requests with one of these were allowed by the browser's preflight, so that another site cannot have sent them. */
const PREFLIGHTED_HEADERS = [
  "x-client-id",
  "x-access-token",
  "authorization",
  "x-apollo-operation-name",
  "apollo-require-preflight",
]

/** What is asked, and what it is answered with. */
type Asked = { readonly asking: Asking; readonly response: Response }

type Gateway = NonNullable<ApolloServerOptionsWithGateway<Asked>["gateway"]>

/**
 * Starts Apollo Server, for whatever is more than a plain POST of an operation that is prepared: new texts, GET, and what is
 * no request. It runs operations through ours, so limits, errors and results are the same there.
 */
export async function startApollo(
  schema: GraphQLSchema,
  operations: Operations,
  log: Log,
): Promise<ApolloServer<Asked>> {
  /** The data of large answers, whose text takes several turns. */
  const large = new WeakMap<object, Held>()
  const gateway: Gateway = {
    load: async () => ({
      executor: async ({ document, source, request, context }) => {
        const prepare = () => operations.prepare(source, request.operationName, document)
        const { asking, response } = context as Asked
        const { result, status, problem } = await answer(asking, log, prepare, request.variables)
        const { held } = asking.context
        if (result.data != null && held.isLarge()) large.set(result.data, held)
        const http = { status, headers: new Map(Object.entries(problemHeaders(problem, response))) }
        return { ...result, errors: result.errors?.map((error) => withHttp(error, http)) } as typeof result & {
          data: object
        }
      },
    }),
    onSchemaLoadOrUpdate(loaded) {
      loaded({ apiSchema: schema, coreSupergraphSdl: "" })
      return () => {}
    },
    stop: async () => {},
  }
  const apollo = new ApolloServer<Asked>({
    gateway,
    logger: log,
    // Its cache hints would wrap every resolver of the schema, also for the operations that do not come through here.
    plugins: [ApolloServerPluginCacheControlDisabled(), ApolloServerPluginLandingPageDisabled()],
    parseOptions: { maxTokens: LIMITS.tokens },
    // Not skipped but done by prepare(), in an order in which what is cheap to refuse is refused first.
    dangerouslyDisableValidation: true,
    documentStore: null,
    persistedQueries: false,
    csrfPrevention: { requestHeaders: PREFLIGHTED_HEADERS },
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    stringifyResult(result) {
      const { data } = result as ExecutionResult
      const held = data == null ? undefined : large.get(data)
      return held === undefined ? JSON.stringify(result) : resultInPieces(result as ExecutionResult, held)
    },
    formatError: (shown, error) =>
      shown.extensions?.code === "INTERNAL_SERVER_ERROR"
        ? formatted(visibleError(asGraphQLError(error), log, ""))
        : shown,
  })
  await apollo.start()
  return apollo
}

/** Apollo reads the status of an answer from its errors, and does not show it. */
function withHttp(error: GraphQLError, http: { status: number; headers: Map<string, string> }): GraphQLError {
  return copyError(error, { extensions: { ...error.extensions, http } })
}
