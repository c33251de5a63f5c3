// What 64 writers of one list can commit beside 64 writers of 64 lists, at one node and at two, each commit flushed: tasks that
// are made, and tasks that are changed again and again, each by one writer.
import { Agent, request } from "node:http"
import { load } from "./load.mjs"
import { startServer } from "./servers.mjs"
import { ROWS, WORKLOADS } from "./workloads.mjs"

const WRITERS = 64

/** One writer's changes of one task, each with the revision that the one before answered. */
async function patchOn({ port, agent, task: [id, token, first], until, took }) {
  let revision = Number(first)
  while (performance.now() < until()) {
    const startedAt = performance.now()
    const body = JSON.stringify({ revision, title: `Changed at ${startedAt}` })
    const { status, text } = await new Promise((resolve, reject) => {
      const headers = {
        "X-Access-Token": token,
        "X-Client-ID": "bench-client",
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
      }
      const sent = request({ port, agent, method: "PATCH", path: `/api/v1/tasks/${id}`, headers }, (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (chunk) => (text += chunk))
        response.on("end", () => resolve({ status: response.statusCode, text }))
      })
      sent.on("error", reject).end(body)
    })
    if (status !== 200) throw new Error(`PATCH: ${status} ${text}`)
    revision = JSON.parse(text).revision
    took.push(performance.now() - startedAt)
  }
}

async function patchAll({ servers, tasks, seconds }) {
  const took = []
  const agent = new Agent({ keepAlive: true })
  const startedAt = performance.now()
  const until = () => startedAt + seconds * 1e3
  await Promise.all(
    tasks.map((task, index) => patchOn({ port: servers[index % servers.length].port, agent, task, until, took })),
  )
  agent.destroy()
  took.sort((one, other) => one - other)
  return {
    perSecond: took.length / ((performance.now() - startedAt) / 1e3),
    p99Ms: took[Math.floor(took.length * 0.99)],
  }
}

async function createAll({ servers, rows, seconds, folder }) {
  const results = await Promise.all(
    servers.map(({ port }) =>
      load({ port, workload: WORKLOADS.W3, rows, seconds, folder, connections: WRITERS / servers.length }),
    ),
  )
  return {
    perSecond: results.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0),
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
  }
}

/** @returns commits/s and p99 by what is written, where, and number of nodes */
export async function measureHotList({ databases: { main }, seconds, folder, note }) {
  const lists = await main.rows(`${ROWS.lists} limit ${WRITERS}`)
  const [row] = await main.rows(`${ROWS.tasks} limit 1`)
  // 64 tasks of one list, or one of each of 64 lists.
  const tasksOf = (where) =>
    main.rows(
      `select t.id, 'token-of-user-' || l.owner_id, t.revision from tasks t join lists l on l.id = t.list_id
       where t.id in (${
         where === "one list"
           ? `select id from tasks where list_id = ${lists[0][0]} and id <= 200000 order by id limit ${WRITERS}`
           : `select min(id) from tasks where list_id in (${lists.map(([id]) => id)}) group by list_id`
       })`,
    )
  const runs = {}
  await main.run(`alter database ${new URL(main.url).pathname.slice(1)} set synchronous_commit = on`)
  try {
    for (const nodes of [1, 2]) {
      const servers = []
      for (let count = 0; count < nodes; count++) servers.push(await startServer("tandem", { url: main.url, row }))
      try {
        for (const where of ["64 lists", "one list"]) {
          const rows = where === "one list" ? lists.slice(0, 1) : lists
          const at = `${where}, ${nodes === 1 ? "one node" : "two nodes"}`
          runs[`create in ${at}`] = await createAll({ servers, rows, seconds, folder })
          runs[`patch in ${at}`] = await patchAll({ servers, tasks: await tasksOf(where), seconds })
          for (const what of ["create", "patch"]) {
            const { perSecond, p99Ms } = runs[`${what} in ${at}`]
            note(`64 writers, ${what} in ${at}: ${perSecond.toFixed(0)} commits/s, p99 ${p99Ms.toFixed(1)} ms`)
          }
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
