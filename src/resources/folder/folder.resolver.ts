import { Arg, Ctx, Extensions, FieldResolver, Int, Mutation, Query, Resolver, Root } from "type-graphql"
import { Needs } from "../../access/needs.js"
import { toUpdate } from "../../access/revision.js"
import type { Context } from "../../context.js"
import { inEffectiveOrder } from "../../loading/effective-order.js"
import { childrenOf, found, rowsById } from "../../loading/loader.js"
import { ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { List } from "../list/list.type.js"
import { listPositions } from "../position/position.type.js"
import { createFolder, deleteFolder, mayWriteFolder, updateFolder } from "./folder.commands.js"
import { CreateFolderInput, UpdateFolderInput } from "./folder.input.js"
import { foldersOfLists, foldersOfUser, listsOfFolders, revisionsOfFolders } from "./folder.statements.js"
import { Folder, FolderRevision, folders } from "./folder.type.js"

const listsIn = childrenOf(listsOfFolders, ({ folderId }) => folderId)

/** The order of lists that the viewer has set, if ever. */
const orderOf = rowsById(async ({ db }, ids) => {
  const where = { id: { in: ids.map(BigInt) } }
  return (await db.prisma.listPosition.findMany({ where })).map(listPositions.readPrisma)
})

/** The viewer's folders that hold one of many lists, each under the list's id. */
const folderOf = rowsById(async ({ db, viewer }, listIds) => {
  const folders = await db.run(foldersOfLists, [listIds, viewer.userId])
  return folders.flatMap((folder) => folder.listIds.map((id) => ({ id, folder })))
})

/** Folders: read, make, change, delete. (§4 Folders) */
@Resolver(() => Folder)
export class FolderResolver {
  @Needs("read")
  @Query(() => Folder, { description: "Get a folder." })
  async folder(
    @Arg("id", () => ID, { description: "The folder's identifier." }) id: Id,
    @Ctx() { db, viewer }: Context,
  ): Promise<Folder> {
    const where = { id: BigInt(id), userId: BigInt(viewer.userId) }
    return folders.readPrisma(found([await db.prisma.folder.findFirst({ where })]))
  }

  @Needs("read")
  @Query(() => [Folder], { description: "List folders. The viewer's, by id ascending." })
  folders(@Ctx() { db, viewer }: Context): Promise<Folder[]> {
    return db.run(foldersOfUser, [viewer.userId])
  }

  @Needs("read")
  @Query(() => [FolderRevision], { description: "List folder revisions. The viewer's folders, by id ascending." })
  folderRevisions(@Ctx() { db, viewer }: Context): Promise<FolderRevision[]> {
    return db.run(revisionsOfFolders, [viewer.userId])
  }

  @Extensions({ once: "inTransaction" })
  @Needs("write")
  @Mutation(() => Folder, { description: "Create a folder. Its lists leave the viewer's other folders." })
  createFolder(
    @Arg("input", () => CreateFolderInput, { description: "Its fields." }) input: CreateFolderInput,
    @Ctx() context: Context,
  ): Promise<Folder> {
    return createFolder(context, input)
  }

  @Needs("write")
  @Mutation(() => Folder, { description: "Update a folder. Requires its current revision." })
  @Extensions(toUpdate(mayWriteFolder))
  updateFolder(
    @Arg("id", () => ID, { description: "The folder's identifier." }) id: Id,
    @Arg("input", () => UpdateFolderInput, { description: "The fields to change." }) input: UpdateFolderInput,
    @Ctx() context: Context,
  ): Promise<Folder> {
    return updateFolder(context, id, input)
  }

  @Needs("write")
  @Mutation(() => Boolean, { description: "Delete a folder. Its lists stay. Requires its current revision." })
  deleteFolder(
    @Arg("id", () => ID, { description: "The folder's identifier." }) id: Id,
    @Arg("revision", () => Int, { description: "The folder's current revision." }) revision: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return deleteFolder(context, id, revision)
  }

  @FieldResolver(() => [List], { description: "The lists in it, in the viewer's effective order of lists." })
  async lists(@Root() { id }: Folder, @Ctx() context: Context): Promise<List[]> {
    const [rows, order] = await Promise.all([listsIn(context, id), orderOf(context, context.viewer.userId)])
    return inEffectiveOrder(
      rows.map(({ list }) => list),
      order?.values,
    )
  }
}

/** Where a list lies. */
@Resolver(() => List)
export class FolderOfList {
  @FieldResolver(() => Folder, { nullable: true, description: "The viewer's folder that holds it; null for none." })
  async folder(@Root() { id }: List, @Ctx() context: Context): Promise<Folder | undefined> {
    return (await folderOf(context, id))?.folder
  }
}
