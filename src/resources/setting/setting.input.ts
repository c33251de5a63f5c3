import { Field, InputType, Int } from "type-graphql"
import { SettingKey, Text } from "../../scalars/scalars.js"

@InputType({ description: "The fields of a new setting." })
export class CreateSettingInput {
  @Field(() => SettingKey, { description: "Its key, unique among the viewer's settings." })
  key: string

  @Field(() => Text, { description: "Its value." })
  value: string
}

@InputType({ description: "A change of a setting. Fields that are left out or null stay unchanged." })
export class UpdateSettingInput {
  @Field(() => Int, { description: "The setting's current revision." })
  revision: number

  @Field(() => SettingKey, { nullable: true, description: "Its key." })
  key?: string | null

  @Field(() => Text, { nullable: true, description: "Its value." })
  value?: string | null
}
