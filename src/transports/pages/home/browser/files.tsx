import { useEffect, useRef, useState } from "preact/hooks"
import type { File as Attached, Task } from "../../../../client/client.js"
import { remove } from "./acts.js"
import { useCell } from "./cell.js"
import { instantInWords, sizeInWords } from "./format.js"
import { Icon } from "./icons.js"
import { client } from "./session.js"
import { t } from "./texts.js"
import { warn } from "./toast.js"
import { addressOf, attach, dismiss, forgetPreview, previewOf, retry, type Uploading, uploads } from "./upload.js"
import { useView } from "./use-view.js"

function Preview({ file: { id, content_type } }: { readonly file: Attached }) {
  const [url, show] = useState<string | undefined>()
  useEffect(() => {
    if (content_type.startsWith("image/")) void previewOf(id).then(show)
  }, [id, content_type])
  return (
    <span class="thumbnail">
      {url ? <img src={url} alt="" loading="lazy" onError={() => show(forgetPreview(id))} /> : <Icon name="clip" />}
    </span>
  )
}

async function download(event: MouseEvent, { id, file_name }: Attached): Promise<void> {
  event.preventDefault()
  try {
    const link = document.createElement("a")
    link.href = await addressOf(id)
    link.download = file_name
    link.click()
  } catch {
    warn(t.notReachable)
  }
}

function Progress({ of: { state, share, file, isKept } }: { readonly of: Uploading }) {
  if (state === "failed") return <span class="fault small">{t.uploadFailed}</span>
  if (state === "waiting") return <span class="quiet small">{isKept ? t.uploadWaiting : t.uploadWaitingHere}</span>
  return <progress max={100} value={Math.round(share * 100)} aria-label={t.uploading(file.name)} />
}

/** Files and uploads under way; takes files that are dropped or chosen. */
export function Files({ task: { id } }: { readonly task: Task }) {
  const files = useView((view) => view.all("file", id), [id])
  const underWay = useCell(uploads).filter(({ task }) => client.view.get("task", task)?.id === id)
  const [isOver, over] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  return (
    <section
      class={`files${isOver ? " over" : ""}`}
      aria-labelledby="files-title"
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes("Files")) return
        event.preventDefault()
        over(true)
      }}
      onDragLeave={() => over(false)}
      onDrop={(event) => {
        event.preventDefault()
        over(false)
        attach(id, event.dataTransfer?.files ?? [])
      }}
    >
      <h3 id="files-title">{t.files}</h3>
      <ul class="attached">
        {files.map((file) => (
          <li key={file.id}>
            <Preview file={file} />
            <span class="what">
              <a href={file.url} download={file.file_name} onClick={(event) => void download(event, file)}>
                <bdi>{file.file_name}</bdi>
              </a>
              <span class="quiet small">
                {sizeInWords(file.file_size)}, <time dateTime={file.created_at}>{instantInWords(file.created_at)}</time>
              </span>
            </span>
            <button
              type="button"
              class="icon-button"
              aria-label={t.deleteFile(file.file_name)}
              onClick={() => remove("file", [file.id], t.deleted(file.file_name))}
            >
              <Icon name="trash" />
            </button>
          </li>
        ))}
        {underWay.map((one) => (
          <li key={`upload-${one.key}`}>
            <span class="thumbnail">
              <Icon name="clip" />
            </span>
            <span class="what">
              <bdi>{one.file.name}</bdi>
              <Progress of={one} />
            </span>
            {one.state !== "sending" && (
              <>
                <button type="button" class="quiet-button" onClick={() => retry(one.key)}>
                  {t.retry}
                </button>
                <button type="button" class="icon-button" aria-label={t.dismiss} onClick={() => dismiss(one.key)}>
                  <Icon name="cross" />
                </button>
              </>
            )}
          </li>
        ))}
      </ul>
      <div class="attach">
        <input
          type="file"
          class="unseen"
          id="attach"
          multiple
          ref={field}
          onChange={(event) => {
            attach(id, event.currentTarget.files ?? [])
            event.currentTarget.value = ""
          }}
        />
        <label class="chip" for="attach">
          {t.attach}
        </label>
      </div>
    </section>
  )
}
