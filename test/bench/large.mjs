// What large things take, one request after the other: reads of a user with 5,000 lists, a list of 20,000 tasks, and what ends
// with a list of 200,000.
import { startServer } from "./servers.mjs"
import { ROWS } from "./workloads.mjs"

const TIMES = 30

/** @returns ms until the answer was read: of reads the median and the slowest, of writes the one */
export async function measureLarge({ databases: { main }, note }) {
  await main.load("large.sql")
  await main.run("vacuum analyze")
  const [row] = await main.rows(`${ROWS.tasks} limit 1`)
  const server = await startServer("tandem", { url: main.url, row })
  const runs = {}
  async function timed(user, method, path, body) {
    const startedAt = performance.now()
    const response = await fetch(`http://127.0.0.1:${server.port}/api/v1${path}`, {
      method,
      headers: {
        "X-Access-Token": `token-of-user-${user}`,
        "X-Client-ID": "bench-client",
        ...(body && { "Content-Type": "application/json" }),
      },
      body: body && JSON.stringify(body),
    })
    await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`)
    return performance.now() - startedAt
  }
  async function reads(label, user, path) {
    await timed(user, "GET", path)
    const cpu = server.cpuUs()
    const took = []
    for (let count = 0; count < TIMES; count++) took.push(await timed(user, "GET", path))
    took.sort((one, other) => one - other)
    runs[label] = { ms: took[TIMES >> 1], slowestMs: took.at(-1), serverMs: (server.cpuUs() - cpu) / TIMES / 1_000 }
    note(`${label}: ${took[TIMES >> 1].toFixed(1)} ms, slowest ${took.at(-1).toFixed(1)}`)
  }
  async function writes(label, ...request) {
    const cpu = server.cpuUs()
    const ms = await timed(...request)
    runs[label] = { ms, slowestMs: ms, serverMs: (server.cpuUs() - cpu) / 1_000 }
    note(`${label}: ${ms.toFixed(1)} ms`)
  }
  try {
    for (const path of ["/root", "/lists", "/memberships", "/users"]) await reads(`GET ${path}, 5,000 lists`, 1, path)
    const before = server.memoryMiB()
    await reads("GET 20,000 tasks", 2, "/tasks?list_id=3100000")
    note(`memory ${before.toFixed(0)} -> ${server.memoryMiB().toFixed(0)} MiB`)
    const ids = await main.rows("select id from tasks where list_id = 3100000 order by id desc")
    const values = ids.map(([id]) => Number(id))
    await writes("positions of 20,000 tasks", 2, "PUT", "/task_positions/3100000", { revision: 1, values })
    await writes("leave a list of 200,000 tasks", 3, "DELETE", "/memberships/9000000?revision=1")
    await writes("delete a list of 200,000 tasks", 2, "DELETE", "/lists/3200000?revision=200001")
    const startedAt = performance.now()
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await reads("GET one task meanwhile", 2, `/tasks/${ids[0][0]}`)
    while ((await main.rows("select id from lists where id = 3200000")).length > 0)
      await new Promise((resolve) => setTimeout(resolve, 200))
    note(`its rows are gone after ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`)
  } finally {
    await server.stop()
  }
  return runs
}
