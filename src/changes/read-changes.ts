import type { Context, EventPlace, Reading } from "../context.js"
import { placeNow } from "../events/account-replay.js"
import { assertGood, valuesOf } from "../events/behind.js"
import { placeOf } from "../events/cursor.js"
import type { Id } from "../statement.js"
import { type Change, ChangeOperation, type ChangePage } from "./change.type.js"
import { type Glance, type Gone, glance, type Openings, openings } from "./glance.statement.js"
import { type Kind, kinds, type Shown } from "./kinds.js"
import { type PageEnd, pageOfChanges, type Touched } from "./page.statement.js"
import { restOf, type Walked, walkFrom } from "./walk.statement.js"

// A reading goes through these states, which its cursor names:
//
//   (no cursor) -> walk "all" … -> a plain place, that of the moment before the walk
//   plain place -> nothing new at a glance, or a page of changes … -> a plain place, that of now
//   plain place -> something was opened: walk "opened" … -> changes up to where the walk was found to be needed … -> that place,
//     from where it goes on like this, so that one more page follows

const NOTHING_READ: readonly number[] = [0, 0, 0]
/** Of a walk that has yet to say what is to be forgotten before it begins. */
const FORGETTING = -1

/**
 * A page of what has changed for the viewer behind `after`, or of all that they have without it; "now" asks for a cursor and
 * nothing else.
 * @throws BadRequest for what is no cursor of theirs, ResyncRequired when the log does not reach back to it
 */
export async function readChanges(
  context: Context,
  after: string | null | undefined,
  most: number,
): Promise<ChangePage> {
  const { db, viewer, cursors } = context
  if (after == null) return walkAll(context, undefined, most)
  if (after === "now") {
    const [now] = (await db.run(placeNow, [])) as [EventPlace]
    return page(context, [], now)
  }
  const place = placeOf(cursors, viewer.userId, after)
  const { reading } = place
  if (reading?.walk === "all") return walkAll(context, place, most)
  if (reading === undefined) {
    const [seen] = (await db.run(glance, [...valuesOf(viewer.userId, place), null])) as [Glance]
    assertGood(seen.validity, context.distrust)
    if (!seen.hasHints) return page(context, [], seen.now)
  }
  const changes = reading?.walk === "opened" ? undefined : await changesBehind(context, place, most)
  return changes ?? openedBehind(context, place, most)
}

/** A page of what was opened behind a place; where that has not begun, the first. */
async function openedBehind(context: Context, place: EventPlace, most: number): Promise<ChangePage> {
  const { db, viewer, distrust } = context
  const { reading } = place
  const [found] = (await db.run(openings, [...valuesOf(viewer.userId, place), reading?.upTo?.snapshot])) as [Openings]
  assertGood(found.validity, distrust)
  if (reading?.walk === "opened") return walkOpened(context, place, found, { most, isBegun: true })
  const { after: snapshot, id, occurredAt } = found.now
  const at = found.gone.length > 0 ? [FORGETTING, 0] : NOTHING_READ
  const begun: EventPlace = { ...place, reading: { walk: "opened", upTo: { snapshot, id, occurredAt }, at } }
  return walkOpened(context, begun, found, { most, isBegun: false })
}

type Last = { readonly hasMore?: boolean; readonly full?: boolean }

const page = (
  { cursors, viewer }: Context,
  changes: readonly Change[],
  place: EventPlace,
  { hasMore = false, full = false }: Last = {},
): ChangePage => ({ changes, cursor: cursors.write(viewer.userId, place), hasMore, full })

const withoutReading = ({ reading: _, ...place }: EventPlace): EventPlace => place

/** A page of the whole account. */
async function walkAll(context: Context, begun: EventPlace | undefined, most: number): Promise<ChangePage> {
  const { now, walked, at } = await walkOn(context, begun, null, [], most)
  const place = begun ?? (now as EventPlace)
  if (at === undefined) return page(context, walked, withoutReading(place), { full: true })
  return page(context, walked, { ...place, reading: { walk: "all", at } }, { hasMore: true, full: true })
}

/** A page of what was opened to the viewer: first what is to be forgotten of it, alone, then all that it holds. */
async function walkOpened(
  context: Context,
  place: EventPlace,
  found: Openings,
  { most, isBegun }: { most: number; isBegun: boolean },
): Promise<ChangePage> {
  const { upTo, at: last } = place.reading as Required<Reading>
  const goOn = (changes: readonly Change[], reading: Reading) =>
    page(context, changes, { ...place, reading }, { hasMore: true })
  if (last[0] === FORGETTING) {
    const end = (last[1] as number) + most
    const changes = found.gone.slice(last[1], end).map(forgotten)
    const at = end < found.gone.length ? [FORGETTING, end] : NOTHING_READ
    return goOn(changes, { walk: "opened", upTo, at })
  }
  const { walked, at } = await walkOn(context, place, found.lists, found.tasks, most)
  if (at !== undefined) return goOn(walked, { walk: "opened", upTo, at })
  if (found.hasNews) return goOn(walked, { upTo, at: [NONE_TOLD] })
  return page(context, walked, endOf(place), { hasMore: isBegun })
}

