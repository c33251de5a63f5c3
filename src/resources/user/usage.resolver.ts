import { Ctx, FieldResolver, Resolver, Root } from "type-graphql"
import type { Context } from "../../context.js"
import { Forbidden } from "../../errors.js"
import { found } from "../../loading/loader.js"
import { usageOfUser } from "./usage.statements.js"
import { Usage } from "./usage.type.js"
import { User } from "./user.type.js"

/** How much the viewer has and may have. */
@Resolver(() => User)
export class UsageOfViewer {
  @FieldResolver(() => Usage, {
    description: "How much the user has, and may have where the operator has set quotas. Visible to that user only.",
  })
  async usage(@Root() { id }: User, @Ctx() { db, viewer, loaders }: Context): Promise<Usage> {
    if (id !== viewer.userId) throw new Forbidden("Only the user themselves can see this.")
    // Counted once an operation, in however many places the user is.
    const known = loaders.get(usageOfUser) as Promise<Usage[]> | undefined
    const counted = known ?? db.searching.run(usageOfUser, [id])
    loaders.set(usageOfUser, counted)
    return found(await counted)
  }
}
