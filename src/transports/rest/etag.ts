import { createHash, hash } from "node:crypto"
import type { Revised } from "../../operations/route.js"
import { type Runner, statement } from "../../statement.js"

/** Names the states of answers. */
export type Tags = {
  /** Of rows with their revisions: no text is needed for it, so that what is known already is not even written. */
  ofRevisions(rows: readonly Revised[]): string
  /** Of an answer's text, for all else. */
  ofText(text: string): string
}

const TEXT_TAG_LENGTH = 16

// A table that was restored, emptied or made anew lies in another file. What a dump brings back has old revisions, under which
// other rows may have been read since it was made.
const fileOfTasks = statement("file_of_tasks", "select pg_relation_filenode('tasks')", ([file]) => file as string)

/**
 * Opens the tags of a node. Each holds the history of the database and, while the node runs, the files of its tables: a
 * database that was set back gives no tag a second time.
 * @param history names the line of history, as the events' tail knows it
 */
export async function openTags(db: Runner, history: () => string): Promise<Tags> {
  const [file] = await db.run(fileOfTasks, [])
  let seededBy: string | undefined
  let seedA = 0
  let seedB = 0

  function seed(): void {
    const current = history()
    if (current === seededBy) return
    seededBy = current
    const digest = createHash("sha256").update(`${current} ${file}`).digest()
    seedA = digest.readInt32LE(0)
    seedB = digest.readInt32LE(4)
  }

  return {
    ofRevisions(rows) {
      seed()
      let a = seedA
      let b = seedB
      // Sixty-four bits in two lanes, each of which keeps what it is given: a change of one row alone is always seen.
      for (let index = 0; index < rows.length; index++) {
        const { id, revision } = rows[index] as Revised
        const number = +id
        a = Math.imul(a ^ number, 0x9e3779b1)
        a = (a << 13) | (a >>> 19)
        b = (Math.imul(b ^ revision, 0x85ebca6b) + number / 2 ** 32) | 0
        b = (b << 15) | (b >>> 17)
        a = (a + b) | 0
      }
      return `W/"${rows.length}-${(a >>> 0).toString(36)}-${(b >>> 0).toString(36)}"`
    },
    ofText: (text) => `W/"${hash("sha1", text, "base64url").slice(0, TEXT_TAG_LENGTH)}"`,
  }
}
