import type { Quotas } from "../config/quota-config.js"
import type { Violations } from "../errors.js"

/** What triggers call the quotas, as settings of a session. */
const SETTINGS = { tasks: "quota_tasks", lists: "quota_lists", fileBytes: "quota_files_bytes" } as const

/** The quotas as settings of each session; where none is set, the triggers are not even called. */
export const quotaSettings = (quotas: Quotas | undefined): string =>
  (Object.keys(SETTINGS) as (keyof Quotas)[])
    .filter((quota) => quotas?.[quota] !== undefined)
    .map((quota) => ` -c tandem.${SETTINGS[quota]}=${quotas?.[quota]}`)
    .join("")

type Told = (use: string, quota: string) => Violations

/** By what triggers call them when they refuse. */
const REFUSALS: Readonly<Record<string, Told>> = {
  quota_tasks: (use, quota) => ({
    quotaTasks: [`allows ${quota} tasks in all your lists, and you would have ${use}`],
  }),
  quota_lists: (use, quota) => ({ quotaLists: [`allows a user ${quota} lists, and you would have ${use}`] }),
  quota_files_bytes: (use, quota) => ({
    quotaFilesBytes: [`allows ${quota} bytes of files of a user, and you would have ${use}`],
  }),
}

/** To others than its owner: how much they have is theirs to know. */
const OF_ANOTHER: Readonly<Record<string, Violations>> = {
  quota_tasks: { quotaTasks: ["is reached by the owner of this list"] },
}

/** What a trigger says that has refused something for a quota; `detail` is "use of quota", or "of another user". */
export function violationOfQuota(name: string, detail: string): Violations | undefined {
  if (detail === "of another user") return OF_ANOTHER[name]
  const [, use, quota] = /^(\d+) of (\d+)$/.exec(detail) ?? []
  return use === undefined ? undefined : REFUSALS[name]?.(use, quota as string)
}
