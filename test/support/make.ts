import { randomUUID } from "node:crypto"
import type { Dialect } from "../../src/context.js"
import { createAccessToken } from "../../src/oauth/access-token.js"
import { createApplication } from "../../src/oauth/application.js"
import { type Runner, statement } from "../../src/statement.js"
import { type Client, createClient } from "./client.js"

/** A user with a token: speaks REST and GraphQL, and knows their identifiers. */
export type Person = Client & {
  readonly id: number
  readonly name: string
  readonly email: string
  readonly inboxId: number
}

type Where = { readonly url: string; readonly database: Runner }

const insertUser = statement(
  "test_insert_user",
  "insert into users (name, email, verified_at) values ($1, $2, now()) returning id",
  ([id]) => Number(id),
)
const inboxOf = statement(
  "test_inbox_of",
  "select id from lists where owner_id = $1::bigint and list_type = 'inbox'",
  ([id]) => Number(id),
)

/** Makes a user, an application of the given dialect and a token. */
export async function makePerson({ url, database }: Where, name = "Ann", dialect: Dialect = "spec"): Promise<Person> {
  const email = `${name.toLowerCase()}.${randomUUID()}@example.org`
  const [id] = await database.run(insertUser, [name, email])
  const [inboxId] = await database.run(inboxOf, [id])
  const { clientId } = await createApplication(database, { name: "Test", redirectUris: [], dialect })
  const token = await createAccessToken(database, String(id), clientId)
  return Object.assign(createClient(url, { clientId, token, dialect }), {
    id: id as number,
    name,
    email,
    inboxId: inboxId as number,
  })
}

/** Makes a list by REST. */
export const makeList = async (owner: Person, title = "Groceries"): Promise<any> =>
  (await owner.post("/lists", { title })).body

/** Makes a task by REST. */
export const makeTask = async (
  owner: Person,
  list: { id: number },
  members: Record<string, unknown> = {},
): Promise<any> => (await owner.post("/tasks", { list_id: list.id, title: "Buy milk", ...members })).body

const insertMembership = statement(
  "test_insert_membership",
  "insert into memberships (list_id, user_id, state, updated_by_id) values ($1::bigint, $2::bigint, $3, $4::bigint) returning id",
  ([id]) => Number(id),
)

/** Makes a user a member of a list, or invites them, directly in the database. Returns the membership's id. */
export async function addMember(
  { database }: Where,
  list: { id: number },
  person: Person,
  state: "accepted" | "pending" = "accepted",
): Promise<number> {
  const [id] = await database.run(insertMembership, [list.id, person.id, state, person.id])
  return id as number
}

/** The people of the access matrix around one list: its owner, a member, somebody invited, an outsider. */
export async function makePeople(
  where: Where,
): Promise<{ owner: Person; member: Person; invitee: Person; stranger: Person; list: any }> {
  const [owner, member, invitee, stranger] = (await Promise.all(
    ["Ann", "Bob", "Dan", "Cid"].map((name) => makePerson(where, name)),
  )) as [Person, Person, Person, Person]
  const list = await makeList(owner)
  await addMember(where, list, member)
  await addMember(where, list, invitee, "pending")
  return { owner, member, invitee, stranger, list: (await owner.get(`/lists/${list.id}`)).body }
}
