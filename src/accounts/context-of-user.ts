import type { Context, Transacted } from "../context.js"
import type { Id } from "../statement.js"

type Act = { readonly userId: Id; readonly requestId: string }

/**
 * In whose name a page or a command writes, beside the interfaces: no application does.
 * @param means what else the commands that are called need
 */
export const contextOfUser = (database: Transacted, { userId, requestId }: Act, means: Partial<Context>): Context =>
  ({
    db: { ...database, prisma: database.prismaAs({ userId, requestId, writer: null }) },
    viewer: { userId },
    requestId,
    ...means,
  }) as unknown as Context
