import { Field, ObjectType } from "type-graphql"
import { integerScalar } from "../../scalars/integer-scalar.js"

/** What can be more than a 32-bit integer holds. */
const Amount = integerScalar(
  "Amount",
  "How many there are, or how many bytes: a whole number from 0 to 9007199254740991.",
  0,
  Number.MAX_SAFE_INTEGER,
)

@ObjectType({ simpleResolvers: true, description: "How much of something a user has, and may have." })
export class UsageOf {
  @Field(() => Amount, { description: "How much there is." })
  used: number

  @Field(() => Amount, {
    nullable: true,
    description: "The most that is allowed. Unset: as much as there is room for.",
  })
  quota?: number | null
}

/** How much a user has of what can be limited. */
@ObjectType({
  simpleResolvers: true,
  description: "How much a user has, and may have where the operator has set quotas.",
})
export class Usage {
  @Field(() => UsageOf, { description: "Tasks in all lists that the user owns, completed ones included." })
  tasks: UsageOf

  @Field(() => UsageOf, { description: "Lists that the user owns, beside the inbox." })
  lists: UsageOf

  @Field(() => UsageOf, {
    description: "Bytes of the files that the user has uploaded, and of uploads that are under way.",
  })
  fileBytes: UsageOf
}
