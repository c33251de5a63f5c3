import { spawn, spawnSync } from "node:child_process"

/** Runs a program to its end; gives what it printed. Ends with what it said when it fails. */
export function run(program, args, options = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: "utf8",
    maxBuffer: 64 * 1024 ** 2,
    ...options,
  })
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: exit ${status}\n${stdout}${stderr}`)
  return { stdout, stderr }
}

const READY_MS = 120_000
const POLL_MS = 200
const pause = () => new Promise((resolve) => setTimeout(resolve, POLL_MS))

/** Starts a node of an installed package; resolves when it can serve. `stop` gives its exit code. */
export async function startNode(node, installed, env, port) {
  const child = spawn(node, [installed.main], {
    cwd: installed.folder,
    env: { ...env, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      output += text
    })
  const exited = new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)))
  const url = `http://127.0.0.1:${port}`
  for (const begun = Date.now(); ; await pause()) {
    const reply = await fetch(`${url}/readyz`).catch(() => undefined)
    if (reply?.ok) break
    if (child.exitCode !== null || Date.now() - begun > READY_MS) {
      child.kill("SIGKILL")
      throw new Error(`the node is not ready:\n${output}`)
    }
  }
  return {
    url,
    stop() {
      child.kill("SIGTERM")
      return exited
    },
  }
}

/** Asks a node; gives the answer's body. Ends when the status is another one. */
export async function ask(url, { headers, method = "GET", body, status = 200 } = {}) {
  const reply = await fetch(url, {
    method,
    headers: { ...headers, ...(body && { "Content-Type": "application/json" }) },
    body: body && JSON.stringify(body),
  })
  const text = await reply.text()
  if (reply.status !== status) throw new Error(`${method} ${url}: ${reply.status} ${text}`)
  return text === "" ? undefined : JSON.parse(text)
}

/** Ends when two things are not the same. */
export function same(what, found, expected) {
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new Error(`${what}: ${JSON.stringify(found)}, where ${JSON.stringify(expected)} was expected`)
}
