import { inject } from "vitest"

declare module "vitest" {
  export interface ProvidedContext {
    /** Whether random tests and races run as often as they are meant to, and not a part of it. */
    readonly isWhole: boolean
  }
}

/** How often a test repeats what it does: `whole` in `npm run test:all`, `part` in `npm test`. */
export const repetitions = (whole: number, part: number): number => (inject("isWhole") ? whole : part)
