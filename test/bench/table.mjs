// The results as Markdown, with what they are measured against.
import { WORKLOADS } from "./workloads.mjs"

const FIRST_BAR = { W1: 0.6, W2: 0.4, W3: 0.45, W4: 0.45, W5: 0.6, W6: 0.45 }
const GOAL = { W1: 0.9, W2: 0.8, W3: 0.75, W4: 0.75, W5: 0.9, W6: 0.75 }

/** To a hand-written server. */
const SYNC_BAR = 0.6
/** Of what the same costs one by one. */
const BATCH_BAR = 0.35

const row = (...cells) => `| ${cells.join(" | ")} |`
const head = (...names) => [row(...names), row(...names.map(() => "---"))].join("\n")
const whole = (number) => (number === undefined ? "–" : Math.round(number).toLocaleString("en"))

/** Writes everything that was measured to the terminal. */
export function print(
  { when, machine, requests, fanOut, streams, start, workers, hot, growth, large, exchange, sync, find, age },
  median,
) {
  const of = (runs, name) => (runs[0][name] === undefined ? undefined : median(runs.map((run) => run[name])))
  const lines = [`${when.slice(0, 10)} · ${machine.cores} cores · Node ${machine.node} · load by ${machine.load}`, ""]
  if (Object.keys(requests).length > 0) {
    lines.push(
      head(
        "",
        "server",
        "requests/s",
        "ratio",
        "bar",
        "goal",
        "CPU µs: server",
        "CPU µs: PostgreSQL",
        "ratio of CPU",
        "p50 ms",
        "p99 ms",
        "errors",
      ),
    )
    for (const [name, servers] of Object.entries(requests)) {
      const limits = Object.entries(servers).filter(([server]) => server.startsWith("limit"))
      const best = (figure, pick) => pick(...limits.map(([, runs]) => figure(runs)))
      const cpu = (runs) => of(runs, "serverUs") + (of(runs, "postgresUs") ?? 0)
      const most = best((runs) => of(runs, "requestsPerSecond"), Math.max)
      const least = best(cpu, Math.min)
      for (const [server, runs] of Object.entries(servers)) {
        const bars = server === "tandem" ? [FIRST_BAR[name].toFixed(2), GOAL[name].toFixed(2)] : ["", ""]
        const perSecond = of(runs, "requestsPerSecond")
        const errors = runs.reduce((sum, { refused, broken }) => sum + refused + broken, 0)
        lines.push(
          row(
            ...[`${name} ${WORKLOADS[name].title}`, server, whole(perSecond), (perSecond / most).toFixed(2), ...bars],
            ...[whole(of(runs, "serverUs")), whole(of(runs, "postgresUs")), (least / cpu(runs)).toFixed(2)],
            ...[of(runs, "p50Ms").toFixed(1), of(runs, "p99Ms").toFixed(1), errors],
          ),
        )
      }
    }
    lines.push(
      "",
      "ratio: to the best hand-written server on the same rows. For writes that is one statement on tables without triggers and",
      "checks, which bumps the list and writes the event itself. It leaves out limits, moves, recurrence, webhooks, what a",
      "member may not see of a row in an event, who wrote and in which request, and that no other writer can forget any of it.",
      "",
    )
  }
  for (const [title, runs] of [
    ["W7 1,000 subscribers, 50 creates/s", fanOut],
    ["S4 1,000 streams of server-sent events, 50 creates/s", streams],
  ]) {
    if (runs === undefined) continue
    lines.push(head(title, "delivered", "of", "p50 ms", "p99 ms", "CPU µs/event: server", "failed creates"))
    for (const [name, { delivered, wanted, p50Ms, p99Ms, serverUs, failed }] of Object.entries(runs))
      lines.push(
        row(name, whole(delivered), whole(wanted), p50Ms?.toFixed(1), p99Ms?.toFixed(1), serverUs.toFixed(1), failed),
      )
    lines.push("")
  }
  if (start)
    lines.push(
      head("W8", "start to first answer, ms", "idle memory, MiB"),
      row("tandem", whole(start.startMs), whole(start.idleMiB)),
      "",
    )
  if (workers) {
    lines.push(head("on all cores, shared with PostgreSQL and the load", "requests/s", "CPU µs: server", "p99 ms"))
    for (const [label, { requestsPerSecond, serverUs, p99Ms }] of Object.entries(workers))
      lines.push(row(label, whole(requestsPerSecond), whole(serverUs), p99Ms.toFixed(1)))
    lines.push("")
  }
  if (hot) {
    lines.push(head("64 writers, each commit flushed", "commits/s", "of 64 lists", "p99 ms"))
    for (const [label, { perSecond, p99Ms }] of Object.entries(hot)) {
      const apart = hot[label.replace("one list", "64 lists")].perSecond
      lines.push(row(label, whole(perSecond), (perSecond / apart).toFixed(2), p99Ms.toFixed(1)))
    }
    lines.push("")
  }
  if (growth) {
    lines.push(head("growth", "CPU µs: server", "CPU µs: PostgreSQL"))
    for (const [label, { serverUs, postgresUs }] of Object.entries(growth))
      lines.push(row(label, whole(serverUs), whole(postgresUs)))
    lines.push("")
  }
  if (large) {
    lines.push(head("large, one request at a time", "ms", "slowest", "CPU ms: server"))
    for (const [label, { ms, slowestMs, serverMs }] of Object.entries(large))
      lines.push(row(label, ms.toFixed(1), slowestMs.toFixed(1), serverMs.toFixed(1)))
    lines.push("")
  }
  /** The first server beside another; of a batch, that is what is sent by itself. */
  function pushCompared(title, compared) {
    lines.push(head(title, "server", "CPU µs: server", "CPU µs: PostgreSQL", "ratio of CPU", "bar", "µs"))
    for (const [label, servers] of Object.entries(compared)) {
      const cpu = (runs) => of(runs, "serverUs") + (of(runs, "postgresUs") ?? 0)
      const ratio = (runs) =>
        servers.limit ? cpu(servers.limit) / cpu(runs) : cpu(runs) / cpu(servers["by themselves"])
      for (const [server, runs] of Object.entries(servers))
        lines.push(
          row(
            ...[label, server, whole(of(runs, "serverUs")), whole(of(runs, "postgresUs")), ratio(runs).toFixed(2)],
            server === "tandem" ? (servers.limit ? `≥ ${SYNC_BAR}` : `≤ ${BATCH_BAR}`) : "",
            whole(of(runs, "tookUs")),
          ),
        )
    }
  }
  if (find) {
    pushCompared("finding and changing many", find)
    lines.push("")
  }
  if (sync) {
    const { whole: all, ...compared } = sync
    pushCompared("keeping a copy", compared)
    lines.push(
      "",
      `A whole account: ${whole(all.objects)} objects on ${all.pages} pages, ${whole(all.serverMs)} ms of the server's CPU, ${whole(all.grewMiB)} MiB more.`,
      "",
    )
  }
  if (exchange) {
    lines.push(head("by the command line", "s"))
    for (const [label, seconds] of Object.entries(exchange)) lines.push(row(label, seconds.toFixed(1)))
    lines.push("")
  }
  if (age) {
    lines.push(
      head("log of events", "look, µs", "slowest", "POST to heard, p50 ms", "p99 ms", "lost", "creates/s beside"),
    )
    for (const [label, { p50Us, mostUs, heardP50Ms, heardP99Ms, lost, requestsPerSecond }] of Object.entries(age))
      lines.push(
        row(
          label,
          whole(p50Us),
          whole(mostUs),
          heardP50Ms?.toFixed(1),
          heardP99Ms?.toFixed(1),
          lost,
          whole(requestsPerSecond),
        ),
      )
  }
  process.stdout.write(`${lines.join("\n")}\n`)
}
