import type { Proof } from "../../accounts/second-factor.commands.js"
import type { Form } from "../../scalars/form.js"
import { type Field, field } from "./form.js"
import type { Html } from "./html.js"

/** Where a code of the application is entered. */
export const codeField = (more: Partial<Field> = {}): Html =>
  field({ name: "code", label: "Code", autocomplete: "one-time-code", ...more })

/** Where a code is entered beside the password, by somebody whose second factor is on. */
export const secondFactorField = (id: string, violations: readonly string[] | undefined): Html =>
  codeField({ id, hint: "Of your application, or a recovery code.", violations })

/** The password and code of a form that asks for them again. */
export const proofIn = (sent: Form, now: Date, password = "password"): Proof => ({
  password: sent.get(password) ?? "",
  code: sent.get("code") ?? "",
  now,
})
