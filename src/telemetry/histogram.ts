import type { Labels, Reading } from "./reading.js"

/** From what the fastest answers take to what a client gives up at. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Takes the durations of one series. */
export type Timer = { observe(seconds: number): void }

/** How often something happens and how long it takes. */
export type Histogram = {
  /** A new series; keep it, and ask once for each combination of labels. */
  series(labels: Labels): Timer
  read(): Reading
}

/**
 * Makes a histogram of seconds. prom-client's own makes and hashes an object of labels for each observation, which is a
 * microsecond of every request; here an observation is three additions.
 */
export function createHistogram(name: string, help: string): Histogram {
  const all: { readonly labels: Labels; readonly counts: Float64Array; readonly sum: Float64Array }[] = []
  return {
    series(labels) {
      const counts = new Float64Array(BUCKETS_SECONDS.length + 1)
      const sum = new Float64Array(1)
      all.push({ labels, counts, sum })
      return {
        observe(seconds) {
          let bucket = 0
          while (bucket < BUCKETS_SECONDS.length && seconds > (BUCKETS_SECONDS[bucket] as number)) bucket++
          ;(counts[bucket] as number)++
          ;(sum[0] as number) += seconds
        },
      }
    },
    read: () => ({
      name,
      help,
      type: "histogram",
      aggregator: "sum",
      values: all.flatMap(({ labels, counts, sum }) => {
        let count = 0
        const buckets = Array.from(counts, (more, index) => {
          count += more
          const le = BUCKETS_SECONDS[index] ?? "+Inf"
          return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count }
        })
        return [
          ...buckets,
          { metricName: `${name}_sum`, labels, value: sum[0] as number },
          { metricName: `${name}_count`, labels, value: count },
        ]
      }),
    }),
  }
}
