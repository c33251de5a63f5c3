import pg from "pg"

/** Why the database that DATABASE_URL names cannot be used, in a sentence for the person who set it; never with the password. */
export class DatabaseFault extends Error {
  override readonly name = "DatabaseFault"

  /** @param reason completes "DATABASE_URL cannot be used: …", and says what to do */
  constructor(reason: string, options?: ErrorOptions) {
    super(`DATABASE_URL cannot be used: ${reason}`, options)
  }
}

type Target = { readonly place: string; readonly user: string; readonly database: string }
type Cause = { readonly code?: string; readonly message: string; readonly path?: string; readonly syscall?: string }

/** As the driver understands the address, with what it takes from PGUSER and the like. */
function targetOf(connectionString: string): Target {
  const { host, port, user = "", database = "" } = new pg.Client({ connectionString })
  return { place: host.startsWith("/") ? host : `${host}:${port}`, user, database }
}

const BY_CODE: Record<string, (target: Target, cause: Cause) => string> = {
  ECONNREFUSED: ({ place }) => `nothing listens at ${place}. Start PostgreSQL there, or correct host and port`,
  ENOENT: ({ place }) => `there is no socket of PostgreSQL in ${place}. Start PostgreSQL there, or correct the folder`,
  ENOTFOUND: ({ place }) => `the host of ${place} has no address. Correct its name`,
  EAI_AGAIN: ({ place }) => `the host of ${place} could not be looked up just now. Correct its name, or mend the DNS`,
  ETIMEDOUT: ({ place }) => SILENT(place),
  EHOSTUNREACH: ({ place }) => `there is no way to ${place} from here. Correct the host, or open the network`,
  ENETUNREACH: ({ place }) => `there is no way to ${place} from here. Correct the host, or open the network`,
  ECONNRESET: ({ place }) => NO_POSTGRES(place),
  EPIPE: ({ place }) => NO_POSTGRES(place),
  "28P01": ({ user }) => `the password is not that of the role ${user}. Correct it`,
  "28000": ({ user }, { message }) =>
    `the role ${user} is not let in (${message}). Correct the name, create the role, or let it in in pg_hba.conf`,
  "3D000": ({ database, user }) =>
    `there is no database ${database}. Create it: CREATE DATABASE ${database} OWNER ${user} ENCODING 'UTF8' TEMPLATE template0`,
  "42501": ({ user, database }, { message }) =>
    `the role ${user} lacks a right (${message}). Let it own the database: ALTER DATABASE ${database} OWNER TO ${user}`,
  "53300": () => "all connections of the server are taken. Raise its max_connections, or end what holds them",
  "57P03": ({ place }) => `the server at ${place} is starting or stopping. Try again when it takes connections`,
  "25006": () => "the database is read-only. Name one that takes writes",
}

const SILENT = (place: string) => `${place} does not answer. Correct host and port, or open the network`
const NO_POSTGRES = (place: string) =>
  `${place} closed the connection. Is it a PostgreSQL, and does it speak without TLS? Else add ?sslmode=verify-full`

// What has no code: the errors of pg itself.
const BY_WORDS: [RegExp, (target: Target, cause: Cause) => string][] = [
  [
    /does not support SSL/,
    ({ place }) =>
      `sslmode asks for TLS, which the server at ${place} does not speak. Turn ssl on there, or remove sslmode`,
  ],
  [
    /certificate|altnames|self.signed/i,
    ({ place }, { message }) =>
      `the certificate of ${place} is not trusted (${message}). Name its authority in sslrootcert, or give up the check with sslmode=no-verify`,
  ],
  [
    /password must be a (non-empty )?string/,
    ({ user }) => `the server asks for the password of the role ${user}. Put it into the address`,
  ],
  [/unsupported startup parameter/, (_, { message }) => POOLER(message)],
  [/timeout expired|timeout exceeded|ETIMEDOUT/, ({ place }) => SILENT(place)],
  [/Connection terminated|closed the connection/, ({ place }) => NO_POSTGRES(place)],
]

/** What is wrong with a pooler that does not keep the settings of a connection. */
export const POOLER = (what: string): string =>
  `a pooler in between, or the server, does not keep the settings of a connection (${what}). Name PostgreSQL itself: Tandem keeps few connections, and needs its own`

/** Any error of connecting or of setting up as a fault that says what to do. */
export function databaseFault(error: unknown, url: string): DatabaseFault {
  if (error instanceof DatabaseFault) return error
  const cause = error as Cause
  if (cause.syscall === "open")
    return new DatabaseFault(`the file ${cause.path} cannot be read (${cause.code}). Correct its path`)
  const target = targetOf(url)
  const byWords = BY_WORDS.find(([words]) => words.test(cause.message))?.[1]
  const tell = BY_CODE[cause.code ?? ""] ?? byWords
  return new DatabaseFault(tell?.(target, cause) ?? `${cause.message || cause.code} (at ${target.place})`, {
    cause: error,
  })
}
