// Compares servers that are asked one request after the other, by what an answer costs.
import { Agent, request as send } from "node:http"
import { cpuUs } from "./processes.mjs"

/** A connection that is kept, as one user. */
export function openClient(user) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const credentials = { "X-Access-Token": `token-of-user-${user}`, "X-Client-ID": "bench-client" }
  return {
    close: () => agent.destroy(),
    ask: (port, path, { headers = {}, method = "GET", body } = {}) =>
      new Promise((resolve, reject) => {
        const text = body === undefined ? undefined : JSON.stringify(body)
        const type = text && { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) }
        send({ port, path, method, agent, headers: { ...credentials, ...type, ...headers } }, (response) => {
          const chunks = []
          response
            .on("data", (chunk) => chunks.push(chunk))
            .on("end", () => resolve({ response, text: Buffer.concat(chunks).toString() }))
        })
          .on("error", reject)
          .end(text)
      }),
  }
}

/**
 * Does each of some things so many times a round, in turns.
 * @param ways [name, server, work]
 * @returns by name, for each round: µs of CPU of the server and of PostgreSQL, and µs until the answer was read
 */
export async function compareOneByOne({ label, times, rounds, postmaster, note }, ways) {
  const results = {}
  for (let round = 0; round < rounds; round++)
    for (const [name, server, work] of ways) {
      for (let warm = 0; warm < Math.ceil(times / 4); warm++) await work(server)
      const before = { server: server.cpuUs(), postgres: postmaster && cpuUs(postmaster), at: performance.now() }
      for (let count = 0; count < times; count++) await work(server)
      const run = {
        serverUs: (server.cpuUs() - before.server) / times,
        postgresUs: postmaster && (cpuUs(postmaster) - before.postgres) / times,
        tookUs: ((performance.now() - before.at) * 1_000) / times,
      }
      results[name] = [...(results[name] ?? []), run]
      note(
        `${label} ${name}: ${run.serverUs.toFixed(0)} + ${run.postgresUs?.toFixed(0)} µs, ${run.tookUs.toFixed(0)} µs`,
      )
    }
  return results
}
