// What a second process brings: the server on all cores, which it shares with PostgreSQL and with the load.
import { cpus } from "node:os"
import { startServer } from "./servers.mjs"
import { ROWS, WORKLOADS } from "./workloads.mjs"

const ALL_CORES = `0-${cpus().length - 1}`

/** @returns requests/s and CPU by number of processes */
export async function measureWorkers({ databases: { main }, measure, note }) {
  const [row] = await main.rows(`${ROWS.tasks} limit 1`)
  const runs = {}
  for (const count of [1, 2]) {
    const server = await startServer("tandem", {
      url: main.url,
      row,
      cores: ALL_CORES,
      env: { WORKERS: String(count) },
    })
    try {
      for (const name of ["W1", "W2", "W3", "W5"]) {
        const { requestsPerSecond, serverUs, p99Ms } = await measure(
          server,
          name,
          await main.rows(ROWS[WORKLOADS[name].rows]),
        )
        runs[`${name} with WORKERS=${count}`] = { requestsPerSecond, serverUs, p99Ms }
        note(`${name} with WORKERS=${count}: ${requestsPerSecond.toFixed(0)}/s`)
      }
    } finally {
      await server.stop()
    }
  }
  return runs
}
