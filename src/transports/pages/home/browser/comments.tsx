import { useEffect, useState } from "preact/hooks"
import type { Task } from "../../../../client/client.js"
import { remove } from "./acts.js"
import { isComposing } from "./composing.js"
import { instantInWords } from "./format.js"
import { Icon } from "./icons.js"
import { client, viewer } from "./session.js"
import { noteMade, stableKey } from "./stable-key.js"
import { t } from "./texts.js"
import { useUnsent } from "./use-unsent.js"
import { useView } from "./use-view.js"

/** So many are shown at first, and with each "Show … more" as many more. */
const SHOWN = 100

/** What was said about a task. Who looks at it has read it. */
export function Comments({ task: { id, list_id } }: { readonly task: Task }) {
  const all = useView((view) => view.all("task_comment", id), [id])
  const [number, show] = useState(SHOWN)
  const comments = all.slice(-number)
  const isOwner = useView((view) => view.get("list", list_id)?.owner_id === viewer?.id, [list_id])
  const { take, ...unsent } = useUnsent<HTMLTextAreaElement>("comment", id)

  const unread = comments.filter(({ read, id }) => !read && id > 0)
  useEffect(() => {
    const mark = () => {
      if (document.visibilityState !== "visible") return
      for (const comment of unread)
        if (client.view.get("task_comment", comment.id)?.read === false)
          client.update("task_comment", comment.id, { read: true })
    }
    mark()
    document.addEventListener("visibilitychange", mark)
    return () => document.removeEventListener("visibilitychange", mark)
  }, [unread.map(({ id }) => id).join()])

  function send(event: Event) {
    event.preventDefault()
    const text = take()
    if (text !== undefined) noteMade("task_comment", client.create("task_comment", { task_id: id, text }))
  }
  return (
    <section class="comments" aria-labelledby="comments-title">
      <h3 id="comments-title">{t.comments}</h3>
      {all.length > number && (
        <button type="button" class="chip" id="earlier-comments" onClick={() => show(number + SHOWN)}>
          {t.showMore(Math.min(SHOWN, all.length - number))}
        </button>
      )}
      <ol class="said" aria-live="polite" aria-relevant="additions">
        {comments.map((comment) => (
          <li key={stableKey("task_comment", comment.id)}>
            <img src={comment.author.avatar} alt="" width="30" height="30" />
            <div class="what">
              <span class="quiet small">
                <strong>
                  <bdi>{comment.author.name ?? t.deletedUser}</bdi>
                </strong>{" "}
                <time dateTime={comment.created_at}>{instantInWords(comment.created_at)}</time>
              </span>
              <p class="text" dir="auto">
                {comment.text}
              </p>
            </div>
            {(isOwner || comment.author.id === viewer?.id) && (
              <button
                type="button"
                class="icon-button"
                aria-label={t.deleteComment}
                title={t.deleteComment}
                onClick={() => remove("task_comment", [comment.id], t.deleted(t.comment))}
              >
                <Icon name="cross" />
              </button>
            )}
          </li>
        ))}
      </ol>
      <form id="add-comment" onSubmit={send}>
        <textarea
          {...unsent}
          id="new-comment"
          rows={2}
          aria-label={t.comment}
          placeholder={t.writeComment}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !isComposing(event)) send(event)
          }}
        />
        <button type="submit" class="main small">
          {t.comment}
        </button>
      </form>
    </section>
  )
}
