import { type GraphQLEnumType, type GraphQLNamedType, isEnumType } from "graphql"
import { REMOVABLE } from "../../resources/task/task.input.js"
import { EVENT_KINDS } from "../../scalars/webhook-scalars.js"
import { snakeCase } from "../../statement.js"
import { inRestWords } from "../rest/wire-case.js"
import type { JsonSchema } from "./json-schema.js"

/** A scalar as REST reads it, as REST writes it where that is narrower, and one value of it. */
type ScalarSchema = { readonly read: JsonSchema; readonly written?: JsonSchema; readonly example: unknown }

const ONE_LINE = { type: "string", minLength: 1, maxLength: 255 }
const NOT_BLANK = { ...ONE_LINE, pattern: "\\S" }

/**
 * The limits of every scalar that REST reads or writes, in the words of JSON Schema. A test holds each of them against the
 * scalar itself, at its limits and past them.
 */
export const scalarSchemas: Readonly<Record<string, ScalarSchema>> = {
  ID: {
    read: { type: "integer", format: "int64", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    example: 1,
  },
  Int: { read: { type: "integer", format: "int32" }, example: 1 },
  Boolean: { read: { type: "boolean" }, example: false },
  String: { read: { type: "string" }, example: "text" },
  Title: { read: NOT_BLANK, example: "Groceries" },
  Name: { read: NOT_BLANK, example: "Ann" },
  Text: { read: { type: "string" }, example: "Semi-skimmed, two litres" },
  ShortText: { read: { type: "string", maxLength: 255 }, example: "generic" },
  SettingKey: { read: ONE_LINE, example: "language" },
  Udid: { read: ONE_LINE, example: "firefox-on-the-desk" },
  WebhookUrl: {
    read: { ...ONE_LINE, format: "uri", pattern: "^[Hh][Tt][Tt][Pp][Ss]?://" },
    example: "https://hooks.example.org/tandem",
  },
  Email: { read: { type: "string", format: "email", minLength: 3, maxLength: 255 }, example: "ann@example.org" },
  Date: {
    read: { type: "string", format: "date", pattern: "^\\d{4}-\\d{2}-\\d{2}$" },
    example: "2026-12-24",
  },
  DateTime: {
    read: {
      type: "string",
      description: "Any form of ISO 8601 with a time zone.",
      pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt ]\\d{2}:?\\d{2}",
    },
    written: { type: "string", format: "date-time", pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$" },
    example: "2026-12-01T09:30:00.000Z",
  },
  RecurrenceCount: { read: { type: "integer", format: "int32", minimum: 1, maximum: 2_147_483_647 }, example: 2 },
  TaskAttribute: { read: { type: "string", enum: REMOVABLE.map(({ name }) => snakeCase(name)) }, example: "due_date" },
  EventKind: { read: { type: "string", enum: EVENT_KINDS }, example: "task.completed" },
  SearchText: { read: NOT_BLANK, example: "milk" },
  Cursor: { read: { type: "string", maxLength: 4_096 }, example: "WyJEVUVfREFURV9BU0MiLCIwMjAyNi0xMi0yNCIsIjM0NSJd" },
  AssigneeId: {
    read: {
      anyOf: [
        { type: "integer", format: "int64", minimum: 1 },
        { type: "string", const: "me" },
      ],
    },
    example: "me",
  },
  FileName: { read: { ...ONE_LINE, pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]+$" }, example: "receipt.pdf" },
  ContentType: {
    read: { type: "string", maxLength: 255, pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]*$" },
    example: "application/pdf",
  },
  Amount: { read: { type: "integer", format: "int64", minimum: 0 }, example: 12 },
  ByteCount: { read: { type: "integer", format: "int64", minimum: 1, maximum: 5_368_709_120 }, example: 48_213 },
  JSONObject: { read: { type: "object" }, example: { id: 345, title: "Buy milk", type: "task" } },
  ChangeCount: { read: { type: "integer", format: "int32", minimum: 1, maximum: 1_000 }, example: 500 },
  PartNumber: { read: { type: "integer", format: "int32", minimum: 1, maximum: 10_000 }, example: 1 },
  Md5: {
    read: { type: "string", pattern: "^(?:[0-9A-Fa-f]{32}|[A-Za-z0-9+/]{22}==)$" },
    example: "9e107d9d372bb6826bd81d3542a419d6",
  },
  PushSubscription: {
    read: {
      type: "object",
      required: ["endpoint", "keys"],
      properties: {
        endpoint: { type: "string", format: "uri", maxLength: 2_048 },
        keys: {
          type: "object",
          required: ["p256dh", "auth"],
          properties: { p256dh: { type: "string" }, auth: { type: "string" } },
        },
      },
    },
    example: {
      endpoint: "https://push.example.org/send/abc",
      keys: {
        p256dh: "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
        auth: "tBHItJI5svbpez7KI4CCXg",
      },
    },
  },
}

const valuesOf = (type: GraphQLEnumType): string =>
  type
    .getValues()
    .map(({ name, description }) => `\`${name}\`: ${description ?? ""}`)
    .join(" ")

/**
 * What REST reads, or writes, for a type without fields. What is read says its limits in words too; of what is written the
 * field says enough.
 * @throws TypeError for a scalar that has no schema here yet
 */
export function leafSchema(type: GraphQLNamedType, way: "read" | "written"): JsonSchema {
  if (isEnumType(type)) {
    const names = type.getValues().map(({ name }) => name)
    return { type: "string", enum: names, description: valuesOf(type) }
  }
  const known = scalarSchemas[type.name]
  if (known === undefined) throw new TypeError(`Say in scalar.schemas.ts what ${type.name} is in JSON.`)
  if (way === "written") return known.written ?? known.read
  return BUILT_IN.has(type.name) || type.description == null
    ? known.read
    : { description: inRestWords(type.description), ...known.read }
}

const BUILT_IN = new Set(["ID", "Int", "Boolean", "String"])
