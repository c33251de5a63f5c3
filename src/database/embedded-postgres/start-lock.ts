import { readFileSync, readlinkSync, renameSync, symlinkSync, unlinkSync } from "node:fs"
import { dirname } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { EmbeddedPostgresFault, explained } from "./fault.js"

const POLL_MS = 25
const PATIENCE_MS = 120_000

/**
 * Lets one process at a time make, start or stop the database of a folder; the others wait for it.
 * The lock of a process that was killed does not hold.
 * @param file a symbolic link to be made there. What it names is the holder: unlike a file it is never there and still empty.
 */
export async function withStartLock<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  const patientUntil = Date.now() + PATIENCE_MS
  while (!explained(`cannot write to ${dirname(file)}`, () => tryToTake(file))) {
    if (Date.now() > patientUntil)
      throw new EmbeddedPostgresFault(
        `another process has been starting or stopping it for ${PATIENCE_MS / 1000} s. If there is none, remove ${file}`,
      )
    await sleep(POLL_MS)
  }
  try {
    return await work()
  } finally {
    unlinkSync(file)
  }
}

function tryToTake(file: string): boolean {
  try {
    symlinkSync(identity(process.pid), file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  }
  removeIfAbandoned(file)
  return false
}

function removeIfAbandoned(file: string): void {
  try {
    const holder = readlinkSync(file)
    const pid = Number.parseInt(holder, 10)
    if (isAlive(pid) && identity(pid) === holder) return
    const aside = `${file}.${process.pid}`
    renameSync(file, aside)
    if (readlinkSync(aside) === holder) unlinkSync(aside)
    else renameSync(aside, file) // it had changed hands in between
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM" // alive, and another user's
  }
}

/** A process by number and, where the system tells, by start time: after a restart of a container numbers come again. */
function identity(pid: number): string {
  try {
    // The name, in parentheses, may hold spaces; the start time is the 20th field after it.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")
    return `${pid} ${fields?.[19]}`
  } catch {
    return `${pid}`
  }
}
