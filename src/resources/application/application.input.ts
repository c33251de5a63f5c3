import { Field, InputType } from "type-graphql"
import { Name, RedirectUri, ShortText } from "../../scalars/scalars.js"
import { Scope } from "../../scalars/scope.js"
import { ApplicationDialect } from "./application.type.js"

@InputType({ description: "The fields of a new application." })
export class CreateApplicationInput {
  @Field(() => Name, { description: "The name that people see when it asks for their consent." })
  name: string

  @Field(() => [RedirectUri], { nullable: true, description: "The addresses that people may return to after consent." })
  redirectUris?: string[] | null

  @Field(() => ApplicationDialect, { nullable: true, description: "The contract that its REST responses follow." })
  dialect?: ApplicationDialect | null

  @Field(() => [Scope], { nullable: true, description: "The most that it may ask for. Default: all." })
  scopes?: Scope[] | null
}

@InputType({ description: "A change of an application. Fields that are left out stay unchanged." })
export class UpdateApplicationInput {
  @Field(() => Name, { nullable: true, description: "The name that people see when it asks for their consent." })
  name?: string | null

  @Field(() => [RedirectUri], { nullable: true, description: "All addresses that people may return to after consent." })
  redirectUris?: string[] | null

  @Field(() => ApplicationDialect, { nullable: true, description: "The contract that its REST responses follow." })
  dialect?: ApplicationDialect | null

  @Field(() => [Scope], {
    nullable: true,
    description: "The most that it may ask for. What is taken away is taken from its tokens too, at once.",
  })
  scopes?: Scope[] | null
}

@InputType({ description: "The fields of a new personal token." })
export class CreateAccessTokenInput {
  @Field(() => Name, { description: "Its name, by which you recognise it." })
  name: string

  @Field(() => ShortText, {
    nullable: true,
    description: "The client ID of an application of your own that it belongs to. Default: `personal`.",
  })
  clientId?: string | null

  @Field(() => [Scope], {
    nullable: true,
    description:
      "What it is good for: no more than the token that creates it, and the application. Default: what both have.",
  })
  scopes?: Scope[] | null
}
