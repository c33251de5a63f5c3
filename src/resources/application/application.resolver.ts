import { Arg, Ctx, Extensions, FieldResolver, Mutation, Resolver, Root } from "type-graphql"
import { Needs } from "../../access/needs.js"
import { requirePersonalToken } from "../../access/personal-token.js"
import type { Context } from "../../context.js"
import { Forbidden } from "../../errors.js"
import { ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { User } from "../user/user.type.js"
import { AccessToken, NewAccessToken } from "./access-token.type.js"
import {
  createApplication,
  createPersonalToken,
  createPublicApplication,
  deleteApplication,
  type NewApplication,
  revokeAuthorization,
  revokePersonalToken,
  rotateApplicationSecret,
  updateApplication,
} from "./application.commands.js"
import { CreateAccessTokenInput, CreateApplicationInput, UpdateApplicationInput } from "./application.input.js"
import { applicationsOfUser, personalTokens } from "./application.rows.js"
import { authorizedApplications } from "./application.statements.js"
import { Application, ApplicationSecret, AuthorizedApplication } from "./application.type.js"

/** What the viewer has registered, let in and made. (§5) */
@Resolver(() => User)
export class AccessOfViewer {
  @Needs("manage")
  @FieldResolver(() => [Application], {
    description: "The applications that the user has registered, by id. Visible to that user only.",
  })
  async applications(@Root() { id }: User, @Ctx() context: Context): Promise<Application[]> {
    return applicationsOfUser(context.db, await own(id, context))
  }

  @Needs("manage")
  @FieldResolver(() => [AuthorizedApplication], {
    description: "The applications that the user has given access to. Visible to that user only.",
  })
  async authorizedApplications(@Root() { id }: User, @Ctx() context: Context): Promise<AuthorizedApplication[]> {
    return context.db.run(authorizedApplications, [await own(id, context)])
  }

  @Needs("manage")
  @FieldResolver(() => [AccessToken], { description: "The user's personal access tokens. Visible to that user only." })
  async accessTokens(@Root() { id }: User, @Ctx() context: Context): Promise<AccessToken[]> {
    return personalTokens(context.db, await own(id, context))
  }
}

async function own(id: Id, context: Context): Promise<Id> {
  if (id !== context.viewer.userId) throw new Forbidden("Only the user themselves can see this.")
  return requirePersonalToken(context)
}

/** Makes this node forget at once the tokens that have ended; the others hear of it. */
async function end(context: Context, tokens: Promise<readonly Id[]>): Promise<true> {
  context.tokensEnded(await tokens)
  return true
}

const newApplication = (
  { name, redirectUris, dialect, scopes }: CreateApplicationInput,
  { defaultDialect }: Context,
): NewApplication => ({ name, redirectUris: redirectUris ?? [], dialect: dialect ?? defaultDialect, scopes })

/** Applications: register, change, give another secret, delete. (§5) */
@Resolver()
export class ApplicationResolver {
  @Extensions({ once: "inTransaction" })
  @Needs("manage")
  @Mutation(() => ApplicationSecret, { description: "Register an application." })
  async createApplication(
    @Arg("input", () => CreateApplicationInput, { description: "Its fields." })
    input: CreateApplicationInput,
    @Ctx() context: Context,
  ): Promise<ApplicationSecret> {
    return createApplication(context.db, await requirePersonalToken(context), newApplication(input, context))
  }

  @Extensions({ once: "inTransaction" })
  @Needs("manage")
  @Mutation(() => Application, {
    description:
      "Register a public application, for a program on its users' devices or in a page: it has no secret, and needs PKCE.",
  })
  async createPublicApplication(
    @Arg("input", () => CreateApplicationInput, { description: "Its fields." })
    input: CreateApplicationInput,
    @Ctx() context: Context,
  ): Promise<Application> {
    return createPublicApplication(context.db, await requirePersonalToken(context), newApplication(input, context))
  }

  @Needs("manage")
  @Mutation(() => Application, { description: "Update one of the viewer's applications." })
  async updateApplication(
    @Arg("id", () => ID, { description: "The application's identifier." }) id: Id,
    @Arg("input", () => UpdateApplicationInput, { description: "The fields to change." }) input: UpdateApplicationInput,
    @Ctx() context: Context,
  ): Promise<Application> {
    const { application, narrowed } = await updateApplication(
      context.db,
      await requirePersonalToken(context),
      id,
      input,
    )
    context.tokensEnded(narrowed)
    return application
  }

  @Extensions({ once: "inTransaction" })
  @Needs("manage")
  @Mutation(() => ApplicationSecret, {
    description: "Rotate an application's secret. The old secret stops working at once.",
  })
  async rotateApplicationSecret(
    @Arg("id", () => ID, { description: "The application's identifier." }) id: Id,
    @Ctx() context: Context,
  ): Promise<ApplicationSecret> {
    return rotateApplicationSecret(context.db, await requirePersonalToken(context), id)
  }

  @Needs("manage")
  @Mutation(() => Boolean, { description: "Delete an application. All its tokens are revoked." })
  async deleteApplication(
    @Arg("id", () => ID, { description: "The application's identifier." }) id: Id,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return end(context, deleteApplication(context.db, await requirePersonalToken(context), id))
  }
}

/** What opens the viewer's account: consents and personal tokens. (§5) */
@Resolver()
export class AccessResolver {
  @Needs("manage")
  @Mutation(() => Boolean, { description: "Revoke an application's access to the viewer's account." })
  async revokeAuthorization(
    @Arg("applicationId", () => ID, { description: "The application's identifier." }) applicationId: Id,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return end(context, revokeAuthorization(context.db, await requirePersonalToken(context), applicationId))
  }

  @Extensions({ once: "inTransaction" })
  @Needs("manage")
  @Mutation(() => NewAccessToken, {
    description: "Create a personal access token. It has no more scopes than the token that creates it.",
  })
  async createAccessToken(
    @Arg("input", () => CreateAccessTokenInput, { description: "Its fields." })
    input: CreateAccessTokenInput,
    @Ctx() context: Context,
  ): Promise<NewAccessToken> {
    return createPersonalToken(context.db, await requirePersonalToken(context), input, context.viewer.scopes)
  }

  @Needs("manage")
  @Mutation(() => Boolean, { description: "Revoke a personal access token." })
  async revokeAccessToken(
    @Arg("id", () => ID, { description: "The token's identifier." }) id: Id,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return end(context, revokePersonalToken(context.db, await requirePersonalToken(context), id))
  }
}
