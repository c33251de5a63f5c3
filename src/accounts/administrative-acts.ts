import type { Transacted } from "../context.js"
import { statement } from "../statement.js"

/** What an operator has done. */
export type AdministrativeAct = {
  readonly occurredAt: string
  readonly actor: string
  readonly act: string
  readonly subject: string
}

/** Writes down an act: $1 who, $2 what, $3 to what. Nobody can change or delete it afterwards. */
export const insertAct = statement(
  "insert_administrative_act",
  "insert into administrative_acts (actor, act, subject) values ($1, $2, $3)",
  () => true,
)

/** The latest acts, so many at most, the newest first. */
export async function latestActs({ prisma }: Pick<Transacted, "prisma">, most: number): Promise<AdministrativeAct[]> {
  const acts = await prisma.administrativeAct.findMany({ orderBy: { id: "desc" }, take: most })
  return acts.map(({ occurredAt, actor, act, subject }) => ({
    occurredAt: occurredAt.toISOString(),
    actor,
    act,
    subject,
  }))
}
