import { type SpawnSyncReturns, spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { type Account, closeToOthers, isOpenTo, postgresAccount } from "./account.js"
import { type Binaries, usableBinaries } from "./binaries.js"
import { EmbeddedPostgresFault, explained } from "./fault.js"
import { sharedPlace } from "./shared-place.js"

/** A PostgreSQL cluster on disk, with all that is needed to run it. */
export type Cluster = {
  /** Absolute, without symbolic links: by this path a running PostgreSQL is recognised. */
  readonly data: string
  /** Holds the port, so that a PostgreSQL that starts again is found where it was. */
  readonly portFile: string
  readonly logFile: string
  /** Of both roles: the superuser `postgres`, and `tandem`, which owns the database of that name. */
  readonly password: string
  readonly account: Account | undefined
  readonly binaries: Binaries
}

/** PostgreSQL's programs get no variable of this process: PGDATA, LC_ALL or LD_LIBRARY_PATH would change what they do. */
export const POSTGRES_ENV = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" }

/**
 * Opens the cluster below `dataDir`, and makes it first when there is none. The caller holds the start lock.
 * @throws EmbeddedPostgresFault
 */
export function openCluster(dataDir: string, isDurable: boolean): Cluster {
  const link = join(dataDir, "postgres")
  if (!lstatSync(link, { throwIfNoEntry: false })) makeCluster(dataDir, link, isDurable)
  const folder = explained(`${link} leads to the database, but cannot be followed`, () => realpathSync(link))
  const data = join(folder, "data")
  const passwordFile = join(folder, "password")
  return explained(`cannot read the database in ${folder}`, () => {
    const account = postgresAccount(data)
    for (const file of [join(folder, "port"), join(dataDir, "postgres.log")])
      if (existsSync(file)) closeToOthers(file, undefined)
    closeToOthers(folder, account)
    // Where the data lie elsewhere, nobody has to pass.
    closeToOthers(dataDir, isInside(dataDir, folder) ? account : undefined)
    return {
      data,
      portFile: join(folder, "port"),
      logFile: join(dataDir, "postgres.log"),
      password: readFileSync(passwordFile, "utf8").trim(),
      account,
      binaries: usableBinaries(account, dataDir),
    }
  })
}

const isInside = (dataDir: string, folder: string): boolean => dirname(folder) === realpathSync(dataDir)

/** Makes it under another name first, so that a cluster that is there is complete. */
function makeCluster(dataDir: string, link: string, isDurable: boolean): void {
  const account = postgresAccount(undefined)
  const isReachable = canEnter(dataDir, account)
  const place = isReachable ? dataDir : sharedPlace()
  const folder = explained(`cannot write to ${place}`, () => mkdtempSync(join(place, "postgres-")))
  try {
    explained(`cannot make the database in ${folder}`, () => fillCluster(folder, account, dataDir, isDurable))
    if (isReachable) renameSync(folder, link)
    else symlinkSync(folder, link)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    if (!existsSync(link)) throw error
  }
}

/** Lets the account into a folder that was made for this and closed by the umask, or by `mktemp -d`; opens no other. */
function canEnter(dataDir: string, account: Account | undefined): boolean {
  const folder = realpathSync(dataDir)
  const isNew = readdirSync(folder).every((name) => name === "postgres.lock")
  if (isNew && account && isOpenTo(dirname(folder), account)) closeToOthers(folder, account)
  return isOpenTo(folder, account)
}

function fillCluster(folder: string, account: Account | undefined, dataDir: string, isDurable: boolean): void {
  const data = join(folder, "data")
  const passwordFile = join(folder, "password")
  const password = randomBytes(24).toString("base64url")
  // PostgreSQL owns only its data; what this process reads and writes beside them is not its to change.
  closeToOthers(folder, account)
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
  if (account) for (const path of [data, passwordFile]) chownSync(path, account.uid, account.gid)

  const { initdb, postgres } = usableBinaries(account, dataDir)
  const options = { ...account, env: POSTGRES_ENV, cwd: "/", encoding: "utf8" } as const
  // The builtin locale is the same on every machine and in every version of its C library.
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
  const access = ["--username=postgres", "--auth=scram-sha-256", `--pwfile=${passwordFile}`]
  const sync = isDurable ? [] : ["--no-sync"]
  check("initdb", spawnSync(initdb, ["-D", data, ...locale, ...access, ...sync], options))

  // CREATEDB: `prisma migrate dev` compares with a database that it makes for the purpose.
  const input = `CREATE ROLE tandem LOGIN CREATEDB PASSWORD '${password}';\nCREATE DATABASE tandem OWNER tandem;\n`
  const single = [
    "--single",
    "-D",
    data,
    "-c",
    "exit_on_error=on",
    "-c",
    `fsync=${isDurable ? "on" : "off"}`,
    "postgres",
  ]
  check("postgres --single", spawnSync(postgres, single, { ...options, input }))
}

/** @throws EmbeddedPostgresFault with the last error that the program printed */
function check(program: string, { status, stderr, error }: SpawnSyncReturns<string>): void {
  if (status === 0) return
  if (error) throw notRunnable(error)
  const isDiskFull = /No space left|free disk space/.test(stderr) // its consequences come last and say less
  const problem = isDiskFull ? "no space is left on the disk" : lastError(stderr)
  const nameless = stderr.includes("could not look up effective user ID")
  throw new EmbeddedPostgresFault(
    nameless
      ? `PostgreSQL wants its user to have a name, and user id ${process.getuid?.()} has none. ` +
          "Add a line for it to /etc/passwd, run as another user, or set DATABASE_URL to a PostgreSQL"
      : `${program} failed: ${problem || `exit code ${status}`}`,
  )
}

const lastError = (stderr: string) =>
  stderr.match(/^.*(?:error|FATAL|PANIC): .*$/gm)?.at(-1) ?? stderr.trim().split("\n").at(-1)

/** What it means that a program of PostgreSQL could not even be started. */
export function notRunnable(error: NodeJS.ErrnoException): EmbeddedPostgresFault {
  const { code, path = "" } = error
  if (code === "ENOENT" && existsSync(path))
    return new EmbeddedPostgresFault(
      `${path} needs the GNU C library, which this system lacks. Set DATABASE_URL to a PostgreSQL`,
      { cause: error },
    )
  if (code === "EPERM" && process.getuid?.() === 0)
    return new EmbeddedPostgresFault(
      "PostgreSQL refuses to run as root, and this root may not become another user. Run as another user",
      { cause: error },
    )
  return new EmbeddedPostgresFault(`${path} cannot be started: ${error.message}`, { cause: error })
}
