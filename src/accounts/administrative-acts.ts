import { type Fields, instantOf, statement } from "../statement.js"

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

/** The latest acts, $1 of them at most, the newest first. */
export const latestActs = statement(
  "latest_administrative_acts",
  "select occurred_at, actor, act, subject from administrative_acts order by id desc limit $1::integer",
  ([occurredAt, actor, act, subject]: Fields): AdministrativeAct => ({
    occurredAt: instantOf(occurredAt as string),
    actor: actor as string,
    act: act as string,
    subject: subject as string,
  }),
)
