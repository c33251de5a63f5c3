import { Arg, Ctx, Extensions, Int, Mutation, Query, Resolver } from "type-graphql"
import { Needs } from "../../access/needs.js"
import { toUpdate } from "../../access/revision.js"
import type { Context } from "../../context.js"
import { found } from "../../loading/loader.js"
import { ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { createSetting, deleteSetting, mayWriteSetting, updateSetting } from "./setting.commands.js"
import { CreateSettingInput, UpdateSettingInput } from "./setting.input.js"
import { settingsOfUser } from "./setting.statements.js"
import { Setting, settings } from "./setting.type.js"

/** Settings: read, make, change, delete. */
@Resolver(() => Setting)
export class SettingResolver {
  @Needs("read")
  @Query(() => Setting, { description: "Get a setting." })
  async setting(
    @Arg("id", () => ID, { description: "The setting's identifier." }) id: Id,
    @Ctx() { db, viewer }: Context,
  ): Promise<Setting> {
    const where = { id: BigInt(id), userId: BigInt(viewer.userId) }
    return settings.readPrisma(found([await db.prisma.setting.findFirst({ where })]))
  }

  @Needs("read")
  @Query(() => [Setting], { description: "List settings. The viewer's, by id ascending." })
  settings(@Ctx() { db, viewer }: Context): Promise<Setting[]> {
    return db.run(settingsOfUser, [viewer.userId])
  }

  @Extensions({ once: "inTransaction" })
  @Needs("write")
  @Mutation(() => Setting, { description: "Create a setting. A key can be used once." })
  createSetting(
    @Arg("input", () => CreateSettingInput, { description: "Its fields." }) input: CreateSettingInput,
    @Ctx() context: Context,
  ): Promise<Setting> {
    return createSetting(context, input)
  }

  @Needs("write")
  @Mutation(() => Setting, { description: "Update a setting. Requires its current revision." })
  @Extensions(toUpdate(mayWriteSetting))
  updateSetting(
    @Arg("id", () => ID, { description: "The setting's identifier." }) id: Id,
    @Arg("input", () => UpdateSettingInput, { description: "The fields to change." }) input: UpdateSettingInput,
    @Ctx() context: Context,
  ): Promise<Setting> {
    return updateSetting(context, id, input)
  }

  @Needs("write")
  @Mutation(() => Boolean, { description: "Delete a setting. Requires its current revision." })
  deleteSetting(
    @Arg("id", () => ID, { description: "The setting's identifier." }) id: Id,
    @Arg("revision", () => Int, { description: "The setting's current revision." }) revision: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return deleteSetting(context, id, revision)
  }
}
