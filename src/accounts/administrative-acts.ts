import type { Rows } from "../context.js"

/** What an operator has done. */
export type AdministrativeAct = {
  readonly occurredAt: string
  readonly actor: string
  readonly act: string
  readonly subject: string
}

/** Writes down who has done what to what. Nobody can change or delete it afterwards. */
export async function recordAct({ prisma }: Rows, actor: string, act: string, subject: string): Promise<void> {
  await prisma.administrativeAct.create({ data: { actor, act, subject } })
}

/** The latest acts, so many at most, the newest first. */
export async function latestActs({ prisma }: Rows, most: number): Promise<AdministrativeAct[]> {
  const acts = await prisma.administrativeAct.findMany({ orderBy: { id: "desc" }, take: most })
  return acts.map(({ occurredAt, actor, act, subject }) => ({
    occurredAt: occurredAt.toISOString(),
    actor,
    act,
    subject,
  }))
}
