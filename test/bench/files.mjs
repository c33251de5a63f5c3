// Measures what files cost: that bytes come back as they were, that memory stays flat, and how fast parts go through.
//   node scripts/build.mjs --if-stale && node test/bench/files.mjs [random] [many] [memory] [throughput]
// DATABASE_URL names a PostgreSQL to use; without it the nodes start one of their own. Needs some 20 GB of disk.
import { execFileSync, spawn } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer, request } from "node:http"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { cpuUs, end } from "./processes.mjs"

const MIB = 1024 ** 2
const asked = new Set(
  process.argv.slice(2).length > 0 ? process.argv.slice(2) : ["random", "many", "memory", "throughput"],
)
const folder = mkdtempSync(join(tmpdir(), "tandem-bench-files-"))
const note = (text) => process.stdout.write(`${text}\n`)
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A node of its own process with the given settings, and somebody who may use it. */
async function startNode(settings) {
  const env = {
    ...process.env,
    DATA_DIR: join(folder, "data"),
    PORT: String(await freePort()),
    LOG_LEVEL: "warn",
    ...settings,
  }
  const child = spawn(process.execPath, ["dist/main.js"], { env, stdio: ["ignore", "ignore", "inherit"] })
  const url = `http://127.0.0.1:${env.PORT}`
  while (
    !(await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await sleep(100)
  const demo = JSON.parse(execFileSync(process.execPath, ["dist/cli/tandem.js", "demo", "--json"], { env }))
  const headers = {
    "X-Client-ID": demo.client_id,
    "X-Access-Token": demo.access_token,
    "Content-Type": "application/json",
  }
  const call = async (method, path, body) => {
    const reply = await fetch(`${url}/api/v1${path}`, { method, headers, body: body && JSON.stringify(body) })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
    return text === "" ? undefined : JSON.parse(text)
  }
  const list = await call("POST", "/lists", { title: "Bench" })
  const task = await call("POST", "/tasks", { list_id: list.id, title: "Bench" })
  return { child, call, task, stop: () => end(child) }
}

/** Sends so many bytes to an address, a mebibyte at a time, as fast as they are taken. */
function put(url, headers, sizeBytes, piece) {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method: "PUT", headers: { ...headers, "Content-Length": sizeBytes }, agent: false })
    sending.on("error", reject)
    sending.on("response", (response) => {
      response
        .resume()
        .on("end", () => (response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`))))
    })
    let left = sizeBytes
    const go = () => {
      for (;;) {
        if (left === 0) return void sending.end()
        const next = left >= piece.length ? piece : piece.subarray(0, left)
        left -= next.length
        if (!sending.write(next)) return void sending.once("drain", go)
      }
    }
    go()
  })
}

const three = ({ authorization, date }) => ({ "Content-Type": "", Authorization: authorization, "x-amz-date": date })
const partOf = async ({ call }, id, number) => (await call("GET", `/uploads/${id}/parts?part_number=${number}`)).part
const create = ({ call }, file_size) => call("POST", "/uploads", { file_name: "b.bin", content_type: "", file_size })
const finish = ({ call }, id) => call("PATCH", `/uploads/${id}`, { state: "finished" })

async function fileOf(node, upload) {
  return node.call("POST", "/files", { upload_id: upload.id, task_id: node.task.id })
}

async function sha256At(url) {
  const hash = createHash("sha256")
  for await (const piece of (await fetch(url)).body) hash.update(piece)
  return hash.digest("hex")
}

/** 200 uploads of 1 to 12 parts around 5 MiB, sent out of order, one part of each twice. */
async function measureRandom(node) {
  const pool = randomBytes(64 * MIB)
  const startedAt = performance.now()
  let bytes = 0
  for (let index = 0; index < 200; index++) {
    const count = 1 + Math.floor(Math.random() * 12)
    const parts = Array.from({ length: count }, (_, part) => {
      const size =
        part === count - 1 ? 1 + Math.floor(Math.random() * 6 * MIB) : 5 * MIB + Math.floor(Math.random() * 65_536)
      const start = Math.floor(Math.random() * (pool.length - size))
      return pool.subarray(start, start + size)
    })
    const hash = createHash("sha256")
    for (const part of parts) hash.update(part)
    const size = parts.reduce((sum, { length }) => sum + length, 0)
    bytes += size
    const upload = await create(node, size)
    const order = parts.map((_, part) => part).sort(() => Math.random() - 0.5)
    for (const part of [order[0], ...order]) {
      const credentials = await partOf(node, upload.id, part + 1)
      await put(credentials.url, three(credentials), parts[part].length, parts[part])
    }
    await finish(node, upload.id)
    const file = await fileOf(node, upload)
    if ((await sha256At(file.url)) !== hash.digest("hex")) throw new Error(`upload ${index} came back as other bytes`)
    await node.call("DELETE", `/files/${file.id}?revision=1`)
  }
  const seconds = (performance.now() - startedAt) / 1_000
  note(`200 random uploads, ${Math.round(bytes / MIB)} MiB: SHA-256 equal in all, ${seconds.toFixed(0)} s`)
}

/** As many parts of 5 MiB as a file may have: more than one page of a list. */
const MANY = 1_020

async function measureMany(node) {
  const piece = randomBytes(MIB)
  const upload = await create(node, MANY * 5 * MIB)
  const hash = createHash("sha256")
  for (let number = 1; number <= MANY; number++) {
    const credentials = await partOf(node, upload.id, number)
    await put(credentials.url, three(credentials), 5 * MIB, piece)
  }
  for (let count = 0; count < MANY * 5; count++) hash.update(piece)
  const startedAt = performance.now()
  await finish(node, upload.id)
  const finishMs = performance.now() - startedAt
  note(`${MANY} parts of 5 MiB: finished in ${Math.round(finishMs)} ms`)
  const file = await fileOf(node, upload)
  if ((await sha256At(file.url)) !== hash.digest("hex")) throw new Error("many parts came back as other bytes")
  await node.call("DELETE", `/files/${file.id}?revision=1`)
}

const rssMiB = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1_024

/** The server's memory while 2 GiB go in, in one part, and come out again. */
async function measureMemory(node, name) {
  const size = 2 * 1024 * MIB
  const samples = []
  const before = rssMiB(node.child.pid)
  const timer = setInterval(() => samples.push(rssMiB(node.child.pid)), 50)
  const upload = await create(node, size)
  await put(upload.part.url, three(upload.part), size, randomBytes(MIB))
  const inMost = Math.max(...samples)
  await finish(node, upload.id)
  const file = await fileOf(node, upload)
  samples.length = 0
  await sha256At(file.url)
  clearInterval(timer)
  await node.call("DELETE", `/files/${file.id}?revision=1`)
  note(
    `2 GiB through ${name}: RSS ${before.toFixed(0)} MiB before, at most ${inMost.toFixed(0)} while it came in, ${Math.max(...samples).toFixed(0)} while it went out`,
  )
}

const SINK = `require("node:http").createServer((q, s) => q.resume().on("end", () => s.end())).listen(+process.argv[1], "127.0.0.1")`

/** How fast a part goes through the embedded store and the relay, beside a node:http server that throws everything away. */
async function measureThroughput(nodes) {
  const size = 512 * MIB
  const piece = randomBytes(MIB)
  const port = await freePort()
  const sink = spawn(process.execPath, ["-e", SINK, String(port)], { stdio: "ignore" })
  while (
    !(await fetch(`http://127.0.0.1:${port}`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await sleep(50)
  const ways = {
    "a bare node:http sink": { pid: sink.pid, open: async () => ({ url: `http://127.0.0.1:${port}/`, headers: {} }) },
    ...Object.fromEntries(
      Object.entries(nodes).map(([name, node]) => [
        name,
        {
          pid: node.child.pid,
          async open() {
            const { part } = await create(node, size)
            return { url: part.url, headers: three(part) }
          },
        },
      ]),
    ),
  }
  const runs = Object.fromEntries(Object.keys(ways).map((name) => [name, { rates: [], cpus: [] }]))
  for (let round = 0; round < 5; round++)
    for (const [name, { pid, open }] of Object.entries(ways)) {
      const { url, headers } = await open()
      const [startedAt, spent] = [performance.now(), cpuUs(pid)]
      await put(url, headers, size, piece)
      runs[name].rates.push(512 / ((performance.now() - startedAt) / 1_000))
      runs[name].cpus.push((cpuUs(pid) - spent) / 1_000)
    }
  await end(sink)
  const [limit] = Object.values(runs)
  for (const [name, { rates, cpus: spent }] of Object.entries(runs))
    note(
      `PUT of 512 MiB to ${name}: ${median(rates).toFixed(0)} MiB/s, ratio ${(median(rates) / median(limit.rates)).toFixed(2)}; ${median(spent).toFixed(0)} ms of CPU, ratio ${(median(limit.cpus) / median(spent)).toFixed(2)}`,
    )
}

try {
  note(
    `${cpus().length} cores · Node ${process.versions.node} · load ${readFileSync("/proc/loadavg", "utf8").split(" ")[0]}`,
  )
  const embedded = await startNode({ S3_PART_SIGNATURE: "v2" })
  if (asked.has("random")) await measureRandom(embedded)
  if (asked.has("many")) await measureMany(embedded)
  if (asked.has("memory")) await measureMemory(embedded, "the embedded store")
  const relay = await startNode({ S3_PART_SIGNATURE: "relay" })
  if (asked.has("memory")) await measureMemory(relay, "the relay")
  if (asked.has("throughput")) await measureThroughput({ "the embedded store": embedded, "the relay to it": relay })
  await relay.stop()
  await embedded.stop()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
