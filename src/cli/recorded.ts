import { hostname, userInfo } from "node:os"
import { recordAct } from "../accounts/administrative-acts.js"
import type { Transacted } from "../context.js"
import type { DatabaseClient } from "../database/client.js"
import type { NamedUser } from "./named-user.js"

/** What is done, as the command is called, and to what; in words, for it is read when that may be gone. */
type Act<Result> = { readonly act: string; readonly subject: string | ((result: Result) => string) }

/** A user in the log of administrative acts. */
export const userInWords = ({ id, email }: Pick<NamedUser, "id" | "email">): string => `user ${id}, ${email}`

/** Does what an operator has asked for and writes it down: both, or neither. */
export const recorded = <Result>(
  database: DatabaseClient,
  { act, subject }: Act<Result>,
  work: (inside: Transacted) => Promise<Result>,
): Promise<Result> =>
  database.transaction(async (inside) => {
    const result = await work(inside)
    await recordAct(inside, actor(), act, typeof subject === "string" ? subject : subject(result))
    return result
  })

/** The account that runs the command, and its machine. In a container the account may have no name. */
function actor(): string {
  try {
    return `${userInfo().username}@${hostname()}`
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}@${hostname()}`
  }
}
