import { readdirSync, readFileSync } from "node:fs"
import "reflect-metadata"
import { isObjectType, isUnionType } from "graphql"
import { describe, expect, it } from "vitest"
import { restObjectOf, subjectOf } from "../../src/events/event.subject.js"
import { buildSchema } from "../../src/transports/graphql/schema.js"

const migrations = new URL("../../prisma/migrations/", import.meta.url)
const sql = readdirSync(migrations, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => readFileSync(new URL(`${name}/migration.sql`, migrations), "utf8"))
  .join("\n")

/** Every subject type that a trigger writes into an event. */
const subjectTypes = new Set(
  [
    ...sql.matchAll(/EXECUTE FUNCTION record_\w+\('(\w+)'/g),
    ...sql.matchAll(/'(?:CREATE|UPDATE|DELETE)'(?: END)?, '([a-z_]+)'/g),
  ].map(([, name]) => name as string),
)

describe("every kind of object whose changes are events", () => {
  it("is found in the triggers", () => {
    expect(subjectTypes.size).toBeGreaterThanOrEqual(15)
    expect(subjectTypes).toContain("task")
    expect(subjectTypes).toContain("list")
    expect(subjectTypes).toContain("access_token")
  })

  const schema = buildSchema()
  const union = schema.getType("EventSubject")
  it.each([...subjectTypes].filter((name) => name !== "access_token"))("shows %s in both forms", (name) => {
    const snapshot = { id: 7, revision: 3, created_at: "2030-01-02T03:04:05.6+02:00" }
    expect(restObjectOf(name, snapshot)).toMatchObject({ id: 7, revision: 3, type: name })
    const subject = subjectOf(name, snapshot)
    const type = schema.getType(subject?.__typename ?? "")
    expect(subject).toMatchObject({ id: "7", revision: 3 })
    expect(isObjectType(type) && isUnionType(union) && schema.isSubType(union, type)).toBe(true)
  })

  it("shows instants in UTC with milliseconds, whatever the zone of the session that wrote them", () => {
    const snapshot = { id: 7, created_at: "2030-01-02T03:04:05.6+02:00" }
    expect(restObjectOf("task", snapshot)).toMatchObject({ created_at: "2030-01-02T01:04:05.600Z" })
    expect(subjectOf("task", snapshot)).toMatchObject({ createdAt: "2030-01-02T01:04:05.600Z" })
  })

  it("shows nothing of a kind that this version does not know", () => {
    expect([restObjectOf("comet", { id: 1 }), subjectOf("comet", { id: 1 })]).toEqual([undefined, undefined])
  })
})

describe("the fields of Subscription", () => {
  it("are answered by the event itself or its subject, without waiting", () => {
    const event = { subject: {} }
    for (const field of Object.values(buildSchema().getSubscriptionType()?.getFields() ?? {}))
      expect([event, event.subject]).toContain(field.resolve?.(event, {}, {}, {} as never))
  })
})
