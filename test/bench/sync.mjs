// What keeping a copy costs: S1 an empty poll, S2 a page of 1,000 of a whole account, S3 10,000 events behind on 200 objects; each
// beside one statement and JSON.stringify, one request after the other. And the whole account of 32,000 objects.
import { compareOneByOne, openClient } from "./one-by-one.mjs"
import { startServer } from "./servers.mjs"
import { ROWS } from "./workloads.mjs"

/** @returns by what is asked, for each server: µs of CPU of the server and of PostgreSQL, and µs until the answer was read */
export async function measureSync({ databases: { main, postmaster }, rounds, note }) {
  await main.load("sync.sql")
  await main.run("vacuum analyze")
  const [row] = await main.rows(`${ROWS.tasks} limit 1`)
  const tandem = await startServer("tandem", { url: main.url, row })
  const limit = await startServer("limit, changes", { url: main.url, row })
  const results = {}

  const { ask, close } = openClient(900)
  const compare = async (label, times, paths) => {
    const ways = paths.map(([name, server, path, headers]) => [
      name,
      server,
      ({ port }) => ask(port, path, { headers }),
    ])
    results[label] = await compareOneByOne({ label, times, rounds, postmaster, note }, ways)
  }
  const json = async (server, path, headers) => JSON.parse((await ask(server.port, path, { headers })).text)

  try {
    const { cursor } = await json(tandem, "/api/v1/root")
    const { response } = await ask(tandem.port, "/api/v1/root")
    const [[snapshot]] = await main.rows("select pg_current_snapshot()")
    await compare("S1 empty poll", 2_000, [
      ["tandem", tandem, `/api/v1/changes?after=${cursor}`],
      ["limit", limit, `/poll?${encodeURIComponent(snapshot)}`],
      ["tandem, 304 of /root", tandem, "/api/v1/root", { "If-None-Match": response.headers.etag }],
    ])

    const memory = tandem.memoryMiB()
    const cpu = tandem.cpuUs()
    const pages = []
    for (let after = ""; after !== undefined; ) {
      const page = await json(tandem, `/api/v1/changes?limit=1000${after}`)
      pages.push(page)
      after = page.has_more ? `&after=${page.cursor}` : undefined
    }
    results.whole = {
      pages: pages.length,
      objects: pages.reduce((sum, { changes }) => sum + changes.length, 0),
      serverMs: (tandem.cpuUs() - cpu) / 1_000,
      grewMiB: tandem.memoryMiB() - memory,
    }
    note(`whole account: ${JSON.stringify(results.whole)}`)
    const middle = pages.findIndex(({ changes }) => changes[0].type === "subtask") + 5
    await compare("S2 page of 1,000", 60, [
      ["tandem", tandem, `/api/v1/changes?limit=1000&after=${pages[middle - 1].cursor}`],
      ["limit", limit, `/page?${pages[middle].changes[0].data.task_id}`],
    ])

    const place = (await json(tandem, "/api/v1/changes?after=now")).cursor
    const [[revision]] = await main.rows("select revision from lists where id = 600001")
    for (let round = 0; round < 50; round++)
      await main.run(`update tasks set title = 'Changed ${round}' where list_id = 600001`)
    await main.run("vacuum analyze events")
    const behind = await json(tandem, `/api/v1/changes?limit=1000&after=${place}`)
    note(`10,000 events: ${behind.changes.length} changes`)
    await compare("S3 10,000 behind", 60, [
      ["tandem", tandem, `/api/v1/changes?limit=1000&after=${place}`],
      ["limit", limit, `/behind?${revision}`],
    ])
  } finally {
    close()
    await tandem.stop()
    await limit.stop()
  }
  return results
}
