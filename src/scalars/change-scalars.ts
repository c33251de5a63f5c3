import { integerScalar } from "./integer-scalar.js"

/** How many changes a page holds at most. */
export const ChangeCount = integerScalar("ChangeCount", "1 to 1000.", 1, 1_000)
