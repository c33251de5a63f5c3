import type { Dialect } from "../context.js"
import type { DatabaseClient } from "../database/client.js"
import { createAccessToken } from "../oauth/access-token.js"
import { createApplication } from "../oauth/application.js"
import { createList } from "../resources/list/list.commands.js"
import { listsOfUser } from "../resources/list/list.statements.js"
import { createTask } from "../resources/task/task.commands.js"
import { insertUser } from "../resources/user/user.statements.js"
import { newSecret } from "../signing/secret.js"
import type { Id } from "../statement.js"
import { credentialsByEmail } from "./account.statements.js"
import { contextOfUser } from "./context-of-user.js"
import { anybody } from "./demo.statements.js"
import { hashPassword } from "./password.js"

const DEMO_EMAIL = "demo@example.org"
const DEMO_LIST = "Getting started"
const DEMO_TASKS = ["Read the README", "Make a task with curl", "Watch it arrive over a subscription"]

/** What a developer needs for the first call. */
export type Demo = {
  readonly clientId: string
  readonly accessToken: string
  readonly userId: Id
  readonly listId: Id
  /** Of the user, when it was created just now. */
  readonly password: string | undefined
}

/** Whether nobody has an account yet. */
export const isEmpty = async (database: DatabaseClient): Promise<boolean> =>
  (await database.run(anybody, [])).length === 0

/** Makes a demo user with a list, an application and a token; for one that exists already, a new application and token. */
export async function makeDemo(database: DatabaseClient, dialect: Dialect): Promise<Demo> {
  const password = newSecret().slice(0, 16)
  const [made] = await database.run(insertUser, ["Demo", DEMO_EMAIL, await hashPassword(password), true])
  const [known] = made ? [] : await database.run(credentialsByEmail, [DEMO_EMAIL])
  const userId = (made?.id ?? known?.userId) as Id
  const lists = await database.run(listsOfUser, [userId])
  let list = lists.find(({ ownerId, listType }) => ownerId === userId && listType === "list")
  if (list === undefined) {
    const context = contextOfUser(database, { userId, requestId: "demo" }, {})
    list = await createList(context, { title: DEMO_LIST })
    for (const title of DEMO_TASKS) await createTask(context, { listId: list.id, title })
  }
  const { clientId } = await createApplication(database, { name: "Tandem demo", redirectUris: [], dialect })
  const accessToken = (await createAccessToken(database, userId, clientId)) as string
  return { clientId, accessToken, userId, listId: list.id, password: made && password }
}

/** What to paste into a terminal and a browser to see a node at work. */
export function firstCalls(url: string, { clientId, accessToken, listId, password }: Demo): string {
  const headers = `-H 'X-Client-ID: ${clientId}' -H 'X-Access-Token: ${accessToken}'`
  const query = JSON.stringify({ query: "{ viewer { name } lists { id title tasks { id title } } }" })
  return [
    "",
    "Tandem is ready. A demo account was made; paste these:",
    "",
    "  REST",
    `  curl ${headers} '${url}/api/v1/tasks?list_id=${listId}'`,
    "",
    "  GraphQL",
    `  curl ${headers} -H 'Content-Type: application/json' ${url}/graphql -d '${query}'`,
    "",
    "  or in the explorer's editor, with the two headers above:",
    `  query { list(id: "${listId}") { title tasks { id title revision } } }`,
    `  subscription { listUpdated(listId: "${listId}") { operation subjectType listRevision after } }`,
    "",
    `  Sign in as ${DEMO_EMAIL}${password === undefined ? "" : `, password ${password}`}`,
    "",
  ].join("\n")
}

/**
 * What every start tells a developer: where the pages are, and how to get in again.
 * @param command how commands are run here
 * @param mailsKey what opens the page of what is mailed, where there is one
 */
export function whereabouts(url: string, command: string, mailsKey: string | undefined): string {
  const lines = [
    "",
    "Tandem is running. Stop it with Ctrl+C.",
    "",
    `  ${url}/           your lists, live`,
    `  ${url}/docs       the REST reference`,
    `  ${url}/graphql    the GraphQL explorer`,
    mailsKey !== undefined && `\n  what would have been mailed: ${url}/dev/mails?key=${mailsKey}`,
    "",
    `  a token of the demo account         ${command} demo`,
    `  a new password of the demo account  ${command} user reset-password --user ${DEMO_EMAIL}`,
    "",
    "",
  ]
  return lines.filter((line) => line !== false).join("\n")
}
