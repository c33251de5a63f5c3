import { Extensions, Field, ObjectType } from "type-graphql"
import { DateTime, ID, Name } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** A token that somebody has made for himself, without what it reads as. */
@ObjectType({ simpleResolvers: true, description: "A token that the viewer has made for himself." })
export class AccessToken {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => Name, { description: "What its user calls it." })
  name: string

  @Field(() => String, { description: "The client ID to send with it." })
  clientId: string

  @Field(() => DateTime, { description: "When it was made." })
  createdAt: string

  @Field(() => DateTime, { nullable: true, description: "When it was last used, to the minute." })
  lastUsedAt?: string | null
}

/** A token that was just made. */
@ObjectType({ simpleResolvers: true, description: "A token that was just made; what it reads as is shown this once." })
export class NewAccessToken {
  @Field(() => AccessToken, { description: "The token without what it reads as." })
  accessToken: AccessToken

  @Extensions({ secret: true })
  @Field(() => String, { description: "What to send as X-Access-Token. It is stored nowhere: keep it." })
  token: string
}
