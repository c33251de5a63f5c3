import { snakeCase } from "../../statement.js"

/** A text for clients of the schema with the names that REST has: `taskId` becomes `task_id`. */
export const inRestWords = (text: string): string => text.replace(/\b[a-z]+(?:[A-Z][a-z0-9]*)+\b/g, snakeCase)

/**
 * The name of a member as REST sends it, as the schema has it: `due_date` becomes `dueDate`. One that is sent as the schema has
 * it is turned the other way, into a name that the schema does not know: each side takes its own names only.
 */
export const schemaName = (sent: string): string =>
  /[A-Z]/.test(sent) ? snakeCase(sent) : sent.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
