import { Extensions, Field, InputType, Int } from "type-graphql"
import { SettingKey, Text } from "../../scalars/scalars.js"

/** What a new setting is made of. */
@InputType({ description: "What a new setting is made of." })
export class CreateSettingInput {
  @Field(() => SettingKey, { description: "What it is called; the viewer has no other of that key." })
  key: string

  @Field(() => Text, { description: "What it is set to." })
  value: string
}

/** A change of a setting: what is left out stays. */
@InputType({ description: "A change of a setting. What is left out stays." })
export class UpdateSettingInput {
  @Field(() => Int, { description: "The setting's current revision." })
  revision: number

  @Extensions({ refusesNull: true })
  @Field(() => SettingKey, { nullable: true, description: "What it is called; can't be removed." })
  key?: string | null

  @Extensions({ refusesNull: true })
  @Field(() => Text, { nullable: true, description: "What it is set to; can't be removed." })
  value?: string | null
}
