// What 64 writers of one list can commit beside 64 writers of 64 lists, at one node and at two, each commit flushed.
import { load } from "./load.mjs"
import { startServer } from "./servers.mjs"
import { ROWS, WORKLOADS } from "./workloads.mjs"

const WRITERS = 64

/** @returns commits/s and p99 by where the writers write and by number of nodes */
export async function measureHotList({ databases: { main }, seconds, folder, note }) {
  const lists = await main.rows(`${ROWS.lists} limit ${WRITERS}`)
  const [row] = await main.rows(`${ROWS.tasks} limit 1`)
  const runs = {}
  await main.run(`alter database ${new URL(main.url).pathname.slice(1)} set synchronous_commit = on`)
  try {
    for (const nodes of [1, 2]) {
      const servers = []
      for (let count = 0; count < nodes; count++) servers.push(await startServer("tandem", { url: main.url, row }))
      try {
        for (const [where, rows] of [
          ["64 lists", lists],
          ["one list", lists.slice(0, 1)],
        ]) {
          const results = await Promise.all(
            servers.map(({ port }) =>
              load({ port, workload: WORKLOADS.W3, rows, seconds, folder, connections: WRITERS / nodes }),
            ),
          )
          const perSecond = results.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0)
          const label = `${where}, ${nodes === 1 ? "one node" : "two nodes"}`
          runs[label] = { perSecond, p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)) }
          note(`64 writers, ${label}: ${perSecond.toFixed(0)} commits/s, p99 ${runs[label].p99Ms} ms`)
        }
      } finally {
        for (const server of servers) await server.stop()
      }
    }
  } finally {
    await main.run(`alter database ${new URL(main.url).pathname.slice(1)} set synchronous_commit = off`)
  }
  return runs
}
