// Whether cost grows with what is read and not with what is stored: one task and its writes with ten times the tasks, and
// lists of different length.
import { startServer } from "./servers.mjs"
import { ROWS, WORKLOADS } from "./workloads.mjs"

const SIZES = [10, 100, 1_000, 5_000]

/** @returns what each costs, server and PostgreSQL, µs a request */
export async function measureGrowth({ databases: { main }, measure, note }) {
  const [row] = await main.rows(`${ROWS.tasks} limit 1`)
  const server = await startServer("tandem", { url: main.url, row })
  const runs = {}
  async function measured(label, workload, rows) {
    const { serverUs, postgresUs } = await measure(server, workload, rows)
    runs[label] = { serverUs, postgresUs }
    note(`${label}: ${serverUs.toFixed(0)} + ${postgresUs?.toFixed(0)} µs`)
  }
  try {
    const stored = (name) => main.rows(ROWS[WORKLOADS[name].rows])
    for (const name of ["W2", "W3", "W4"]) await measured(`${name}, 200,000 tasks stored`, name, await stored(name))
    await main.load("lists-of-size.sql")
    await main.load("growth.sql")
    await main.run("vacuum analyze")
    for (const name of ["W2", "W3", "W4"]) await measured(`${name}, 2,000,000 tasks stored`, name, await stored(name))
    for (const size of SIZES) {
      const from = 500_000 + size * 100
      const rows = await main.rows(
        `select id, 'token-of-user-' || owner_id from lists where id > ${from} and id <= ${from + 20}`,
      )
      await measured(`${WORKLOADS.W1.title.replace("100", size.toLocaleString("en"))}`, "W1", rows)
    }
  } finally {
    await server.stop()
  }
  return runs
}
