import { statement } from "../statement.js"

/** A row when somebody has an account. Each start asks for it, for which Prisma is not loaded. */
export const anybody = statement("anybody", "select 1 from users limit 1", () => true)
