import { Arg, Args, Ctx, Extensions, FieldResolver, Int, Mutation, Query, Resolver, Root } from "type-graphql"
import { Needs } from "../../access/needs.js"
import { toCreate, toUpdate } from "../../access/revision.js"
import type { Context } from "../../context.js"
import { childrenIn, mayAddToTask, ParentArgs } from "../../loading/children.js"
import { childrenOf, found } from "../../loading/loader.js"
import { groupedBy, readAhead } from "../../loading/look-ahead.js"
import { ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { Task } from "../task/task.type.js"
import { createNote, deleteNote, mayWriteNote, updateNote } from "./note.commands.js"
import { CreateNoteInput, UpdateNoteInput } from "./note.input.js"
import { noteReads } from "./note.statements.js"
import { Note } from "./note.type.js"

const notesOf = childrenOf(noteReads.ofTasks, (note) => note.taskId)
const notesAhead = readAhead(async (run, listId, viewerId) =>
  groupedBy(await run(noteReads.ofList, [listId, viewerId, false]), (note) => note.taskId),
)

/** Notes: read, make, change, delete. (§4 Notes) */
@Resolver(() => Note)
export class NoteResolver {
  @Needs("read")
  @Query(() => Note, { description: "Get a note." })
  async note(
    @Arg("id", () => ID, { description: "The note's identifier." }) id: Id,
    @Ctx() { db, viewer }: Context,
  ): Promise<Note> {
    return found(await db.run(noteReads.byId, [id, viewer.userId]))
  }

  @Needs("read")
  @Query(() => [Note], { description: "List notes. Of a task, or of all tasks of a list, by id ascending." })
  notes(@Args(() => ParentArgs) parent: ParentArgs, @Ctx() context: Context): Promise<Note[]> {
    return childrenIn(context, noteReads, parent)
  }

  @Extensions({ once: "inTransaction" })
  @Needs("write")
  @Mutation(() => Note, { description: "Create a note." })
  @Extensions(toCreate(mayAddToTask))
  createNote(
    @Arg("input", () => CreateNoteInput, { description: "Its fields." }) input: CreateNoteInput,
    @Ctx() context: Context,
  ): Promise<Note> {
    return createNote(context, input)
  }

  @Needs("write")
  @Mutation(() => Note, { description: "Update a note. Requires its current revision." })
  @Extensions(toUpdate(mayWriteNote))
  updateNote(
    @Arg("id", () => ID, { description: "The note's identifier." }) id: Id,
    @Arg("input", () => UpdateNoteInput, { description: "The fields to change." }) input: UpdateNoteInput,
    @Ctx() context: Context,
  ): Promise<Note> {
    return updateNote(context, id, input)
  }

  @Needs("write")
  @Mutation(() => Boolean, { description: "Delete a note. Requires its current revision." })
  deleteNote(
    @Arg("id", () => ID, { description: "The note's identifier." }) id: Id,
    @Arg("revision", () => Int, { description: "The note's current revision." }) revision: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return deleteNote(context, id, revision)
  }
}

/** The notes that a task has. */
@Resolver(() => Task)
export class NotesOfTask {
  @Extensions(notesAhead)
  @FieldResolver(() => [Note], { description: "The task's notes by id ascending." })
  notes(@Root() { id }: Task, @Ctx() context: Context): Promise<Note[]> {
    return notesOf(context, id)
  }
}
