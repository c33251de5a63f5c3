import { Webhook } from "standardwebhooks"

/** What signs a delivery: the secret, and for a day the one that it has replaced. */
export type Secrets = { readonly secret: string; readonly formerSecret: string | null }

/**
 * The headers of Standard Webhooks. `id` names the delivery at each of its attempts, `at` is the instant of this one. Both
 * secrets sign while there are two: a receiver accepts either.
 */
export function signatureHeaders(
  { secret, formerSecret }: Secrets,
  id: string,
  at: Date,
  body: string,
): Record<string, string> {
  const secrets = formerSecret === null ? [secret] : [secret, formerSecret]
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": secrets.map((each) => new Webhook(each).sign(id, at, body)).join(" "),
  }
}
