import { useEffect, useState } from "preact/hooks"
import type { List } from "../../../../client/client.js"
import { remove } from "./acts.js"
import { Dialog } from "./dialog.js"
import { nameOf } from "./format.js"
import { base, client, headers, viewer } from "./session.js"
import { t } from "./texts.js"
import { useView } from "./use-view.js"

const ADDRESSES = "query ($list: ID) { memberships(listId: $list) { id invitedEmail } }"

/** The addresses that the viewer invited to a list, by membership; the copy of the account has none, for they are the inviter's alone. */
async function addressesIn(list: number): Promise<ReadonlyMap<number, string>> {
  const response = await fetch(`${base}/graphql`, {
    method: "POST",
    headers: { ...(await headers(false)), "Content-Type": "application/json" },
    body: JSON.stringify({ query: ADDRESSES, variables: { list: String(list) } }),
  })
  const { data } = (await response.json()) as { data?: { memberships: { id: string; invitedEmail: string | null }[] } }
  return new Map(
    data?.memberships.flatMap(({ id, invitedEmail }) => (invitedEmail ? [[Number(id), invitedEmail]] : [])),
  )
}

/** Who is in a list, who is invited to it, and a form to invite more people. */
export function Members({ list, onClose }: { readonly list: List; onClose(): void }) {
  const { id } = list
  const people = useView((view) => view.all("membership", id), [id])
  const users = useView((view) => view.all("membership", id).map(({ user_id }) => view.get("user", user_id)), [id])
  const [addresses, setAddresses] = useState<ReadonlyMap<number, string>>(new Map())
  const pending = people.flatMap(({ id, state }) => (state === "pending" && id > 0 ? [id] : [])).join()
  useEffect(() => {
    if (pending === "") return
    let isOpen = true
    // Without a network they are named once it is back and the dialog opened again.
    void addressesIn(id)
      .then((found) => isOpen && setAddresses(found))
      .catch(() => {})
    return () => {
      isOpen = false
    }
  }, [id, pending])
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
          const address = user?.email ?? (membership as { email?: string }).email ?? addresses.get(membership.id)
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
