import { vi } from "vitest"
import { TextQuery } from "../../src/database/text-query.js"

/** Does something, and gives how many statements of this process PostgreSQL has given up meanwhile to end a deadlock. */
export async function deadlocksDuring(work: () => Promise<void>): Promise<number> {
  const failing = vi.spyOn(TextQuery.prototype, "handleError")
  try {
    await work()
    return failing.mock.calls.filter(([error]) => (error as { code?: string }).code === "40P01").length
  } finally {
    failing.mockRestore()
  }
}
