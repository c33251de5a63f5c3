import type { Context } from "../context.js"
import { Forbidden, NotFound, RevisionConflict } from "../errors.js"
import { type Id, type Statement, statement } from "../statement.js"

/**
 * The window of §9 as a condition: a write is accepted when the sent revision is not older than the row's last own change
 * and not newer than what the row shows. Changes below the row raise what it shows and make nobody's revision stale.
 */
export const atRevision = (row: string, sent: string): string =>
  `${sent}::bigint between ${row}.own_revision and ${row}.revision`

/** The same as Prisma's condition; with nothing sent, no condition. */
export const inRevisionWindow = (sent: number | null | undefined) =>
  sent == null ? {} : { ownRevision: { lte: sent }, revision: { gte: sent } }

/** Why a row may not be written: made of what a statement finds about it. */
export type Precondition = { allowed: boolean; ownRevision: number; revision: number }

/**
 * A statement that tells how a row stands to the viewer, to ask when a write has found no row. `from` names the table and
 * its row, `visible` and `allowed` are conditions of access; $1 is the row's id, $2 the viewer's.
 */
export const precondition = (
  name: string,
  from: string,
  row: string,
  visible: string,
  allowed = "true",
): Statement<Precondition> =>
  statement(
    `precondition_of_${name}`,
    `select (${allowed})::text, ${row}.own_revision, ${row}.revision from ${from} where ${row}.id = $1::bigint and ${visible}`,
    ([allowed, own, current]) => ({ allowed: allowed === "true", ownRevision: Number(own), revision: Number(current) }),
  )

/**
 * Refuses a write in the contract's order: not visible, not allowed, stale. Returns when none of the three is so.
 * @throws NotFound, RevisionConflict, or `forbidden`
 */
export async function mayWrite(
  { db, viewer }: Context,
  precondition: Statement<Precondition>,
  id: Id,
  sent?: number | null,
  forbidden?: () => Error,
): Promise<void> {
  const [found] = await db.run(precondition, [id, viewer.userId])
  if (found?.allowed === false) throw forbidden?.() ?? new NotFound()
  refuseStale(found, sent)
}

/** Refuses a write by the row that it is about, as the viewer may see it. @throws NotFound, RevisionConflict */
export function refuseStale(
  found: { readonly ownRevision: number | bigint; readonly revision: number | bigint } | null | undefined,
  sent?: number | null,
): void {
  if (found == null) throw new NotFound()
  if (sent != null && (sent < found.ownRevision || sent > found.revision)) throw new RevisionConflict()
}

/**
 * Says why a write found no row: `check` is the write's {@link mayWrite}. When nothing stands against it any more, another
 * writer came between the two statements, which is a conflict too.
 */
export async function failedPrecondition(check: Promise<void>): Promise<never> {
  await check
  throw new RevisionConflict()
}

/** Says whether the viewer may write a row as it stands: its {@link mayWrite}. */
export type MayWrite = (context: Context, id: Id, revision: number) => Promise<void>

/** The same by a precondition; `forbidden` is said to those who see the row and may not write it. */
export const permission =
  (found: Statement<Precondition>, forbidden?: string): MayWrite =>
  (context, id, revision) =>
    mayWrite(context, found, id, revision, forbidden === undefined ? undefined : () => new Forbidden(forbidden))

/** What must hold before a mutation that changes a row, by its arguments `id` and `input`. */
export const toUpdate = (check: MayWrite) => ({
  precondition: (context: Context, { id, input }: { id: Id; input: { revision: number } }) =>
    check(context, id, input.revision),
})

/** What must hold before a mutation that makes a row, by its argument `input`. */
export const toCreate = <Input>(check: (context: Context, input: Input) => Promise<void>) => ({
  precondition: (context: Context, { input }: { input: Input }) => check(context, input),
})

/** Deletes a row by a statement: $1 its id, $2 viewer, $3 revision, $4 request. @throws what `check` throws, RevisionConflict */
export const deletionBy =
  (row: Statement<Id>, check: MayWrite) =>
  async (context: Context, id: Id, revision: number): Promise<true> => {
    const { db, viewer, requestId } = context
    const [deleted] = await db.run(row, [id, viewer.userId, revision, requestId])
    return deleted === undefined ? failedPrecondition(check(context, id, revision)) : true
  }

/**
 * What `check` gives; when it refuses, the refusals that come before a validation error in the contract's order go first.
 * @throws what `precondition` throws, else what `check` throws
 */
export async function whenAllowed<Result>(check: () => Result, precondition: () => Promise<void>): Promise<Result> {
  try {
    return check()
  } catch (refusal) {
    await precondition()
    throw refusal
  }
}
