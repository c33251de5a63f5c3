import { Arg, Ctx, Extensions, FieldResolver, Mutation, Resolver, Root } from "type-graphql"
import { keeper } from "../../access/personal-token.js"
import type { Context } from "../../context.js"
import { Forbidden } from "../../errors.js"
import { ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { User } from "../user/user.type.js"
import { AccessToken, NewAccessToken } from "./access-token.type.js"
import {
  createApplication,
  createPersonalToken,
  deleteApplication,
  revokeAuthorization,
  revokePersonalToken,
  rotateApplicationSecret,
  updateApplication,
} from "./application.commands.js"
import { CreateAccessTokenInput, CreateApplicationInput, UpdateApplicationInput } from "./application.input.js"
import { applicationsOfUser, authorizedApplications, personalTokens } from "./application.statements.js"
import { Application, ApplicationSecret, AuthorizedApplication } from "./application.type.js"

/** What the viewer has registered, let in and made. (§5) */
@Resolver(() => User)
export class AccessOfViewer {
  @FieldResolver(() => [Application], {
    description: "The applications he has registered, by id. Only the viewer's own.",
  })
  async applications(@Root() { id }: User, @Ctx() context: Context): Promise<Application[]> {
    return context.db.run(applicationsOfUser, [await own(id, context)])
  }

  @FieldResolver(() => [AuthorizedApplication], {
    description: "The applications he has let in. Only the viewer's own.",
  })
  async authorizedApplications(@Root() { id }: User, @Ctx() context: Context): Promise<AuthorizedApplication[]> {
    return context.db.run(authorizedApplications, [await own(id, context)])
  }

  @FieldResolver(() => [AccessToken], { description: "The tokens he has made for himself. Only the viewer's own." })
  async accessTokens(@Root() { id }: User, @Ctx() context: Context): Promise<AccessToken[]> {
    return context.db.run(personalTokens, [await own(id, context)])
  }
}

async function own(id: Id, context: Context): Promise<Id> {
  if (id !== context.viewer.userId) throw new Forbidden("This is shown to the user himself only.")
  return keeper(context)
}

/** Makes this node forget at once the tokens that have ended; the others hear of it. */
async function end(context: Context, tokens: Promise<readonly Id[]>): Promise<true> {
  context.tokensEnded(await tokens)
  return true
}

/** Applications: register, change, give another secret, delete. (§5) */
@Resolver()
export class ApplicationResolver {
  @Extensions({ once: "inTransaction" })
  @Mutation(() => ApplicationSecret, { description: "Registers an application." })
  async createApplication(
    @Arg("input", () => CreateApplicationInput, { description: "What it is registered with." })
    { name, redirectUris, dialect }: CreateApplicationInput,
    @Ctx() context: Context,
  ): Promise<ApplicationSecret> {
    const application = { name, redirectUris: redirectUris ?? [], dialect: dialect ?? context.defaultDialect }
    return createApplication(context.db, await keeper(context), application)
  }

  @Mutation(() => Application, { description: "Changes an application of the viewer." })
  async updateApplication(
    @Arg("id", () => ID, { description: "The application's identifier." }) id: Id,
    @Arg("input", () => UpdateApplicationInput, { description: "What changes." }) input: UpdateApplicationInput,
    @Ctx() context: Context,
  ): Promise<Application> {
    return updateApplication(context.db, await keeper(context), id, input)
  }

  @Extensions({ once: "inTransaction" })
  @Mutation(() => ApplicationSecret, {
    description: "Gives an application another secret. The one before ends at once.",
  })
  async rotateApplicationSecret(
    @Arg("id", () => ID, { description: "The application's identifier." }) id: Id,
    @Ctx() context: Context,
  ): Promise<ApplicationSecret> {
    return rotateApplicationSecret(context.db, await keeper(context), id)
  }

  @Mutation(() => Boolean, { description: "Deletes an application; every token that anybody gave it ends." })
  async deleteApplication(
    @Arg("id", () => ID, { description: "The application's identifier." }) id: Id,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return end(context, deleteApplication(context.db, await keeper(context), id))
  }
}

/** What opens the viewer's account: consents and personal tokens. (§5) */
@Resolver()
export class AccessResolver {
  @Mutation(() => Boolean, { description: "Shuts an application out of the viewer's account." })
  async revokeAuthorization(
    @Arg("applicationId", () => ID, { description: "The application's identifier." }) applicationId: Id,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return end(context, revokeAuthorization(context.db, await keeper(context), applicationId))
  }

  @Extensions({ once: "inTransaction" })
  @Mutation(() => NewAccessToken, { description: "Makes a token for the viewer himself." })
  async createAccessToken(
    @Arg("input", () => CreateAccessTokenInput, { description: "What it is made of." })
    { name, clientId }: CreateAccessTokenInput,
    @Ctx() context: Context,
  ): Promise<NewAccessToken> {
    return createPersonalToken(context.db, await keeper(context), name, clientId ?? undefined)
  }

  @Mutation(() => Boolean, { description: "Ends a token that the viewer has made for himself." })
  async revokeAccessToken(
    @Arg("id", () => ID, { description: "The token's identifier." }) id: Id,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return end(context, revokePersonalToken(context.db, await keeper(context), id))
  }
}
