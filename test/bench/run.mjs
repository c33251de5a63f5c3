// Measures Tandem beside hand-written servers that do the same on the same rows, in turns: A B, A B, A B.
//   npm run bench                 everything: W1 to W8, two processes, one list that 64 write to (hot), what it costs with ten
//                                 times the rows (growth), what large lists take (large), moving in and out (exchange), and
//                                 keeping a copy: S1 to S3 (sync), events over HTTP: S4, and finding and changing many: F1 to F4 (find)
//   npm run bench -- --quick      W1 to W8, short: under a minute
//   npm run bench -- --only W1,W5 [--seconds 4] [--rounds 3]
//   npm run bench -- --only age [--events 11000000]   what an old log of events costs; not among everything, for it takes long
//   npm run bench -- --peers      beside PostGraphile 5 too, which is installed into the user's cache
//   npm run bench -- --json FILE  also writes the figures
// DATABASE_URL names a PostgreSQL to use, by a superuser; without it one of its own is started.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { measureAge } from "./age.mjs"
import { openBenchDatabases } from "./database.mjs"
import { measureExchange } from "./exchange.mjs"
import { measureFanOut } from "./fan-out.mjs"
import { measureFind } from "./find.mjs"
import { measureGrowth } from "./growth.mjs"
import { measureHotList } from "./hot-list.mjs"
import { measureLarge } from "./large.mjs"
import { load } from "./load.mjs"
import { cpuUs, hasWrk, pin } from "./processes.mjs"
import { addPeers, SERVERS, startServer, workloadOf } from "./servers.mjs"
import { measureSync } from "./sync.mjs"
import { print } from "./table.mjs"
import { measureWorkers } from "./workers.mjs"
import { ROWS, requestFor, WORKLOADS } from "./workloads.mjs"

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    servers: { type: "string" },
    seconds: { type: "string" },
    rounds: { type: "string" },
    events: { type: "string", default: "2000000" },
    peers: { type: "boolean", default: false },
    json: { type: "string" },
  },
})
const asked = options.only?.split(",") ?? [
  ...Object.keys(WORKLOADS),
  "W7",
  "W8",
  ...(options.quick ? [] : ["S4", "workers", "hot", "growth", "large", "exchange", "sync", "find"]),
]
const seconds = Number(options.seconds ?? (options.quick ? 1 : 5))
const rounds = Number(options.rounds ?? (options.quick ? 1 : 3))
const note = (text) => process.stderr.write(`${text}\n`)
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

if (options.peers) addPeers()
const folder = mkdtempSync(join(tmpdir(), "tandem-bench-run-"))
process.env.BENCH_FOLDER = folder
pin(process.pid, 1)
note("loading 200 users, 2,000 lists, 200,000 tasks")
const databases = await openBenchDatabases()
const urls = { main: databases.main.url }
const running = []

/** What is interrupted leaves no PostgreSQL behind. */
async function close() {
  await Promise.all(running.splice(0).map((server) => server.stop()))
  await databases.stop()
  rmSync(folder, { recursive: true, force: true })
}
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => close().finally(() => process.exit(1)))

async function measure(server, name, rows) {
  const workload = workloadOf(server.name, name)
  const warm = await load({ port: server.port, workload, rows, seconds: Math.max(1, seconds / 3), folder })
  const before = { server: server.cpuUs(), postgres: databases.postmaster && cpuUs(databases.postmaster) }
  const result = await load({ port: server.port, workload, rows, seconds, offset: warm.requests + 64, folder })
  const cpu = (now, then) => (now - then) / result.requests
  return {
    ...result,
    serverUs: cpu(server.cpuUs(), before.server),
    postgresUs: databases.postmaster && cpu(cpuUs(databases.postmaster), before.postgres),
  }
}

async function isRight({ name: server, port }, name, [row]) {
  const workload = workloadOf(server, name)
  const { path, init } = requestFor(workload, row)
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
  const text = await response.text()
  const [wanted, count] = workload.found
  if (response.ok && text.split(wanted).length - 1 === count) return true
  note(`${name} is answered wrongly: ${response.status} ${text.slice(0, 300)}`)
  return false
}

