import { remove } from "./acts.js"
import { go } from "./place.js"
import { client, viewer } from "./session.js"
import { t } from "./texts.js"
import { useView } from "./use-view.js"

/** Lists that the viewer is invited to. */
export function Invitations() {
  const pending = useView((view) =>
    view.all("membership").filter(({ user_id, state }) => user_id === viewer?.id && state === "pending"),
  )
  const lists = useView((view) => pending.map(({ list_id }) => view.get("list", list_id)), [pending])
  const owners = useView((view) => lists.map((list) => list && view.get("user", list.owner_id)?.name), [lists])
  if (pending.length === 0) return null
  return (
    <section class="invitations" id="invitations" aria-labelledby="invited">
      <h2 id="invited">{t.invitations}</h2>
      <ul>
        {pending.map(({ id, list_id }, place) => {
          const title = lists[place]?.title ?? ""
          return (
            <li key={id}>
              <p class="name">
                <bdi>{title}</bdi>{" "}
                {owners[place] && <span class="quiet small">{t.invitedBy(owners[place] ?? "")}</span>}
              </p>
              <div class="actions">
                <button
                  type="button"
                  class="main small"
                  aria-label={t.acceptList(title)}
                  onClick={() => {
                    client.update("membership", id, { state: "accepted" })
                    go({ view: "list", list: list_id })
                  }}
                >
                  {t.accept}
                </button>
                <button
                  type="button"
                  class="plain small"
                  aria-label={t.declineList(title)}
                  onClick={() => remove("membership", [id], t.declined(title))}
                >
                  {t.decline}
                </button>
              </div>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
