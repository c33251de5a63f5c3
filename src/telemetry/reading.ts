/** Names and values that tell the series of a metric apart. Each combination is a series, so values must be few. */
export type Labels = Readonly<Record<string, string | number>>

/** One metric at one moment, in the form in which prom-client writes it and adds it up over processes. */
export type Reading = {
  readonly name: string
  readonly help: string
  readonly type: "counter" | "gauge" | "histogram"
  /** What the processes of a node make together: `max` where all tell of the same thing, such as the database. */
  readonly aggregator: "sum" | "max" | "first" | "min"
  readonly values: readonly { readonly labels: Labels; readonly value: number; readonly metricName?: string }[]
}

/** A gauge as a reading: what something is at the moment. */
export const gauge = (
  name: string,
  help: string,
  values: Reading["values"],
  aggregator: Reading["aggregator"] = "sum",
): Reading => ({ name, help, type: "gauge", aggregator, values })
