import { Extensions, Field, ObjectType, registerEnumType } from "type-graphql"
import { Needs } from "../../access/needs.js"
import { DateTime, ID, Name, RedirectUri } from "../../scalars/scalars.js"
import { Scope } from "../../scalars/scope.js"
import type { Id } from "../../statement.js"

/** Which of two contracts an application's REST answers follow. */
export enum ApplicationDialect {
  spec = "spec",
  wunderlist = "wunderlist",
}
registerEnumType(ApplicationDialect, {
  name: "ApplicationDialect",
  description: "The contract that an application's REST responses follow.",
  valuesConfig: {
    spec: { description: "The interface specification." },
    wunderlist: { description: "The retired service, where it differs from the specification." },
  },
})

/** §5 Applications. */
@ObjectType({ simpleResolvers: true, description: "A program that people can give access to their account." })
export class Application {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => String, { description: "Its client ID: public, and sent in a header of each of its requests." })
  clientId: string

  @Field(() => Name, { description: "The name that people see when it asks for their consent." })
  name: string

  @Field(() => ApplicationDialect, { description: "The contract that its REST responses follow." })
  dialect: ApplicationDialect

  @Field(() => [RedirectUri], {
    description: "The addresses that people may return to after consent, compared byte by byte.",
  })
  redirectUris: string[]

  @Field(() => [Scope], { description: "The most that it may ask for." })
  scopes: Scope[]

  @Field(() => Boolean, { description: "Whether it runs on its users' devices, has no secret and needs PKCE." })
  isPublic: boolean

  @Field(() => DateTime, { description: "When it was registered." })
  createdAt: string
}

@ObjectType({ simpleResolvers: true, description: "An application with its new secret, which is shown once." })
export class ApplicationSecret {
  @Field(() => Application, { description: "The application." })
  application: Application

  @Needs("manage")
  @Extensions({ secret: true })
  @Field(() => String, {
    description: "Proves that a request comes from the application. It is not stored: save it now.",
  })
  clientSecret: string
}

@ObjectType({ simpleResolvers: true, description: "An application that has access to the viewer's account." })
export class AuthorizedApplication {
  @Field(() => ID, { description: "The application's identifier." })
  id: Id

  @Field(() => String, { description: "Its client ID." })
  clientId: string

  @Field(() => Name, { description: "What it is called." })
  name: string

  @Field(() => [Scope], { description: "What the user has agreed to." })
  scopes: Scope[]

  @Field(() => DateTime, { description: "When it got access." })
  authorizedAt: string

  @Field(() => DateTime, { nullable: true, description: "When it last used its access, to the minute." })
  lastUsedAt?: string | null
}
