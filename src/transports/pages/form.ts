import type { GraphQLScalarType } from "graphql"
import type { Violations } from "../../errors.js"
import type { Form } from "../../scalars/form.js"
import { Refusal } from "../../scalars/scalars.js"
import { type Html, html, type Part } from "./html.js"
import type { Visit } from "./visit.js"

/** A field of a form with its label, what it is for, and what is wrong with it. */
export type Field = {
  readonly name: string
  /** When a page has several fields of this name. */
  readonly id?: string | undefined
  readonly label: string
  readonly type?: "text" | "email" | "password" | "file"
  readonly value?: string
  readonly autocomplete?: string
  readonly hint?: Part
  readonly violations?: readonly string[] | undefined
  readonly isOptional?: boolean
  readonly isFirst?: boolean
  /** More lines than one. */
  readonly rows?: number
}

const described = ({ name, id = name, hint, violations }: Field): Html | false => {
  const ids = [hint !== undefined && `${id}-hint`, violations !== undefined && `${id}-fault`].filter(Boolean)
  return ids.length > 0 && html` aria-describedby="${ids.join(" ")}"`
}

/** A field of a form. */
export function field(of: Field): Html {
  const {
    name,
    id = name,
    label,
    type = "text",
    value = "",
    autocomplete = "off",
    hint,
    violations,
    isOptional,
    isFirst,
    rows,
  } = of
  const common = html`id="${id}" name="${name}" autocomplete="${autocomplete}"${!isOptional && html` required`}${isFirst && html` autofocus`}${violations && html` aria-invalid="true"`}${described(of)}`
  const control =
    rows === undefined
      ? html`<input type="${type}" ${common}${type !== "file" && type !== "password" && html` value="${value}"`}>`
      : html`<textarea rows="${rows}" spellcheck="false" ${common}>
${value}</textarea>`
  return html`<div class="field">
<label for="${id}">${label}${isOptional && html` <span class="quiet">(optional)</span>`}</label>
${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
${control}
${violations && html`<p class="fault" id="${id}-fault"><span aria-hidden="true">! </span>${label} ${violations.join("; ")}.</p>`}
</div>`
}

/** A form of ours: its token is in it, so that no other site can send it. */
export const form = (
  visit: Visit,
  action: string,
  body: Html,
  options: { isMultipart?: boolean; isInline?: boolean } = {},
): Html =>
  html`<form method="post" action="${visit.at(action)}"${options.isMultipart && html` enctype="multipart/form-data"`}${options.isInline && html` class="inline"`}>
<input type="hidden" name="csrf" value="${visit.csrf}">
${body}
</form>`

/** A button that sends its form. */
export const button = (text: Part, kind: "main" | "plain" | "danger" = "main"): Html =>
  html`<button class="${kind}">${text}</button>`

/** What was just done, by the word for it that the address holds. */
export function noticeOf({ request }: Visit, notices: Readonly<Record<string, string>>): Html | undefined {
  const { done } = request.query
  const text = typeof done === "string" && Object.hasOwn(notices, done) ? notices[done] : undefined
  return text === undefined ? undefined : html`<p class="notice good" role="status">${text}</p>`
}

/** Says above a form that it was not taken. */
export const violationsAbove = (violations: Violations | undefined): Html | undefined =>
  violations && html`<p class="notice bad" role="alert">Please fix the marked fields.</p>`

/** What a form sent, read by the scalars of the schema; what is wrong with it by field. */
export function readFields<Name extends string>(
  sent: Form,
  scalars: Readonly<Record<Name, GraphQLScalarType>>,
): { values: Record<Name, string>; violations: Violations | undefined } {
  const values = {} as Record<Name, string>
  const violations: Violations = {}
  for (const name of Object.keys(scalars) as Name[]) {
    values[name] = sent.get(name)?.trim() ?? ""
    try {
      values[name] = scalars[name].parseValue(values[name]) as string
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal
      violations[name] = [refusal.reason]
    }
  }
  return { values, violations: Object.keys(violations).length > 0 ? violations : undefined }
}
