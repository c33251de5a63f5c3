import type { EventPlace } from "../context.js"
import { PLACE_COLUMNS, PLACE_NOW, readPlace, type Validity } from "../events/behind.js"
import { type Fields, type Id, statement } from "../statement.js"
import { HAS_HINTS, HINTS_OF_NEWS, NEWS_OF_VIEWER } from "./news.js"

/** Something that is gone, or was away for a while: what a copy has of it is to be forgotten. */
export type Gone = { readonly type: string; readonly id: Id; readonly listId: Id; readonly revision: number }

/** Whether there may be anything behind a cursor. */
export type Glance = { readonly now: EventPlace; readonly validity: Validity; readonly hasHints: boolean }

/** Looks whether there may be: costs no more than to look at each list's last event. Values as in `news.ts`. */
export const glance = statement(
  "glance_at_changes",
  `with ${HINTS_OF_NEWS} select p.*, (select validity from here), ${HAS_HINTS} from (${PLACE_NOW}) p`,
  (fields: Fields): Glance => {
    const [validity, hasHints] = fields.slice(PLACE_COLUMNS)
    return { now: readPlace(fields), validity: validity as Validity, hasHints: hasHints === "t" }
  },
)

/** What was opened to the viewer behind a cursor. */
export type Openings = {
  readonly now: EventPlace
  readonly validity: Validity
  /** Lists and tasks that are to be shown whole. */
  readonly lists: readonly Id[]
  readonly tasks: readonly Id[]
  /** Those of them of which a copy may have something old. */
  readonly gone: readonly Gone[]
  /** Whether anything else has changed. */
  readonly hasNews: boolean
}

const ID = /\d+/g

/** Looks what was opened behind a cursor; values as in `news.ts`. */
export const openings = statement(
  "openings_behind_cursor",
  `with ${NEWS_OF_VIEWER}
   select p.*, (select validity from here), (select array_agg(list_id) from opened), (select array_agg(id) from moved),
     (select json_agg(g order by g."listId", g.id) from (
       select 'list' as type, o.list_id::text as id, o.list_id::text as "listId", l.revision from opened o join lists l on l.id = o.list_id where o.was_in
       union all select 'task', m.id::text, m.was_in::text, m.revision from moved m where m.was_in is not null) g),
     exists (select from seen)
   from (${PLACE_NOW}) p`,
  (fields: Fields): Openings => {
    const [validity, lists, tasks, gone, hasNews] = fields.slice(PLACE_COLUMNS)
    return {
      now: readPlace(fields),
      validity: validity as Validity,
      lists: lists?.match(ID) ?? [],
      tasks: tasks?.match(ID) ?? [],
      gone: gone == null ? [] : JSON.parse(gone),
      hasNews: hasNews === "t",
    }
  },
)
