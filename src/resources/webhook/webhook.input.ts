import { Field, InputType } from "type-graphql"
import { ID, ShortText, Text, WebhookUrl } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** §4 Webhooks, POST. */
@InputType({ description: "The fields of a new webhook." })
export class CreateWebhookInput {
  @Field(() => ID, { description: "The list; the viewer must be a member." })
  listId: Id

  @Field(() => WebhookUrl, { description: "Where changes are posted to: a host that is reachable from everywhere." })
  url: string

  @Field(() => ShortText, { description: "A name for how changes are processed, such as `generic`; has no effect." })
  processorType: string

  @Field(() => Text, { description: "A text that is included in each delivery; may be empty." })
  configuration: string
}