async function compareServers() {
  const wanted = asked.filter((name) => name in WORKLOADS)
  const results = {}
  if (wanted.length === 0) return results
  const names = Object.keys(SERVERS).filter(
    (name) =>
      (options.servers?.split(",").includes(name) ?? true) &&
      (SERVERS[name].only ?? wanted).some((workload) => wanted.includes(workload)),
  )
  const stored = {}
  for (const kind of new Set(["main", ...names.map((name) => SERVERS[name].database)]))
    stored[kind] = kind === "main" ? databases.main : await databases.openCopy(kind)
  const [row] = await databases.main.rows(`${ROWS.tasks} limit 1`)
  for (const name of names) running.push(await startServer(name, { url: stored[SERVERS[name].database].url, row }))
  for (const workload of wanted) {
    results[workload] = {}
    const { rows: kind, eachOnce } = WORKLOADS[workload]
    const set = running.filter(({ name }) => (SERVERS[name].only ?? wanted).includes(workload))
    const known = await databases.main.rows(ROWS[kind])
    for (let round = 1; round <= rounds; round++)
      for (const server of set) {
        const database = stored[SERVERS[server.name].database]
        const rows = () => (eachOnce ? database.rows(ROWS[kind]) : known)
        if (round === 1 && !(await isRight(server, workload, await rows()))) continue
        const run = await measure(server, workload, await rows())
        results[workload][server.name] = [...(results[workload][server.name] ?? []), run]
        note(
          `${workload} ${round} ${server.name}: ${run.requestsPerSecond.toFixed(0)}/s, ${run.serverUs.toFixed(0)} + ${run.postgresUs?.toFixed(0)} µs, p50 ${run.p50Ms} p99 ${run.p99Ms} ms${run.refused + run.broken > 0 ? `, ${run.refused} refused, ${run.broken} broken` : ""}`,
        )
      }
    for (const database of Object.values(stored)) {
      await database.run("set session_replication_role = replica; delete from tasks where id > 10000000")
      await database.run("vacuum analyze tasks")
      await database.run("vacuum lists")
    }
  }
  await Promise.all(running.splice(0).map((server) => server.stop()))
  return results
}

/** Of server-sent events a user may have a hundred streams, so that many take a few users. */
const STREAM_USERS = 10
async function fanOut(label) {
  const isByEvents = label === "S4"
  const results = {}
  const [[list, token]] = await databases.main.rows(`${ROWS.lists} limit 1`)
  const tokens = [token]
  if (isByEvents) {
    const others = `select id from users where 'token-of-user-' || id <> '${token}' order by id limit ${STREAM_USERS - 1}`
    await databases.main.run(`set session_replication_role = replica;
      insert into memberships (list_id, user_id, state, created_by_id, updated_by_id)
        select ${list}, id, 'accepted', 1, 1 from (${others}) u on conflict do nothing`)
    tokens.push(...(await databases.main.rows(others)).map(([id]) => `token-of-user-${id}`))
  }
  const [row] = await databases.main.rows(`${ROWS.tasks} limit 1`)
  for (const name of ["tandem", isByEvents ? "limit, streams" : "limit, sockets"]) {
    const server = await startServer(name, { url: urls.main, row })
    running.push(server)
    results[name] = await measureFanOut(server, { list, tokens, isByEvents, seconds: options.quick ? 4 : 10 })
    note(`${label} ${name}: ${JSON.stringify(results[name])}`)
    await running.pop().stop()
  }
  return results
}

async function startAndRest() {
  const [row] = await databases.main.rows(`${ROWS.tasks} limit 1`)
  const runs = []
  for (let round = 0; round < (options.quick ? 2 : 5); round++) {
    const server = await startServer("tandem", { url: urls.main, row })
    await new Promise((resolve) => setTimeout(resolve, 500))
    runs.push({ startMs: server.startMs, idleMiB: server.memoryMiB() })
    await server.stop()
  }
  const result = {
    startMs: median(runs.map(({ startMs }) => startMs)),
    idleMiB: median(runs.map(({ idleMiB }) => idleMiB)),
  }
  note(`W8: ${JSON.stringify(result)}`)
  return result
}

try {
  const results = {
    when: new Date().toISOString(),
    machine: { cores: cpus().length, node: process.version, load: hasWrk ? "wrk" : "autocannon" },
    requests: await compareServers(),
    fanOut: asked.includes("W7") ? await fanOut("W7") : undefined,
    streams: asked.includes("S4") ? await fanOut("S4") : undefined,
    start: asked.includes("W8") ? await startAndRest() : undefined,
    workers: asked.includes("workers") ? await measureWorkers({ databases, measure, note }) : undefined,
    hot: asked.includes("hot") ? await measureHotList({ databases, seconds, folder, note }) : undefined,
    growth: asked.includes("growth") ? await measureGrowth({ databases, measure, note }) : undefined,
    large: asked.includes("large") ? await measureLarge({ databases, note }) : undefined,
    sync: asked.includes("sync") ? await measureSync({ databases, rounds, note }) : undefined,
    find: asked.includes("find") ? await measureFind({ databases, rounds, note }) : undefined,
    exchange: asked.includes("exchange") ? await measureExchange({ databases, folder, note }) : undefined,
    age: asked.includes("age")
      ? await measureAge({ databases, events: Number(options.events), seconds, folder, note })
      : undefined,
  }
  if (options.json) writeFileSync(options.json, `${JSON.stringify(results, null, 1)}\n`)
  print(results, median)
} finally {
  await close()
}
