import { chmodSync, mkdirSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EmbeddedPostgresFault } from "./fault.js"

/**
 * A folder for what an unprivileged PostgreSQL has to reach when root's own folders are closed to it, as below /root.
 * The first of /var/lib/tandem and the temporary folder that can be had.
 */
export function sharedPlace(): string {
  const places = ["/var/lib/tandem", join(tmpdir(), "tandem")]
  const place = places.find(isUsable)
  if (place !== undefined) return place
  throw new EmbeddedPostgresFault(
    "run as root, it needs a folder that other users may enter, and neither " +
      `${places.join(" nor ")} can be made. Set DATA_DIR to such a folder, or DATABASE_URL to a PostgreSQL`,
  )
}

function isUsable(place: string): boolean {
  try {
    if (mkdirSync(place, { recursive: true })) chmodSync(place, 0o755) // whatever the umask is
    const { uid, mode } = statSync(place)
    // In a temporary folder another user could have made it, to put programs of their own there.
    return uid === process.getuid?.() && (mode & 0o022) === 0 && (mode & 0o001) !== 0
  } catch {
    return false
  }
}
