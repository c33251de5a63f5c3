import { Arg, Args, Ctx, Extensions, FieldResolver, Mutation, Resolver, Root } from "type-graphql"
import type { Context } from "../../context.js"
import { type Connection, connect, PageArgs, pageOf } from "../../loading/connection.js"
import { rowsById } from "../../loading/loader.js"
import { DateTime, ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { Webhook } from "./webhook.type.js"
import { redeliver, sendTestWebhook } from "./webhook-delivery.commands.js"
import { healthOfWebhooks, pageOfDeliveries } from "./webhook-delivery.statements.js"
import { WebhookDelivery, WebhookDeliveryConnection } from "./webhook-delivery.type.js"

/** Deliveries that somebody asks for. (§9 Webhooks) */
@Resolver()
export class WebhookDeliveryResolver {
  @Extensions({ asksNetwork: true })
  @Mutation(() => WebhookDelivery, {
    description:
      "Sends a test: an update of the webhook that changes nothing. Every member of the list may; taking it enables a disabled webhook again.",
  })
  sendTestWebhook(
    @Arg("id", () => ID, { description: "The webhook's identifier." }) id: Id,
    @Ctx() context: Context,
  ): Promise<WebhookDelivery> {
    return sendTestWebhook(context, id)
  }

  @Extensions({ asksNetwork: true })
  @Mutation(() => WebhookDelivery, {
    description:
      "Sends a delivery again under the same `webhook-id`. Every member of the list may; one that is in flight stays as it is.",
  })
  redeliver(
    @Arg("id", () => ID, { description: "The delivery's identifier." }) id: Id,
    @Ctx() context: Context,
  ): Promise<WebhookDelivery> {
    return redeliver(context, id)
  }
}

const healthOf = rowsById(healthOfWebhooks)

/** What has come of a webhook. */
@Resolver(() => Webhook)
export class DeliveriesOfWebhook {
  @FieldResolver(() => WebhookDeliveryConnection, {
    description: "What it was told in the last 30 days, the newest first.",
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
    description: "Since when every attempt has failed; null when the last one has not. After five days it is disabled.",
  })
  async failingSince(@Root() { id }: Webhook, @Ctx() context: Context): Promise<string | null> {
    return (await healthOf(context, id))?.failingSince ?? null
  }

  @FieldResolver(() => DateTime, {
    nullable: true,
    description:
      "Since when nothing is sent to it: it answered 410, or failed for five days. A test that it takes enables it.",
  })
  async disabledAt(@Root() { id }: Webhook, @Ctx() context: Context): Promise<string | null> {
    return (await healthOf(context, id))?.disabledAt ?? null
  }
}
