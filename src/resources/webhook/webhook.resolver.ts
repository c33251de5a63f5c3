import { Arg, Ctx, Extensions, FieldResolver, Int, Mutation, Query, Resolver, Root } from "type-graphql"
import { Needs } from "../../access/needs.js"
import { toUpdate } from "../../access/revision.js"
import type { Context } from "../../context.js"
import { childrenOf, found, inVisible } from "../../loading/loader.js"
import { ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { List } from "../list/list.type.js"
import {
  createWebhook,
  deleteWebhook,
  mayCreateWebhook,
  mayUpdateWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from "./webhook.commands.js"
import { CreateWebhookInput, UpdateWebhookInput } from "./webhook.input.js"
import { webhookById, webhooksOfAccount, webhooksOfList, webhooksOfLists } from "./webhook.statements.js"
import { Webhook } from "./webhook.type.js"

const webhooksIn = childrenOf(webhooksOfLists, ({ listId }) => listId as Id)

/** Webhooks: read, make, delete. (§4 Webhooks) */
@Resolver(() => Webhook)
export class WebhookResolver {
  @Needs("read")
  @Query(() => Webhook, { description: "Get a webhook." })
  async webhook(
    @Arg("id", () => ID, { description: "The webhook's identifier." }) id: Id,
    @Ctx() { db, viewer }: Context,
  ): Promise<Webhook> {
    return found(await db.run(webhookById, [id, viewer.userId]))
  }

  @Needs("read")
  @Query(() => [Webhook], {
    description: "List webhooks. A list's webhooks, of all members, or those of the viewer's account; by id ascending.",
  })
  async webhooks(
    @Arg("listId", () => ID, { nullable: true, description: "The list's identifier; the account when it is left out." })
    listId: Id | null | undefined,
    @Ctx() { db, viewer }: Context,
  ): Promise<Webhook[]> {
    if (listId == null) return db.run(webhooksOfAccount, [viewer.userId])
    return inVisible(await db.run(webhooksOfList, [listId, viewer.userId]))
  }

  @Extensions({ once: "inTransaction" })
  @Needs("manage", "read")
  @Mutation(() => Webhook, { description: "Create a webhook. Its `secret` is shown once, here." })
  @Extensions({
    precondition: (context: Context, { input }: { input: CreateWebhookInput }) =>
      mayCreateWebhook(context, input.listId),
  })
  createWebhook(
    @Arg("input", () => CreateWebhookInput, { description: "Its fields." }) input: CreateWebhookInput,
    @Ctx() context: Context,
  ): Promise<Webhook> {
    return createWebhook(context, input)
  }

  @Extensions(toUpdate(mayUpdateWebhook))
  @Needs("manage", "read")
  @Mutation(() => Webhook, {
    description: "Change where a webhook posts to, and which events it receives. Only its creator can.",
  })
  updateWebhook(
    @Arg("id", () => ID, { description: "The webhook's identifier." }) id: Id,
    @Arg("input", () => UpdateWebhookInput, { description: "What to change." }) input: UpdateWebhookInput,
    @Ctx() context: Context,
  ): Promise<Webhook> {
    return updateWebhook(context, id, input)
  }

  @Needs("manage")
  @Mutation(() => Boolean, { description: "Delete a webhook. Only its creator and the list's owner can." })
  deleteWebhook(
    @Arg("id", () => ID, { description: "The webhook's identifier." }) id: Id,
    @Arg("revision", () => Int, {
      nullable: true,
      description: "The webhook's current revision. Optional; checked if given.",
    })
    revision: number | null | undefined,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return deleteWebhook(context, id, revision)
  }

  @Extensions({ once: "inTransaction" })
  @Needs("manage")
  @Mutation(() => Webhook, {
    description:
      "Rotate a webhook's secret. The new `secret` is shown once, here; the old one also signs for another 24 hours. Only the webhook's creator can.",
  })
  rotateWebhookSecret(
    @Arg("id", () => ID, { description: "The webhook's identifier." }) id: Id,
    @Ctx() context: Context,
  ): Promise<Webhook> {
    return rotateWebhookSecret(context, id)
  }
}

/** The webhooks of a list. */
@Resolver(() => List)
export class WebhooksOfList {
  @FieldResolver(() => [Webhook], { description: "Its webhooks, of all members, by id ascending." })
  webhooks(@Root() { id }: List, @Ctx() context: Context): Promise<Webhook[]> {
    return webhooksIn(context, id)
  }
}
