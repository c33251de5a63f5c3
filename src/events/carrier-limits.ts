// What a subscription may cost, whatever carries it: a socket of GraphQL, a stream of server-sent events, a socket of the SDK.

/** How many operations one socket runs at once. */
export const MAX_OPERATIONS = 100
/** How many streams of server-sent events one user has at once, at one process. */
export const MAX_STREAMS = 100

/** What happens within it is told together to those who wait for news: they look so often at most. */
export const NEWS_PACE_MS = 200
/** How many requests of one user are held at once until something happens, at one process; others are answered at once. */
export const MAX_HELD_REQUESTS = 100

/** A reader for whom more than this waits in memory is dropped; they may come back and go on where they were. */
export const SLOW_READER_BYTES = 1_048_576
/** A reader for whom no more waits has not fallen behind, and is sent what comes without counting it. */
export const PROMPT_READER_BYTES = 65_536
/** A replay waits while more than this is on its way. */
export const REPLAY_AHEAD_BYTES = 262_144
/** How long nothing may leave while a replay waits. */
export const STUCK_MS = 10_000
/** How many events may wait for what they show to be looked up. */
export const MAX_WAITING = 1_000

/** How often a silent connection is used, so that proxies do not take it for dead: a ping, a comment. */
export const SIGN_OF_LIFE_MS = 12_000
/** How long a connection that is being ended may take, before it is cut. */
export const CLOSE_TIMEOUT_MS = 5_000
/** How long queries and mutations in flight may take when the node stops. */
export const DRAIN_MS = 5_000
