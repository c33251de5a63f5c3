import { Field, InputType } from "type-graphql"
import { InvalidFields, type Violations } from "../errors.js"
import { DateTime } from "../scalars/scalars.js"

@InputType({ description: "A stretch of time; both ends belong to it." })
export class InstantRange {
  @Field(() => DateTime, { nullable: true, description: "Not before this instant." })
  from?: string | null

  @Field(() => DateTime, { nullable: true, description: "Not after this instant." })
  to?: string | null
}

type Range = { readonly from?: string | null; readonly to?: string | null } | null | undefined

/** What is wrong with stretches of days or time, by their names: each must not end before it begins. */
export function violationsOf(ranges: Readonly<Record<string, Range>>): Violations {
  const violations: Violations = {}
  for (const [name, range] of Object.entries(ranges))
    if (range?.from != null && range.to != null && range.from > range.to)
      violations[`${name}.from`] = [`must not be after ${name}.to`]
  return violations
}

/** @throws InvalidFields for a stretch that ends before it begins */
export function refuseReversed(ranges: Readonly<Record<string, Range>>): void {
  const violations = violationsOf(ranges)
  if (Object.keys(violations).length > 0) throw new InvalidFields(violations)
}
