// Sends one workload to one server for some seconds: 32 connections, by wrk where it is installed, else by autocannon.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import autocannon from "autocannon"
import { hasWrk, spawnOn } from "./processes.mjs"
import { requestFor } from "./workloads.mjs"

const CONNECTIONS = 32
const SCRIPT = fileURLToPath(new URL("load.lua", import.meta.url))

/**
 * @param rows the rows that fill the requests, from `offset` on where each is used once
 * @returns requests, requestsPerSecond, refused (no 2xx), broken (no answer), p50Ms, p99Ms
 */
export const load = (parameters) => (hasWrk ? byWrk(parameters) : byAutocannon(parameters))

/** A text with its places as Lua: "GET /" · 1 · " HTTP/1.1". */
const parts = (text) =>
  `{${text
    .split(/(\{\d\})/)
    .filter((part) => part !== "")
    .map((part) =>
      /^\{\d\}$/.test(part)
        ? part[1]
        : `"${part.replace(/["\\]/g, "\\$&").replace(/\r/g, "\\r").replace(/\n/g, "\\n")}"`,
    )
    .join(",")}}`

async function byWrk({ port, workload, rows, seconds, offset = 0, folder, connections = CONNECTIONS }) {
  const rowsFile = join(folder, `rows-${port}.tsv`)
  const requestFile = join(folder, `request-${port}.lua`)
  const { method, path, headers, body, eachOnce = false } = workload
  const named = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${named.join("")}`
  writeFileSync(rowsFile, rows.map((row) => row.join("\t")).join("\n"))
  writeFileSync(
    requestFile,
    `return { head = ${parts(head)}, ${body ? `body = ${parts(body)},` : ""} rows = "${rowsFile}", each_once = ${eachOnce}, offset = ${offset}, seed = ${offset + 7} }`,
  )
  const args = [
    "-t1",
    `-c${connections}`,
    `-d${Math.ceil(seconds)}s`, // whole seconds only
    "--timeout",
    "10s",
    "-s",
    SCRIPT,
    `http://127.0.0.1:${port}/`,
  ]
  const wrk = spawnOn(1, "wrk", args, { env: { ...process.env, BENCH_REQUEST: requestFile } })
  let output = ""
  for (const stream of [wrk.stdout, wrk.stderr]) stream.on("data", (chunk) => (output += chunk))
  await new Promise((resolve) => wrk.once("close", resolve))
  const found = /BENCH (\{.*\})/.exec(output)
  if (found === null) throw new Error(output)
  const { requests, us, refused, broken, p50Us, p99Us } = JSON.parse(found[1])
  return { requests, requestsPerSecond: requests / (us / 1e6), refused, broken, p50Ms: p50Us / 1e3, p99Ms: p99Us / 1e3 }
}

async function byAutocannon({ port, workload, rows, seconds, offset = 0, connections = CONNECTIONS }) {
  let next = offset
  const setupRequest = (request) => {
    const row = rows[workload.eachOnce ? next++ % rows.length : Math.floor(Math.random() * rows.length)]
    const { path, init } = requestFor(workload, row)
    return Object.assign(request, { path, ...init })
  }
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections,
    duration: seconds,
    timeout: 10,
    requests: [{ setupRequest }],
  })
  return {
    requests: result.requests.total,
    requestsPerSecond: result.requests.total / result.duration,
    refused: result.non2xx,
    broken: result.errors + result.timeouts,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  }
}
