import { Extensions, Field, ObjectType, registerEnumType } from "type-graphql"
import { DateTime, ID, Name, RedirectUri } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** Which of two contracts an application's REST answers follow. */
export enum ApplicationDialect {
  spec = "spec",
  wunderlist = "wunderlist",
}
registerEnumType(ApplicationDialect, {
  name: "ApplicationDialect",
  description: "Which of two contracts an application's REST answers follow.",
  valuesConfig: {
    spec: { description: "The interface specification." },
    wunderlist: { description: "The retired service, where it differs from the specification." },
  },
})

/** A program that people may let into their account. (§5) */
@ObjectType({ simpleResolvers: true, description: "A program that people may let into their account." })
export class Application {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => String, { description: "Its client ID: public, and a header of each of its requests." })
  clientId: string

  @Field(() => Name, { description: "What people see when it asks for their consent." })
  name: string

  @Field(() => ApplicationDialect, { description: "Which contract its REST answers follow." })
  dialect: ApplicationDialect

  @Field(() => [RedirectUri], { description: "Where people may return to after consent; compared byte by byte." })
  redirectUris: string[]

  @Field(() => DateTime, { description: "When it was registered." })
  createdAt: string
}

/** An application with its secret, which is shown this once. */
@ObjectType({ simpleResolvers: true, description: "An application with its new secret, which is shown this once." })
export class ApplicationSecret {
  @Field(() => Application, { description: "The application." })
  application: Application

  @Extensions({ secret: true })
  @Field(() => String, {
    description: "Proves that a request comes from the application. It is stored nowhere: keep it.",
  })
  clientSecret: string
}

/** An application that the viewer has let into his account. */
@ObjectType({ simpleResolvers: true, description: "An application that the viewer has let into his account." })
export class AuthorizedApplication {
  @Field(() => ID, { description: "The application's identifier." })
  id: Id

  @Field(() => String, { description: "Its client ID." })
  clientId: string

  @Field(() => Name, { description: "What it is called." })
  name: string

  @Field(() => DateTime, { description: "Since when it has access." })
  authorizedAt: string

  @Field(() => DateTime, { nullable: true, description: "When it last used that access, to the minute." })
  lastUsedAt?: string | null
}
