import { Arg, Ctx, Extensions, FieldResolver, Int, Mutation, Root as Parent, Query, Resolver } from "type-graphql"
import { Needs } from "../../access/needs.js"
import type { Context } from "../../context.js"
import { InvalidFields } from "../../errors.js"
import { found, inVisible } from "../../loading/loader.js"
import { AVATAR_SIZES, avatarUrlOf, NO_AVATAR_SIZE } from "../../pictures/avatar.js"
import { ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { mayWriteUser, updateUser } from "./user.commands.js"
import { UpdateUserInput } from "./user.input.js"
import { userById, usersAround, usersOfLists } from "./user.statements.js"
import { User } from "./user.type.js"

/** The viewer and the people they share lists with. (§2) */
@Resolver(() => User)
export class UserResolver {
  @Needs("read")
  @Query(() => User, { description: "Get the current user." })
  async viewer(@Ctx() { db, viewer }: Context): Promise<User> {
    return found(await db.run(userById, [viewer.userId]))
  }

  @Needs("read")
  @Query(() => [User], {
    description:
      "List users. The members of a list, or the viewer and everyone who shares a list with them, by id ascending.",
  })
  async users(
    @Arg("listId", () => ID, { nullable: true, description: "The list's identifier." }) listId: Id | null | undefined,
    @Ctx() { db, viewer }: Context,
  ): Promise<User[]> {
    if (listId == null) return db.run(usersAround, [viewer.userId])
    return inVisible(await db.run(usersOfLists, [[listId], viewer.userId])).map(({ user }) => user)
  }

  @Needs("manage")
  @Mutation(() => User, { description: "Update the current user. Requires the user's current revision." })
  @Extensions({
    precondition: (context: Context, { input }: { input: UpdateUserInput }) => mayWriteUser(context, input.revision),
  })
  updateUser(
    @Arg("input", () => UpdateUserInput, { description: "The fields to change." }) input: UpdateUserInput,
    @Ctx() context: Context,
  ): Promise<User> {
    return updateUser(context, input)
  }

  @FieldResolver(() => String, {
    description: "Where the user's picture is: their own, or one drawn from their initials.",
  })
  avatarUrl(
    @Arg("size", () => Int, { nullable: true, description: `Its width in pixels: ${AVATAR_SIZES.join(", ")}.` })
    size: number | null | undefined,
    @Parent() user: User,
    @Ctx() { publicUrl }: Context,
  ): string {
    if (size != null && !AVATAR_SIZES.includes(size)) throw new InvalidFields({ size: [NO_AVATAR_SIZE] })
    return avatarUrlOf(publicUrl, user, size)
  }
}
