import type { List } from "../../../../client/client.js"
import { remove } from "./acts.js"
import { Dialog } from "./dialog.js"
import { nameOf } from "./format.js"
import { base, client, viewer } from "./session.js"
import { t } from "./texts.js"
import { useView } from "./use-view.js"

/** Who is in a list, who is invited to it, and a form to invite more people. */
export function Members({ list, onClose }: { readonly list: List; onClose(): void }) {
  const { id } = list
  const people = useView((view) => view.all("membership", id), [id])
  const users = useView((view) => view.all("membership", id).map(({ user_id }) => view.get("user", user_id)), [id])
  const isOwner = list.owner_id === viewer?.id
  return (
    <Dialog id="sharing" title={`${t.members}: ${nameOf(list)}`} onClose={onClose}>
      <form
        class="line"
        id="invite"
        onSubmit={(event) => {
          event.preventDefault()
          const field = event.currentTarget.elements[0] as HTMLInputElement
          if (!field.reportValidity()) return
          client.create("membership", { list_id: id, email: field.value.trim() })
          field.value = ""
        }}
      >
        <input
          type="email"
          id="invitee"
          aria-label={t.emailAddress}
          placeholder={t.emailAddress}
          autocomplete="off"
          required
          autofocus
        />
        <button type="submit" class="main">
          {t.invite}
        </button>
      </form>
      <ul class="people">
        {people.map((membership, place) => {
          const { user_id, owner, state } = membership
          const user = users[place]
          // Of an invitation that has not been sent yet only the address is known.
          const address = user?.email ?? (membership as { email?: string }).email
          // Whether somebody of that address has an account is not told before they accept.
          const name = (state === "pending" ? address : user?.name) || address || t.somebody
          return (
            <li key={membership.id}>
              {user_id !== undefined && (
                <img src={`${base}/api/v1/avatar?user_id=${user_id}&size=64`} alt="" width="36" height="36" />
              )}
              <span class="who-is">
                <bdi class="name">{name}</bdi>
                {address !== name && <bdi class="quiet small">{address}</bdi>}
              </span>
              {user_id === viewer?.id && <span class="tag waiting">{t.you}</span>}
              {owner && <span class="tag">{t.owner}</span>}
              {state === "pending" && <span class="tag waiting">{t.invited}</span>}
              {isOwner && !owner && (
                <button
                  type="button"
                  class="plain small"
                  aria-label={t.removeMember(name)}
                  onClick={() => remove("membership", [membership.id], t.memberRemoved(name))}
                >
                  {t.remove}
                </button>
              )}
            </li>
          )
        })}
      </ul>
    </Dialog>
  )
}
