/** One metric of Prometheus' text format: what it says of itself, and its series. */
export type Metric = {
  help: string
  type: string
  samples: { name: string; labels: Record<string, string>; value: number }[]
}

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*"
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (-?[0-9.eE+-]+|\\+Inf|-Inf|nan)$`, "i")
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  for (let at = 0; at < text.length; at = LABEL.lastIndex) {
    LABEL.lastIndex = at
    const found = LABEL.exec(text)
    if (found === null) throw new Error(`labels ${text}`)
    labels[found[1] as string] = found[2] as string
  }
  return labels
}

/** Reads the text format 0.0.4 as its specification has it, and throws at whatever is not of it. */
export function parseExposition(text: string): Map<string, Metric> {
  if (!text.endsWith("\n")) throw new Error("the last line does not end")
  const metrics = new Map<string, Metric>()
  let current: { name: string; metric: Metric } | undefined
  for (const line of text.split("\n")) {
    if (line === "") continue
    const [, keyword, name, rest] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (keyword === "HELP") {
      if (metrics.has(name as string)) throw new Error(`${name} twice`)
      current = { name: name as string, metric: { help: rest as string, type: "", samples: [] } }
      metrics.set(current.name, current.metric)
    } else if (keyword === "TYPE") {
      if (current?.name !== name || current?.metric.type !== "") throw new Error(`TYPE of ${name} out of place`)
      current!.metric.type = rest as string
    } else {
      const [, sample, labels = "", value] = SAMPLE.exec(line) ?? []
      if (sample === undefined) throw new Error(`no sample: ${line}`)
      const own = current?.metric.type === "histogram" ? sample.replace(/_(bucket|sum|count)$/, "") : sample
      if (own !== current?.name) throw new Error(`${sample} stands below ${current?.name}`)
      current.metric.samples.push({
        name: sample,
        labels: labelsOf(labels),
        value: /nan/i.test(value as string) ? Number.NaN : Number(value?.replace("Inf", "Infinity")),
      })
    }
  }
  return metrics
}

/** The value of the only series that has these labels; undefined when there is none. */
export function seriesOf(
  metrics: Map<string, Metric>,
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  const base = metrics.has(name) ? name : name.replace(/_(bucket|sum|count)$/, "")
  const found = (metrics.get(base)?.samples ?? []).filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )
  if (found.length > 1) throw new Error(`${found.length} series of ${name}`)
  return found[0]?.value
}

export async function scrape(url: string, headers: Record<string, string> = {}): Promise<Map<string, Metric>> {
  const response = await fetch(`${url}/metrics`, { headers })
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return parseExposition(await response.text())
}
