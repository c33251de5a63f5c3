import { Field, Int, ObjectType } from "type-graphql"
import { tableOf } from "../../loading/fields.js"
import { ID, SettingKey, Text } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

@ObjectType({ simpleResolvers: true, description: "A value that a user's clients store." })
export class Setting {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => SettingKey, { description: "Its key, unique for the user." })
  key: string

  @Field(() => Text, { description: "Its value." })
  value: string

  @Field(() => Int, { description: "Grows with each change of the setting." })
  revision: number
}

/** A setting's row as answers show it. */
export const settings = tableOf(Setting)
