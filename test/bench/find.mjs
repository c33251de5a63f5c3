// What finding and changing many costs, one request after the other: F1 five smart lists at 2,000 and 200,000 tasks, F2 a text in
// 20,000 tasks and notes, each beside one statement and JSON.stringify; F3 100 changes and F4 100 creates in one batch, beside the
// same one by one.
import { compareOneByOne, openClient } from "./one-by-one.mjs"
import { startServer } from "./servers.mjs"
import { ROWS } from "./workloads.mjs"

const SMART_LISTS = {
  today: "due_from=2026-06-15&due_to=2026-06-15&completed=false",
  week: "due_from=2026-06-15&due_to=2026-06-21&completed=false",
  starred: "starred=true&completed=false",
  mine: "assignee_id=me&completed=false",
  done: "completed_from=2026-06-15T00:00:00Z&sort=-completed_at",
}
const COUNT = 100

export async function measureFind({ databases: { main, postmaster }, rounds, note }) {
  await main.load("find.sql")
  await main.run("vacuum analyze")
  const [row] = await main.rows(`${ROWS.tasks} limit 1`)
  const tandem = await startServer("tandem", { url: main.url, row })
  const limit = await startServer("limit, find", { url: main.url, row })
  const results = {}
  const compare = async (label, times, ways) => {
    results[label] = await compareOneByOne({ label, times, rounds, postmaster, note }, ways)
  }

  async function isSame(client, path, other) {
    const ids = (text) => JSON.parse(text).map(({ id }) => id)
    const [found, wanted] = [await client.ask(tandem.port, path), await client.ask(limit.port, other)]
    if (String(ids(found.text)) !== String(ids(wanted.text)))
      throw new Error(
        `${path} finds other tasks than the limit: ${found.text.slice(0, 300)} ${wanted.text.slice(0, 300)}`,
      )
  }
  async function compareFind(label, times, user, path, other) {
    const client = openClient(user)
    await isSame(client, path, other)
    await compare(label, times, [
      ["tandem", tandem, ({ port }) => client.ask(port, path)],
      ["limit", limit, ({ port }) => client.ask(port, other)],
    ])
    client.close()
  }

  /** Batches of so many, and the same by themselves; a task is changed where its list is as it was read. */
  async function compareBatch(label, requestsFor) {
    const client = openClient(901)
    const ok = ({ response, text }) => {
      if (response.statusCode >= 300) throw new Error(`${label}: ${response.statusCode} ${text.slice(0, 300)}`)
      return text
    }
    const json = (text) => ({ headers: {}, method: "POST", body: text })
    await compare(label, 5, [
      [
        "tandem",
        tandem,
        async ({ port }) =>
          ok(await client.ask(port, "/api/v1/batch", json({ requests: await requestsFor(port, client) }))),
      ],
      [
        "by themselves",
        tandem,
        async ({ port }) => {
          for (const { path, method, body } of await requestsFor(port, client))
            ok(await client.ask(port, path, { method, body }))
        },
      ],
    ])
    client.close()
  }

  try {
    for (const [user, size] of [
      [901, "2,000"],
      [902, "200,000"],
    ])
      for (const [name, query] of Object.entries(SMART_LISTS))
        await compareFind(
          `F1 ${name} of ${size}`,
          user === 901 ? 600 : 20,
          user,
          `/api/v1/tasks/find?${query}`,
          `/${name}`,
        )
    await compareFind("F2 text in 20,000", 10, 903, "/api/v1/tasks/find?q=note%2019999", "/text?note%2019999")
    await compareBatch(`F3 ${COUNT} changes`, async (port, client) => {
      const { text } = await client.ask(port, "/api/v1/tasks?list_id=901001")
      const tasks = JSON.parse(text).slice(0, COUNT / 2)
      const done = JSON.parse((await client.ask(port, "/api/v1/tasks?list_id=901002")).text).slice(0, COUNT / 2)
      return [...tasks, ...done].map(({ id, revision, starred }) => ({
        id: `t${id}`,
        method: "PATCH",
        path: `/api/v1/tasks/${id}`,
        body: { revision, starred: !starred },
      }))
    })
    await compareBatch(`F4 ${COUNT} creates`, async () =>
      Array.from({ length: COUNT }, (_, at) => ({
        id: `t${at}`,
        method: "POST",
        path: "/api/v1/tasks",
        body: { list_id: 901003, title: `Made ${at}` },
      })),
    )
  } finally {
    await tandem.stop()
    await limit.stop()
  }
  return results
}