/** Where a reading that has an end ends. */
function endOf({ history, reading }: EventPlace): EventPlace {
  const { upTo } = reading as Required<Reading>
  const { snapshot, id, occurredAt } = upTo
  return { history, before: snapshot, after: snapshot, id, occurredAt }
}

type Walk = {
  readonly walked: readonly Walked[]
  readonly at: readonly number[] | undefined
  readonly now?: EventPlace
}

async function walkOn(
  { db, viewer, distrust }: Context,
  place: EventPlace | undefined,
  lists: readonly Id[] | null,
  tasks: readonly Id[],
  most: number,
): Promise<Walk> {
  const cursor = place === undefined ? [null, viewer.userId, null, null, null, null] : valuesOf(viewer.userId, place)
  const at = place?.reading?.at ?? NOTHING_READ
  const values = [...cursor, lists, tasks, most + 1, ...at]
  const [stage = 0, behind = 0] = at
  const rest = behind > 0 ? restOf(stage) : undefined
  if (rest !== undefined) {
    const rows = await db.run(rest, values)
    const walk = endWalk(rows, most)
    if (walk.at !== undefined) {
      for (const { validity } of rows.slice(0, 1)) assertGood(validity, distrust)
      return walk
    }
  }
  const [first, ...rows] = await db.run(walkFrom(stage), values)
  if (first === undefined || !("now" in first)) throw new TypeError("A walk says first where it is.")
  if (place !== undefined) assertGood(first.validity, distrust)
  return { ...endWalk(rows as Walked[], most), now: first.now }
}

/** Cuts off what is behind a page. `at` is where the next one begins, undefined when nothing follows. */
function endWalk(found: readonly Walked[], most: number): Walk {
  const end = found.findIndex(({ isLong }, index) => isLong || index === most - 1) + 1
  const walked = end === 0 ? found : found.slice(0, end)
  const last = walked.at(-1)
  const isEnd = walked.length === found.length && !last?.isLong
  return { walked, at: last && !isEnd ? [last.stage, Number(last.a), Number(last.b)] : undefined }
}

/** No part of the next event has been told. */
const NONE_TOLD = -1

/** A page of changes behind a place: up to now, or up to where its reading ends. Undefined when something was opened, which comes first. */
async function changesBehind(context: Context, place: EventPlace, most: number): Promise<ChangePage | undefined> {
  const { db, viewer, distrust } = context
  const { upTo, at: [told] = [NONE_TOLD] } = place.reading ?? { at: [NONE_TOLD] }
  const values = [...valuesOf(viewer.userId, place), upTo?.snapshot, most, told ?? NONE_TOLD]
  const objects = new Map<string, { readonly object: Shown; readonly listId: Id | null }>()
  const touched: Touched[] = []
  let end: PageEnd | undefined
  for (const row of await db.run(pageOfChanges, values)) {
    if (row.kind === "object") objects.set(`${row.stage}/${row.object.id}`, row)
    else if (row.kind === "touched") touched.push(row.touched)
    else end = row.place
  }
  if (end === undefined) throw new TypeError("A page of changes says where it ends.")
  assertGood(end.validity, distrust)
  if (end.isShut) return undefined
  const changes = touched.map((one) => changeOf(one, objects.get(`${one.stage}/${one.id}`))).sort(inOrder)
  if (end.isAll && upTo === undefined) return page(context, changes, end.now)
  if (end.isAll) return page(context, changes, endOf(place), { hasMore: true })
  return page(context, changes, placeIn(place, end), { hasMore: true })
}

/** The place behind the last event that a page tells, and how much of the next one it tells. */
function placeIn(place: EventPlace, { last, told, now }: PageEnd): EventPlace {
  const { history, before, after, reading } = place
  const upTo = reading?.upTo
  const next = last && {
    ...(last.isRest ? { history, before, after } : { history, before: after, after: upTo?.snapshot ?? now.after }),
    id: last.id,
    occurredAt: last.occurredAt,
  }
  const isPlain = upTo === undefined && told === NONE_TOLD
  return {
    ...(next ?? withoutReading(place)),
    ...(!isPlain && { reading: { ...(upTo && { upTo }), at: [told] } }),
  }
}

type Staged = Change & { readonly stage: number }

const typeOf = (stage: number): string => (kinds[stage] as Kind).type

function changeOf(touched: Touched, found: { object: Shown; listId: Id | null } | undefined): Staged {
  const { stage, id, actorId, requestId } = touched
  const known = { stage, type: typeOf(stage), id, actorId, requestId }
  if (found === undefined)
    return { ...known, operation: ChangeOperation.delete, listId: touched.listId, revision: touched.revision }
  const { object, listId } = found
  return { ...known, operation: ChangeOperation.upsert, listId, revision: object.revision, data: object }
}

/** What is gone first, so that what a copy takes away with it is put back; then each behind what it lies in. */
const inOrder = (one: Staged, other: Staged): number =>
  rank(one) - rank(other) || one.stage - other.stage || Number(one.id) - Number(other.id)
const rank = ({ operation }: Change): number => (operation === ChangeOperation.delete ? 0 : 1)

const forgotten = (gone: Gone): Change => ({ ...gone, operation: ChangeOperation.delete })
