import type { Dialect } from "../context.js"
import type { DatabaseClient } from "../database/client.js"
import { createAccessToken } from "../oauth/access-token.js"
import { createApplication } from "../oauth/application.js"
import { newSecret } from "../signing/secret.js"
import { type Id, statement } from "../statement.js"
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

const demoUser = statement(
  "demo_user",
  `with made as (insert into users (name, email, verified_at, password_hash) values ('Demo', $1, now(), $2) on conflict (email) do nothing returning id)
   select id, true from made union all select id, false from users where email = $1 and not exists (select from made)`,
  ([id, isNew]) => ({ id: id as Id, isNew: isNew === "t" }),
)

const demoList = statement(
  "demo_list",
  `with l as (insert into lists (title, owner_id, created_by_id, updated_by_id) values ($2, $1::bigint, $1::bigint, $1::bigint) returning id),
   m as (insert into memberships (list_id, user_id, state, owner, created_by_id, updated_by_id)
     select l.id, $1::bigint, 'accepted', true, $1::bigint, $1::bigint from l returning id)
   select l.id from l where (select count(*) from m) = 1`,
  ([id]) => id as Id,
)

const demoTask = statement(
  "demo_task",
  "insert into tasks (list_id, title, created_by_id, updated_by_id) values ($1::bigint, $3, $2::bigint, $2::bigint) returning id",
  ([id]) => id as Id,
)

const listOfDemo = statement(
  "list_of_demo",
  "select id from lists where owner_id = $1::bigint and list_type = 'list' and deleted_at is null order by id limit 1",
  ([id]) => id as Id,
)

const anybody = statement("anybody", "select 1 from users limit 1", () => true)

/** Whether nobody has an account yet. */
export const isEmpty = async (database: DatabaseClient): Promise<boolean> =>
  (await database.run(anybody, [])).length === 0

/** Makes a demo user with a list, an application and a token; for one that exists already, a new application and token. */
export async function makeDemo(database: DatabaseClient, dialect: Dialect): Promise<Demo> {
  const password = newSecret().slice(0, 16)
  const [user] = await database.run(demoUser, [DEMO_EMAIL, await hashPassword(password)])
  const userId = user?.id as Id
  let [listId] = await database.run(listOfDemo, [userId])
  if (listId === undefined) {
    ;[listId] = await database.run(demoList, [userId, DEMO_LIST])
    for (const title of DEMO_TASKS) await database.run(demoTask, [listId, userId, title])
  }
  const { clientId } = await createApplication(database, { name: "Tandem demo", redirectUris: [], dialect })
  const accessToken = (await createAccessToken(database, userId, clientId)) as string
  return { clientId, accessToken, userId, listId: listId as Id, password: user?.isNew ? password : undefined }
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
