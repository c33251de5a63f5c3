import { unlessInvitedTooOften } from "../accounts/mail-limits.js"
import type { Mailer } from "../accounts/mailer.js"
import { invitationMail } from "../accounts/mails.js"
import { unsubscribeToken } from "../accounts/unsubscribe.js"
import type { Log } from "../log.js"
import { type Loop, startLoop } from "../loop.js"
import { type Id, type Runner, statement } from "../statement.js"

const AT_ONCE = 20

// Not Prisma: each node asks for it, and passes over locked rows. A node that deletes the row sends the mail; one that dies with
// it has mailed nobody, as with every other mail.
const takeInvitations = statement(
  "take_invitation_mails",
  `with taken as (
     delete from invitation_mails where membership_id in (
       select membership_id from invitation_mails order by created_at, membership_id limit ${AT_ONCE} for update skip locked)
     returning membership_id)
   select invitee.email, inviter.email, inviter.id, m.list_id from taken t join memberships m on m.id = t.membership_id and m.state = 'pending'
   join users invitee on invitee.id = m.user_id join users inviter on inviter.id = m.created_by_id
   where not exists (select from unsubscriptions s where s.list_id = m.list_id and s.email_hash = sha256(convert_to(invitee.email, 'UTF8')))`,
  ([to, from, inviterId, listId]) => ({
    to: to as string,
    from: from as string,
    inviterId: inviterId as Id,
    listId: listId as Id,
  }),
)

type Parts = { readonly db: Runner; readonly mailer: Mailer; readonly log: Log; publicUrl(): string }

/**
 * Mails every invitation to its address, known or not, within a second or two. In 15 minutes an address is sent 5 of them and a
 * user sends 100; what is more is not mailed, nor what the address wants no mails about. (§4 Memberships)
 */
export function startInvitationMails({ db, mailer, log, publicUrl }: Parts): Loop {
  return startLoop({
    what: "invitations are mailed",
    log,
    async round() {
      const invitations = await db.run(takeInvitations, [])
      await Promise.all(
        invitations.map(({ to, from, inviterId, listId }) =>
          mailer.later(() =>
            unlessInvitedTooOften(db, { to, inviterId }, async () => {
              const token = await unsubscribeToken(db, { listId, email: to })
              return invitationMail(to, from, publicUrl(), `${publicUrl()}/unsubscribe/${token}`)
            }),
          ),
        ),
      )
      return invitations.length > 0 ? 0 : Number.POSITIVE_INFINITY
    },
  })
}
