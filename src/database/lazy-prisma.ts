import type { PrismaClient } from "../generated/prisma/client.js"

/** Names that JavaScript itself reads from a value, which mean no model: `await` looks for `then`. */
const NO_MODEL = new Set<string | symbol>(["then", "toJSON", "constructor"])

/**
 * A client of Prisma that is loaded by its first call: it holds 20 MiB and takes a fifth of a second to load, and what is hot
 * does without it. Its calls give plain promises, so `$transaction` takes a function, not an array.
 */
export function lazyPrisma(load: () => Promise<PrismaClient>): PrismaClient {
  const at = (path: readonly string[]): unknown =>
    new Proxy(() => {}, {
      get: (_, name) => (NO_MODEL.has(name) || typeof name === "symbol" ? undefined : at([...path, name])),
      async apply(_, __, values: unknown[]) {
        let owner: unknown
        let member: unknown = await load()
        for (const name of path) [owner, member] = [member, (member as Record<string, unknown>)[name]]
        return Reflect.apply(member as (...values: unknown[]) => unknown, owner, values)
      },
    })
  return at([]) as PrismaClient
}
