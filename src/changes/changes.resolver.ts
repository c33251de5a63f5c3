import { Arg, Ctx, Query, Resolver } from "type-graphql"
import { Needs } from "../access/needs.js"
import type { Context } from "../context.js"
import { found } from "../loading/loader.js"
import { Root } from "../resources/user/user.type.js"
import { ChangeCount } from "../scalars/change-scalars.js"
import { Text } from "../scalars/scalars.js"
import { ChangePage } from "./change.type.js"
import { readChanges } from "./read-changes.js"
import { rootOfUser } from "./root.statement.js"

/** What has changed, for clients that keep a copy. */
@Resolver()
export class ChangesResolver {
  @Needs("read")
  @Query(() => ChangePage, {
    description:
      "Get changes. What has changed behind a cursor, for clients that keep a copy: each object as it is now. Without a cursor everything that the viewer has, page by page.",
  })
  changes(
    @Arg("after", () => Text, {
      nullable: true,
      description:
        "A cursor of an earlier page, of `root` or of an event; `now` gives a cursor and nothing else. RESYNC_REQUIRED when it was given more than 30 days ago, or before the service was restored: begin without one.",
    })
    after: string | null | undefined,
    @Arg("first", () => ChangeCount, { defaultValue: 500, description: "How many changes the page holds at most." })
    first: number,
    @Ctx() context: Context,
  ): Promise<ChangePage> {
    return readChanges(context, after, first)
  }

  @Needs("read")
  @Query(() => Root, { description: "Get the root. Where to begin to look for what has changed." })
  async root(@Ctx() { db, viewer, cursors }: Context): Promise<Root> {
    const { place, ...root } = found(await db.run(rootOfUser, [viewer.userId]))
    return { ...root, cursor: cursors.write(viewer.userId, place) }
  }
}
