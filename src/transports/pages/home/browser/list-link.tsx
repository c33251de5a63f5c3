import type { List } from "../../../../client/client.js"
import { step } from "./acts.js"
import { useCell } from "./cell.js"
import { isComposing } from "./composing.js"
import { startDrag } from "./drag.js"
import { closeDrawer } from "./drawer.js"
import { count, nameOf } from "./format.js"
import { Icon } from "./icons.js"
import { news } from "./news.js"
import { leadsTo, place } from "./place.js"
import { client, inboxOf, viewer } from "./session.js"
import { t } from "./texts.js"
import { useView } from "./use-view.js"

/** How much is open somewhere. */
export const Count = ({ of }: { readonly of: number }) =>
  of > 0 ? (
    <span class="count">
      {count(of)}
      <span class="unseen">{t.open}</span>
    </span>
  ) : null

/** One list of the sidebar. */
export function ListLink({ list, folder }: { readonly list: List; readonly folder?: number }) {
  const here = useCell(place)
  const { id } = list
  const isHere = useView(
    (view) =>
      here.view === "list" && (here.list === undefined ? inboxOf(view) : view.get("list", here.list)?.id) === id,
    [here, id],
  )
  const open = useView((view) => view.tasks(id).length, [id])
  const isMuted = useView(
    (view) => view.all("membership", id).some(({ user_id, muted }) => user_id === viewer?.id && muted),
    [id],
  )
  const hasNews = useCell(news).has(id) && !isHere
  const isInbox = list.list_type === "inbox"
  const link = leadsTo({ view: "list", list: id }, closeDrawer)
  return (
    <li
      data-drop={isInbox ? `inbox:${id}` : `list:${id}`}
      data-id={id}
      data-folder={folder}
      onPointerDown={(event) => !isInbox && startDrag(event, { kind: "list", id, title: nameOf(list) })}
    >
      <a
        href={link.href}
        onClick={link.onClick}
        id={`list-${id}`}
        draggable={false}
        aria-current={isHere ? "page" : undefined}
        onKeyDown={(event) => {
          const by = { ArrowUp: -1, ArrowDown: 1 }[event.key] as -1 | 1 | undefined
          if (!event.altKey || by === undefined || isInbox || isComposing(event)) return
          event.preventDefault()
          step(
            "list",
            id,
            by,
            client.view.lists().filter((one) => one.list_type !== "inbox"),
          )
        }}
      >
        <Icon name={isInbox ? "inbox" : "list"} />
        <span class="name">
          <bdi>{nameOf(list)}</bdi>
        </span>
        {isMuted && (
          <span class="badge" title={t.mutedHint}>
            <Icon name="muted" />
            <span class="unseen">, {t.mutedHint}</span>
          </span>
        )}
        {hasNews && (
          <span class="news">
            <span class="unseen">{t.hasNews}</span>
          </span>
        )}
        <Count of={open} />
      </a>
    </li>
  )
}
