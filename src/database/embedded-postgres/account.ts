import { chmodSync, chownSync, readFileSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { EmbeddedPostgresFault } from "./fault.js"

/** The user under which PostgreSQL runs, in the form that `spawn` takes. */
export type Account = { readonly uid: number; readonly gid: number }

const NOBODY = 65_534

/**
 * The account that runs PostgreSQL, which refuses to run as root: the owner of the data if there are some, otherwise `nobody`.
 * Undefined when this process is not root: then it is its own user, and there is no choice.
 * @param data an existing data directory
 */
export function postgresAccount(data: string | undefined): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  if (data === undefined) return unprivilegedAccount()
  const { uid, gid } = statSync(data)
  if (uid === 0)
    throw new EmbeddedPostgresFault(
      `${data} belongs to root, and PostgreSQL refuses to run as root. Give it to another user, ` +
        `for example by: chown -R ${NOBODY}:${NOBODY} ${data}`,
    )
  return { uid, gid }
}

/** Nobody by its usual number, without a user of our own to create. initdb wants a name for it, which small images lack. */
function unprivilegedAccount(): Account {
  const users = readUsers()
  const known = users.find(({ uid }) => uid === NOBODY) ?? users.find(({ uid }) => uid > 0 && uid < NOBODY)
  return known ?? { uid: NOBODY, gid: NOBODY }
}

function readUsers(): Account[] {
  try {
    const rows = readFileSync("/etc/passwd", "utf8").split("\n")
    return rows.map((row) => row.split(":")).map(([, , uid, gid]) => ({ uid: Number(uid), gid: Number(gid) }))
  } catch {
    return []
  }
}

/** Whether the account may pass through all folders above a path and read the path itself. */
export function isOpenTo(path: string, account: Account | undefined): boolean {
  if (account === undefined) return true
  const { uid, gid, mode } = statSync(path)
  const isIn = mode & 0o001 || (uid === account.uid && mode & 0o100) || (gid === account.gid && mode & 0o010)
  if (!isIn) return false
  const above = dirname(path)
  return above === path || isOpenTo(above, account)
}

/**
 * Closes a folder or file to all but the user of this process. Where PostgreSQL is another user, its group may pass through what it has
 * to, and read none of it. A folder that is not this process's own is left as it is.
 */
export function closeToOthers(path: string, passer: Account | undefined): void {
  try {
    if (passer !== undefined) chownSync(path, -1, passer.gid)
    chmodSync(path, !statSync(path).isDirectory() ? 0o600 : passer === undefined ? 0o700 : 0o710)
  } catch (error) {
    if (!["EPERM", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error
  }
}
