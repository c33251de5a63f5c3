import type { Context } from "../../src/context.js"
import { createOperations } from "../../src/operations/operations.js"
import { SCOPES } from "../../src/scalars/scope.js"
import type { Runner } from "../../src/statement.js"
import { buildSchema } from "../../src/transports/graphql/schema.js"
import type { Person } from "./make.js"
import type { TestNode } from "./node.js"

/** Runs an operation for a person, and gives the names of the statements that it took beside its result. */
export async function recorded(
  { database }: TestNode,
  { id }: Person,
  source: string,
  variables: Record<string, unknown>,
): Promise<{ statements: string[]; data: any }> {
  const statements: string[] = []
  const counted = (runner: Runner): Runner => ({
    run: (statement, values) => {
      statements.push(statement.name)
      return runner.run(statement, values)
    },
  })
  const who = { userId: String(id), tokenId: "1", applicationId: "1", clientId: "c", dialect: "spec" as const }
  const viewer = { ...who, scopes: new Set(SCOPES) }
  const db = {
    ...counted(database),
    pinned: () => counted(database.pinned()),
    searching: counted(database.searching),
    prisma: database.prisma,
  }
  // What an operation asks of a request.
  const context = { db, viewer, publicUrl: "", sign: () => ({ url: "" }), now: () => new Date(), loaders: new Map() }
  const { data, errors } = await createOperations(buildSchema())
    .prepare(source)
    .run(context as unknown as Context, variables)
  if (errors) throw errors[0]
  return { statements, data }
}
