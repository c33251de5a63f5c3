import { pino } from "pino"

/** Writes nothing. */
export const silentLog = pino({ level: "silent" })
