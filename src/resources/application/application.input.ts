import { Field, InputType } from "type-graphql"
import { Name, RedirectUri, ShortText } from "../../scalars/scalars.js"
import { ApplicationDialect } from "./application.type.js"

/** What a new application is registered with. */
@InputType({ description: "What a new application is registered with." })
export class CreateApplicationInput {
  @Field(() => Name, { description: "What people see when it asks for their consent." })
  name: string

  @Field(() => [RedirectUri], { nullable: true, description: "Where people may return to after consent." })
  redirectUris?: string[] | null

  @Field(() => ApplicationDialect, { nullable: true, description: "Which contract its REST answers follow." })
  dialect?: ApplicationDialect | null
}

/** A change of an application: what is left out or null stays. */
@InputType({ description: "A change of an application. What is left out stays." })
export class UpdateApplicationInput {
  @Field(() => Name, { nullable: true, description: "What people see when it asks for their consent." })
  name?: string | null

  @Field(() => [RedirectUri], { nullable: true, description: "Where people may return to after consent: all of them." })
  redirectUris?: string[] | null

  @Field(() => ApplicationDialect, { nullable: true, description: "Which contract its REST answers follow." })
  dialect?: ApplicationDialect | null
}

/** What a new personal token is made of. */
@InputType({ description: "What a new personal token is made of." })
export class CreateAccessTokenInput {
  @Field(() => Name, { description: "What you call it, to know it again." })
  name: string

  @Field(() => ShortText, {
    nullable: true,
    description: "The client ID of an application of your own that it is to belong to; `personal` when left out.",
  })
  clientId?: string | null
}
