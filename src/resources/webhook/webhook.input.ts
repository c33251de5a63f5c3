import { Field, InputType, Int } from "type-graphql"
import { ID, ShortText, Text, WebhookUrl } from "../../scalars/scalars.js"
import { EventKind } from "../../scalars/webhook-scalars.js"
import type { Id } from "../../statement.js"

/** §4 Webhooks, POST. */
@InputType({ description: "The fields of a new webhook." })
export class CreateWebhookInput {
  @Field(() => ID, {
    nullable: true,
    description:
      "The list; the viewer must be a member. Left out: every list of the viewer, also those joined later, and what only the viewer sees.",
  })
  listId?: Id | null

  @Field(() => WebhookUrl, { description: "Where changes are posted to: a host that is reachable from everywhere." })
  url: string

  @Field(() => ShortText, {
    nullable: true,
    description: "A name for how changes are processed, `generic` when it is left out; has no effect.",
  })
  processorType?: string | null

  @Field(() => Text, { nullable: true, description: "A text that is included in each delivery; may be empty." })
  configuration?: string | null

  @Field(() => [EventKind], { nullable: true, description: "Which events are delivered; all when it is left out." })
  events?: string[] | null

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Whether what the application that creates it writes is left out. Each personal access token counts as an application of its own.",
  })
  skipOwn?: boolean | null
}

@InputType({ description: "What to change of a webhook." })
export class UpdateWebhookInput {
  @Field(() => Int, { description: "The webhook's current revision." })
  revision: number

  @Field(() => WebhookUrl, { nullable: true, description: "Where changes are posted to." })
  url?: string | null

  @Field(() => Text, { nullable: true, description: "A text that is included in each delivery." })
  configuration?: string | null

  @Field(() => [EventKind], { nullable: true, description: "Which events are delivered; null for all." })
  events?: string[] | null

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether what the application that created it writes is left out.",
  })
  skipOwn?: boolean | null
}
