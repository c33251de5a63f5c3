/** Why there is no embedded PostgreSQL, in sentences for the person who started the node. */
export class EmbeddedPostgresFault extends Error {
  override readonly name = "EmbeddedPostgresFault"

  /** @param reason completes "The embedded PostgreSQL cannot run: …", and says what would help */
  constructor(reason: string, options?: ErrorOptions) {
    super(`The embedded PostgreSQL cannot run: ${reason}`, options)
  }
}

const MEANINGS: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left on the disk",
  EDQUOT: "the disk quota is used up",
  ENOTDIR: "a part of the path is not a folder",
  EEXIST: "a file of that name is in the way",
  ENOENT: "it is not there",
}

/**
 * Runs what touches the disk; an error of the operating system becomes a fault.
 * @param what names the attempt, such as "cannot write to /srv/tandem"
 */
export function explained<Result>(what: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined || error instanceof EmbeddedPostgresFault) throw error
    throw new EmbeddedPostgresFault(`${what}: ${MEANINGS[code] ?? (error as Error).message}`, { cause: error })
  }
}
