import type { DatabaseClient } from "../database/client.js"
import { idOf } from "../scalars/scalars.js"
import type { Id, Runner } from "../statement.js"
import { statement } from "../statement.js"

/** A user as commands name them. */
export type NamedUser = { readonly id: Id; readonly name: string; readonly email: string }

const userNamed = statement(
  "user_named",
  "select id, name, email from users where id = $1::bigint or email = lower($2)",
  ([id, name, email]): NamedUser => ({ id: id as Id, name: name as string, email: email as string }),
)

/** The user whom `--user` names, by id or email address. @throws Error that says so when there is none */
export async function userOf(database: Runner, who: string): Promise<NamedUser> {
  const [user] = await database.run(userNamed, [idOf(who), who])
  if (user === undefined) throw new Error(`--user: there is no user ${who}; create one with: user create`)
  return user
}

/** @throws Error that says how to enable the user, when they are disabled */
export async function requireEnabled({ prisma }: Pick<DatabaseClient, "prisma">, id: Id, email: string): Promise<void> {
  if ((await prisma.disabledUser.count({ where: { userId: BigInt(id) } })) > 0)
    throw new Error(`--user: ${email} is disabled; let them in again with: user enable`)
}
