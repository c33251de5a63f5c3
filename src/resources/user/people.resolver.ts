import { Ctx, FieldResolver, Resolver, Root } from "type-graphql"
import type { Context } from "../../context.js"
import { childrenOf, found, rowsById } from "../../loading/loader.js"
import type { Id } from "../../statement.js"
import { List } from "../list/list.type.js"
import { Membership } from "../membership/membership.type.js"
import { Note } from "../note/note.type.js"
import { Subtask } from "../subtask/subtask.type.js"
import { Task } from "../task/task.type.js"
import { TaskComment } from "../task-comment/task-comment.type.js"
import { Webhook } from "../webhook/webhook.type.js"
import { usersByIds, usersOfLists } from "./user.statements.js"
import { User } from "./user.type.js"

// The people that other resources name by id. Those who share no list with the viewer any more are null.

const known = rowsById(usersByIds)
const membersIn = childrenOf(usersOfLists, ({ listId }) => listId)

const person = async (context: Context, id: Id | null | undefined): Promise<User | undefined> =>
  id == null ? undefined : known(context, id)

/** The people of a list. */
@Resolver(() => List)
export class PeopleOfList {
  @FieldResolver(() => User, { description: "The user who owns it." })
  async owner(@Root() { ownerId }: List, @Ctx() context: Context): Promise<User> {
    return found([await known(context, ownerId)])
  }

  @FieldResolver(() => User, { nullable: true, description: "The user who created it." })
  createdBy(@Root() { createdById }: List, @Ctx() context: Context): Promise<User | undefined> {
    return person(context, createdById)
  }

  @FieldResolver(() => [User], { description: "Its members by id ascending, without those who are only invited." })
  async members(@Root() { id }: List, @Ctx() context: Context): Promise<User[]> {
    return (await membersIn(context, id)).map(({ user }) => user)
  }
}

/** The user that a membership joins. */
@Resolver(() => Membership)
export class UserOfMembership {
  @FieldResolver(() => User, {
    nullable: true,
    description:
      "The user; null while the user is only invited, and was invited by email address or shares no other list with the viewer.",
  })
  user(@Root() { userId }: Membership, @Ctx() context: Context): Promise<User | undefined> {
    return person(context, userId)
  }
}

/** The people of a task. */
@Resolver(() => Task)
export class PeopleOfTask {
  @FieldResolver(() => User, { nullable: true, description: "The member whom it is assigned to." })
  assignee(@Root() { assigneeId }: Task, @Ctx() context: Context): Promise<User | undefined> {
    return person(context, assigneeId)
  }

  @FieldResolver(() => User, {
    nullable: true,
    description: "The user who created it; null when they share no list with the viewer any more.",
  })
  createdBy(@Root() { createdById }: Task, @Ctx() context: Context): Promise<User | undefined> {
    return person(context, createdById)
  }

  @FieldResolver(() => User, {
    nullable: true,
    description: "The user who completed it; null when they share no list with the viewer any more.",
  })
  completedBy(@Root() { completedById }: Task, @Ctx() context: Context): Promise<User | undefined> {
    return person(context, completedById)
  }
}

/** The creator of a subtask. */
@Resolver(() => Subtask)
export class MakerOfSubtask {
  @FieldResolver(() => User, {
    nullable: true,
    description: "The user who created it; null when they share no list with the viewer any more.",
  })
  createdBy(@Root() { createdById }: Subtask, @Ctx() context: Context): Promise<User | undefined> {
    return person(context, createdById)
  }
}

/** The author of a note. */
@Resolver(() => Note)
export class MakerOfNote {
  @FieldResolver(() => User, {
    nullable: true,
    description: "The user who created it; null when they share no list with the viewer any more.",
  })
  createdBy(@Root() { createdById }: Note, @Ctx() context: Context): Promise<User | undefined> {
    return person(context, createdById)
  }
}

/** The author of a comment. */
@Resolver(() => TaskComment)
export class MakerOfTaskComment {
  @FieldResolver(() => User, {
    nullable: true,
    description: "The user who wrote it; null when they share no list with the viewer any more.",
  })
  createdBy(@Root() { createdById }: TaskComment, @Ctx() context: Context): Promise<User | undefined> {
    return person(context, createdById)
  }
}

/** The creator of a webhook. */
@Resolver(() => Webhook)
export class MakerOfWebhook {
  @FieldResolver(() => User, {
    nullable: true,
    description: "The user who created it; null when they share no list with the viewer any more.",
  })
  createdBy(@Root() { createdById }: Webhook, @Ctx() context: Context): Promise<User | undefined> {
    return person(context, createdById)
  }
}
