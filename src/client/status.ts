/** How it stands with the service. */
export type Status = {
  /**
   * `starting` until the store is read, `online` while requests are answered, `offline` while they are not (the client goes on
   * trying), `signed-out` since the service did not take the credentials (`start` goes on), `stopped`.
   */
  readonly connection: "starting" | "online" | "offline" | "signed-out" | "stopped"
  /** What tells of changes as they happen; undefined while nothing does. */
  readonly live: Carrier | undefined
  /** Whether everything that the account has is here. Once it is, it stays so, offline too. */
  readonly isComplete: boolean
  /** When the next attempt is made, while offline; milliseconds as of `Date.now()`. */
  readonly retryAt: number | undefined
}

/** How a client is told of changes as they happen, the best first. */
export type Carrier = "websocket" | "sse" | "poll"
