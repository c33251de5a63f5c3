import { type Runner, statement } from "../statement.js"
import type { MaintenanceJobs } from "./maintenance.js"

const EXPIRED_TOKENS_EVERY_MS = 15_000
const LEFTOVERS_EVERY_MS = 600_000

// Not Prisma: a node that is idle does it too. A request asks for itself whether its token is good still; sockets that are open
// hear of the end by its event.
const endExpiredTokens = statement(
  "end_expired_tokens",
  `update access_tokens set revoked_at = now() where id in (
     select id from access_tokens where expires_at < now() and revoked_at is null and expires_at is not null limit 1000 for update skip locked)`,
  () => true,
)

/**
 * A used code stays for a day, so that its replay is known as one; a consent stays for as long as it can be renewed. What nodes
 * say the end of by their own clocks stays an hour longer: the database's may be ahead of them.
 */
export const deleteLeftovers = statement(
  "delete_leftovers_of_access",
  `with s as (delete from sessions where expires_at < now()),
   l as (delete from mailed_links where expires_at < now() - interval '1 hour'),
   q as (delete from identity_requests where expires_at < now() - interval '1 hour'),
   p as (delete from pending_identities where expires_at < now() - interval '1 hour'),
   i as (delete from invitation_links where expires_at < now()),
   h as (delete from half_sign_ins where expires_at < now()),
   f as (delete from second_factors where confirmed_at is null and created_at < now() - interval '1 hour'),
   a as (delete from attempts where expires_at < now()),
   r as (delete from refresh_tokens where expires_at < now()),
   k as (delete from idempotency_keys where created_at < now() - interval '24 hours'),
   t as (delete from access_tokens where revoked_at < now() - interval '30 days')
   delete from authorization_codes c where expires_at < now() - interval '1 day'
   and not exists (select from refresh_tokens r where r.consent_id = c.id)`,
  () => true,
)

/** Jobs that end tokens whose time is over, and take away what is of no use any more. */
export const accessMaintenance = (database: Runner): MaintenanceJobs => ({
  "end-expired-tokens": {
    everyMs: EXPIRED_TOKENS_EVERY_MS,
    run: async () => void (await database.run(endExpiredTokens, [])),
  },
  "delete-leftovers-of-access": {
    everyMs: LEFTOVERS_EVERY_MS,
    run: async () => void (await database.run(deleteLeftovers, [])),
  },
})
