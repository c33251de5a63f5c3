// CPU and memory of processes, as Linux counts them; and which core they run on.
import { execFileSync, spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"

const US_PER_TICK = 1e6 / Number(execFileSync("getconf", ["CLK_TCK"]))
const PAGE_BYTES = 4096

const has = (command) => {
  try {
    execFileSync("which", [command], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

export const hasWrk = has("wrk")
const canPin = has("taskset") && readFileSync("/proc/cpuinfo", "utf8").match(/^processor/gm).length > 1

function everyProcess() {
  const processes = new Map()
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8")
      const fields = stat
        .slice(stat.lastIndexOf(")") + 2)
        .split(" ")
        .map(Number)
      // Of its own, and of its children that have ended: back ends of PostgreSQL come and go.
      const ticks = fields[11] + fields[12] + fields[13] + fields[14]
      processes.set(Number(name), { parent: fields[1], us: ticks * US_PER_TICK, bytes: fields[21] * PAGE_BYTES })
    } catch {
      // it has ended
    }
  }
  return processes
}

/** A process and all below it. */
function treeOf(root) {
  const processes = everyProcess()
  const tree = []
  const queue = [root]
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    const known = processes.get(pid)
    if (known === undefined) continue
    tree.push(known)
    for (const [child, { parent }] of processes) if (parent === pid) queue.push(child)
  }
  return tree
}

export const cpuUs = (pid) => treeOf(pid).reduce((sum, { us }) => sum + us, 0)
export const memoryMiB = (pid) => treeOf(pid).reduce((sum, { bytes }) => sum + bytes, 0) / 1_048_576

/** The postmaster whose back end this is; undefined when it runs on another machine. */
export const parentOf = (pid) => everyProcess().get(pid)?.parent

/**
 * Starts a program on one core: servers on the first, the load and PostgreSQL on the second. With two cores and without this
 * no two runs are alike; with it a server that is the bottleneck shows it.
 */
export const spawnOn = (core, command, args, options) =>
  canPin ? spawn("taskset", ["-c", String(core), command, ...args], options) : spawn(command, args, options)

export function pin(pid, core) {
  if (canPin) execFileSync("taskset", ["-acp", String(core), String(pid)], { stdio: "ignore" })
}

/** Ends a program and waits for it, ten seconds at most. */
export async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once("exit", resolve))
  child.kill("SIGTERM")
  const timer = setTimeout(() => child.kill("SIGKILL"), 10_000)
  await ended
  clearTimeout(timer)
}
