import { Extensions, Field, ObjectType } from "type-graphql"
import { Needs } from "../../access/needs.js"
import { DateTime, ID, Name } from "../../scalars/scalars.js"
import { Scope } from "../../scalars/scope.js"
import type { Id } from "../../statement.js"

@ObjectType({ simpleResolvers: true, description: "A personal access token." })
export class AccessToken {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => Name, { description: "Its name." })
  name: string

  @Field(() => String, { description: "The client ID to send with it." })
  clientId: string

  @Field(() => [Scope], { description: "What it is good for." })
  scopes: Scope[]

  @Field(() => DateTime, { description: "When it was created." })
  createdAt: string

  @Field(() => DateTime, { nullable: true, description: "When it was last used, to the minute." })
  lastUsedAt?: string | null
}

@ObjectType({ simpleResolvers: true, description: "A new token, with its value, which is shown once." })
export class NewAccessToken {
  @Field(() => AccessToken, { description: "The token, without its value." })
  accessToken: AccessToken

  @Needs("manage")
  @Extensions({ secret: true })
  @Field(() => String, { description: "The value of the header X-Access-Token. It is not stored: save it now." })
  token: string
}
