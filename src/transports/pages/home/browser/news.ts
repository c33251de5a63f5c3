import type { View } from "../../../../client/client.js"
import { cell } from "./cell.js"
import { client } from "./session.js"

const listsWithNews = (view: View): number[] => {
  const unread = view.all("task_comment").filter(({ read }) => !read)
  const lists = unread.map(({ task_id }) => view.get("task", task_id)?.list_id ?? 0)
  return [...new Set(lists)].sort((one, other) => one - other)
}

/** The lists with comments that the viewer has not read. Comments are looked through once for all links. */
export const news = cell<ReadonlySet<number>>(new Set(listsWithNews(client.view)))
client.subscribe(listsWithNews, (lists) => news.set(new Set(lists)))
