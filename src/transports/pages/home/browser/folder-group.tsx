import { useState } from "preact/hooks"
import type { Folder, List } from "../../../../client/client.js"
import { Icon } from "./icons.js"
import { ListLink } from "./list-link.js"
import { Menu } from "./menu.js"
import { NameForm } from "./name-form.js"
import { client } from "./session.js"
import { t } from "./texts.js"

const isClosed = (id: number) => localStorage.getItem(`tandem-folder-${id}`) === "closed"

/** A folder, whose being closed this browser remembers, and the lists in it. */
export function FolderGroup({ folder, lists }: { readonly folder: Folder; readonly lists: readonly List[] }) {
  const { id, title } = folder
  const [isOpen, open] = useState(!isClosed(id))
  const [isRenaming, rename] = useState(false)
  const toggle = () => {
    localStorage.setItem(`tandem-folder-${id}`, isOpen ? "closed" : "open")
    open(!isOpen)
  }
  return (
    <li class="folder">
      <div class="folder-head" data-drop={`folder:${id}`}>
        {isRenaming ? (
          <NameForm
            id={`folder-name-${id}`}
            label={t.folderName}
            value={title}
            onDone={(name) => {
              rename(false)
              if (name !== undefined && name !== title) client.update("folder", id, { title: name })
            }}
          />
        ) : (
          <button type="button" class="folder-name" aria-expanded={isOpen} onClick={toggle}>
            <Icon name="down" />
            <span class="name">
              <bdi>{title}</bdi>
            </span>
          </button>
        )}
        <Menu
          id={`folder-${id}`}
          label={t.optionsOf(title)}
          icon="more"
          items={[
            { text: t.renameFolder, run: () => rename(true) },
            { text: t.deleteFolder, icon: "trash", isBad: true, run: () => void client.delete("folder", id) },
          ]}
        />
      </div>
      {isOpen && lists.length > 0 && (
        <ul aria-label={t.folder(title)}>
          {lists.map((list) => (
            <ListLink key={list.id} list={list} folder={id} />
          ))}
        </ul>
      )}
    </li>
  )
}
