import { Arg, Args, Ctx, Extensions, FieldResolver, Mutation, Resolver, Root } from "type-graphql"
import { Needs } from "../../access/needs.js"
import type { Context } from "../../context.js"
import { type Connection, connect, PageArgs, pageOf } from "../../loading/connection.js"
import { rowsById } from "../../loading/loader.js"
import { DateTime, ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { Webhook } from "./webhook.type.js"
import { redeliver, sendTestWebhook } from "./webhook-delivery.commands.js"
import { pageOfDeliveries, webhooksOfMember } from "./webhook-delivery.statements.js"
import { WebhookDelivery, WebhookDeliveryConnection } from "./webhook-delivery.type.js"

/** Deliveries that somebody asks for. (§9 Webhooks) */
@Resolver()
export class WebhookDeliveryResolver {
  @Extensions({ asksNetwork: true })
  @Needs("manage")
  @Mutation(() => WebhookDelivery, {
    description:
      "Send a test to a webhook: an update of the webhook that changes nothing. Every member of the list can; accepting it enables a disabled webhook again.",
  })
  sendTestWebhook(
    @Arg("id", () => ID, { description: "The webhook's identifier." }) id: Id,
    @Ctx() context: Context,
  ): Promise<WebhookDelivery> {
    return sendTestWebhook(context, id)
  }

  @Extensions({ asksNetwork: true })
  @Needs("manage", "read")
  @Mutation(() => WebhookDelivery, {
    description:
      "Send a delivery again, under the same `webhook-id`. Every member of the list can; a delivery that is being sent stays as it is.",
  })
  redeliver(
    @Arg("id", () => ID, { description: "The delivery's identifier." }) id: Id,
    @Ctx() context: Context,
  ): Promise<WebhookDelivery> {
    return redeliver(context, id)
  }
}

const healthOf = rowsById(({ db, viewer }, ids) => db.run(webhooksOfMember, [viewer.userId, ids]))

/** What has come of a webhook. */
@Resolver(() => Webhook)
export class DeliveriesOfWebhook {
  @FieldResolver(() => WebhookDeliveryConnection, {
    description: "Its deliveries of the last 30 days, newest first.",
  })
  async deliveries(
    @Args(() => PageArgs) page: PageArgs,
    @Root() { id }: Webhook,
    @Ctx() { db, viewer }: Context,
  ): Promise<Connection<WebhookDelivery>> {
    const { behind, limit } = pageOf(page)
    return connect(await db.run(pageOfDeliveries, [id, viewer.userId, behind, limit]), page)
  }

  @FieldResolver(() => DateTime, {
    nullable: true,
    description:
      "When attempts began to fail without a success since; null when the last one succeeded. After five days the webhook is disabled.",
  })
  async failingSince(@Root() { id }: Webhook, @Ctx() context: Context): Promise<string | null> {
    return (await healthOf(context, id))?.failingSince ?? null
  }

  @FieldResolver(() => DateTime, {
    nullable: true,
    description:
      "When it was disabled, because it answered 410 or failed for five days. A test that it accepts enables it again.",
  })
  async disabledAt(@Root() { id }: Webhook, @Ctx() context: Context): Promise<string | null> {
    return (await healthOf(context, id))?.disabledAt ?? null
  }
}
