import { ConfigError } from "../config/config.js"
import { EmbeddedPostgresFault } from "../database/embedded-postgres/fault.js"
import { DatabaseFault } from "../database/fault.js"
import { MigrationError } from "../database/migrate.js"
import { Problem } from "../errors.js"
import { StoreFault } from "../storage/embedded/claim.js"

const KINDS = [ConfigError, DatabaseFault, EmbeddedPostgresFault, MigrationError, StoreFault, Problem]

/** Whether an error is a sentence for the person who runs the program; where it was thrown is of no help to them. */
export const isSentence = (error: unknown): error is Error => KINDS.some((kind) => error instanceof kind)
