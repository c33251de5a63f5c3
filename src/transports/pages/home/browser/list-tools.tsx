import { useState } from "preact/hooks"
import type { List } from "../../../../client/client.js"
import { step } from "./acts.js"
import { Dialog } from "./dialog.js"
import { nameOf } from "./format.js"
import { Icon } from "./icons.js"
import { endList, folderOf, ownMembership, putInFolder } from "./list-acts.js"
import { Members } from "./members.js"
import { Menu } from "./menu.js"
import { NameForm } from "./name-form.js"
import { startSelecting } from "./selection.js"
import { base, client, viewer } from "./session.js"
import { t } from "./texts.js"
import { useView } from "./use-view.js"

const MAX_FACES = 4

function Faces({ list }: { readonly list: List }) {
  const names = useView(
    (view) => view.all("membership", list.id).map(({ user_id }) => view.get("user", user_id)?.name),
    [list.id],
  )
  const people = useView(
    (view) => view.all("membership", list.id).filter(({ user_id }) => user_id !== undefined),
    [list.id],
  )
  if (people.length < 2) return null
  return (
    <ul class="faces" aria-label={t.members}>
      {people.slice(0, MAX_FACES).map(({ id, user_id }, place) => (
        <li key={id}>
          <img
            src={`${base}/api/v1/avatar?user_id=${user_id}&size=64`}
            alt={names[place] ?? t.somebody}
            title={names[place] ?? t.somebody}
            width="28"
            height="28"
          />
        </li>
      ))}
      {people.length > MAX_FACES && <li class="more">+{people.length - MAX_FACES}</li>}
    </ul>
  )
}

/** What can be done with the list that is shown. */
export function ListTools({ list }: { readonly list: List }) {
  const { id, title } = list
  const [shown, show] = useState<"members" | "rename" | "folder" | undefined>()
  const isMuted = useView(() => ownMembership(id)?.muted ?? false, [id])
  const folders = useView((view) => view.all("folder"))
  const close = () => show(undefined)
  const isInbox = list.list_type === "inbox"
  const order = () => client.view.lists().filter((one) => one.list_type !== "inbox")
  return (
    <div class="tools">
      {!isInbox && <Faces list={list} />}
      {!isInbox && (
        <button type="button" class="quiet-button" id="ask-share" onClick={() => show("members")}>
          <Icon name="share" />
          <span class="wide-only">{t.share}</span>
          <span class="unseen narrow-only">{t.share}</span>
        </button>
      )}
      <Menu
        id="list-options"
        label={t.listOptions}
        icon="more"
        items={[
          { text: t.selectTasks, icon: "completed", run: startSelecting },
          !isInbox && { text: t.rename, icon: "note", run: () => show("rename") },
          !isInbox && {
            text: isMuted ? t.unmute : t.mute,
            icon: "muted",
            run() {
              const membership = ownMembership(id)
              if (membership) client.update("membership", membership.id, { muted: !isMuted })
            },
          },
          !isInbox && folders.length > 0 && { text: t.moveToFolder, icon: "folder", run: () => show("folder") },
          !isInbox && { text: t.moveUp, run: () => void step("list", id, -1, order()) },
          !isInbox && { text: t.moveDown, run: () => void step("list", id, 1, order()) },
          !isInbox && {
            text: list.owner_id === viewer?.id ? t.deleteList : t.leaveList,
            icon: "trash",
            isBad: true,
            run: () => endList(id),
          },
        ]}
      />
      {shown === "members" && <Members list={list} onClose={close} />}
      {shown === "rename" && (
        <Dialog id="rename" title={t.rename} onClose={close}>
          <NameForm
            id="list-name"
            label={t.newName}
            value={nameOf(list)}
            onDone={(name) => {
              close()
              if (name !== undefined && name !== title) client.update("list", id, { title: name })
            }}
          />
        </Dialog>
      )}
      {shown === "folder" && (
        <Dialog id="choose-folder" title={t.moveToFolder} onClose={close}>
          <ul class="choices">
            {[undefined, ...folders].map((folder) => (
              <li key={folder?.id ?? 0}>
                <button
                  type="button"
                  aria-pressed={folderOf(id)?.id === folder?.id}
                  onClick={() => {
                    putInFolder(id, folder?.id)
                    close()
                  }}
                >
                  {folder?.title ?? t.noFolder}
                </button>
              </li>
            ))}
          </ul>
        </Dialog>
      )}
    </div>
  )
}
