import { z } from "zod"

/** How much one user may have. Unset members are not limited. */
export type Quotas = {
  /** Tasks in the lists that they own, completed ones included. */
  readonly tasks: number | undefined
  /** Lists that they own, beside the inbox. */
  readonly lists: number | undefined
  /** Bytes of the files that they have uploaded, and of uploads that are under way. */
  readonly fileBytes: number | undefined
}

const amount = (example: string) =>
  z
    .string()
    .regex(/^(0|[1-9]\d{0,14})$/, { error: `must be a whole number of at most 15 digits, such as ${example}` })
    .transform(Number)
    .optional()

/** What an account may hold at most; a variable that is not set bounds nothing. */
export const quotaVariables = {
  QUOTA_TASKS: amount("10000"),
  QUOTA_LISTS: amount("200"),
  QUOTA_FILES_BYTES: amount("1000000000"),
}

type Data = { [Name in keyof typeof quotaVariables]?: number | undefined }

/** Undefined where nothing is bounded. */
export const quotasOf = ({ QUOTA_TASKS, QUOTA_LISTS, QUOTA_FILES_BYTES }: Data): Quotas =>
  Object.freeze({ tasks: QUOTA_TASKS, lists: QUOTA_LISTS, fileBytes: QUOTA_FILES_BYTES })
