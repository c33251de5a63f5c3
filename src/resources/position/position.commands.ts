import { failedPrecondition, mayWrite, whenAllowed } from "../../access/revision.js"
import type { Context } from "../../context.js"
import { InvalidFields } from "../../errors.js"
import type { Id } from "../../statement.js"
import type { UpdatePositionInput } from "./position.input.js"
import type { PositionKind } from "./position.statements.js"

/** Each id once, where it came first; as many as a request's body carries. @throws InvalidFields for one that cannot be an id */
function distinct(values: readonly Id[]): Id[] {
  if (values.includes("0")) throw new InvalidFields({ values: ["must be ids: integers from 1 to 9007199254740991"] })
  return [...new Set(values)]
}

/**
 * Puts what a position orders into a new order. Two that write at once with one revision: one of them wins. (§4 Positions)
 * @throws NotFound, RevisionConflict, InvalidFields
 */
export async function updatePosition<Position>(
  context: Context,
  kind: PositionKind<Position>,
  id: Id,
  input: UpdatePositionInput,
): Promise<Position> {
  const { db, viewer, requestId } = context
  const precondition = () => mayWrite(context, kind.precondition, id, input.revision)
  const values = await whenAllowed(() => distinct(input.values), precondition)
  const [position] = await db.run(kind.write, [id, viewer.userId, input.revision, requestId, values])
  return position ?? failedPrecondition(precondition())
}
