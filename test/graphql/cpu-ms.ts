/** Milliseconds of processor that this process has used: a measure that other work on the machine does not change. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
