import { Arg, Args, Ctx, Extensions, FieldResolver, Int, Mutation, Query, Resolver, Root } from "type-graphql"
import { Needs } from "../../access/needs.js"
import { toCreate } from "../../access/revision.js"
import type { Context } from "../../context.js"
import { childrenIn, mayAddToTask, ParentArgs } from "../../loading/children.js"
import { childrenOf, found } from "../../loading/loader.js"
import { groupedBy, readAhead } from "../../loading/look-ahead.js"
import { PreviewWidth } from "../../scalars/file-scalars.js"
import { ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { previewPath, widthFor } from "../preview/preview.type.js"
import { Task } from "../task/task.type.js"
import { createFile, deleteFile } from "./file.commands.js"
import { CreateFileInput } from "./file.input.js"
import { fileReads } from "./file.statements.js"
import { downloadPath, File, isPicture } from "./file.type.js"

const filesOf = childrenOf(fileReads.ofTasks, (file) => file.taskId)
const filesAhead = readAhead(async (run, listId, viewerId) =>
  groupedBy(await run(fileReads.ofList, [listId, viewerId, false]), (file) => file.taskId),
)

/** For what is the same for everybody who may see the file. */
const SHARED = { shared: true }

/** Files: read, attach, delete. (§4 Files) */
@Resolver(() => File)
export class FileResolver {
  @Needs("read")
  @Query(() => File, { description: "Get a file." })
  async file(
    @Arg("id", () => ID, { description: "The file's identifier." }) id: Id,
    @Ctx() { db, viewer }: Context,
  ): Promise<File> {
    return found(await db.run(fileReads.byId, [id, viewer.userId]))
  }

  @Needs("read")
  @Query(() => [File], { description: "List files. Of a task, or of all tasks of a list, by id ascending." })
  files(@Args(() => ParentArgs) parent: ParentArgs, @Ctx() context: Context): Promise<File[]> {
    return childrenIn(context, fileReads, parent)
  }

  @Extensions({ once: "inTransaction" })
  @Needs("write")
  @Mutation(() => File, { description: "Create a file. Attaches a finished upload to a task." })
  @Extensions(toCreate(mayAddToTask))
  createFile(
    @Arg("input", () => CreateFileInput, { description: "Its fields." }) input: CreateFileInput,
    @Ctx() context: Context,
  ): Promise<File> {
    return createFile(context, input)
  }

  @Needs("write")
  @Mutation(() => Boolean, { description: "Delete a file. Its content goes too. Requires its current revision." })
  deleteFile(
    @Arg("id", () => ID, { description: "The file's identifier." }) id: Id,
    @Arg("revision", () => Int, { description: "The file's current revision." }) revision: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return deleteFile(context, id, revision)
  }

  @FieldResolver(() => String, {
    description: "Where to download its content, without headers. Valid for at least 30 minutes.",
  })
  url(@Root() { id }: File, @Ctx() { sign }: Context): string {
    return sign(downloadPath(id)).url
  }

  @Extensions(SHARED)
  @Extensions(SHARED)
  @FieldResolver(() => String, {
    nullable: true,
    description:
      "Where a thumbnail of it is, made when it is first opened; null unless the file is a gif, jpeg, png, webp or tiff.",
  })
  previewUrl(
    @Arg("width", () => PreviewWidth, {
      defaultValue: 512,
      description: "The minimum width; small pictures are not enlarged.",
    })
    width: number,
    @Root() file: File,
    @Ctx() { sign }: Context,
  ): string | null {
    return isPicture(file.contentType) ? sign(previewPath(file.id, widthFor(width))).url : null
  }
}

/** The files that a task has. */
@Resolver(() => Task)
export class FilesOfTask {
  @Extensions(filesAhead)
  @FieldResolver(() => [File], { description: "The task's files by id ascending." })
  files(@Root() { id }: Task, @Ctx() context: Context): Promise<File[]> {
    return filesOf(context, id)
  }
}
