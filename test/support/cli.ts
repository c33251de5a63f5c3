import type { Command } from "commander"
import { vi } from "vitest"
import { runProgram } from "../../src/cli/program.js"

/** What a command left: its exit code, and what it wrote. */
export type Ran = { code: number; out: string; err: string; json: any }

/** Runs a command in this process, on the database that DATABASE_URL names. */
export async function runCli(...words: string[]): Promise<Ran> {
  const written = { out: "", err: "" }
  const [out, err] = [process.stdout.write, process.stderr.write]
  const into = (name: "out" | "err") => (text: unknown, done?: unknown) => {
    written[name] += String(text)
    if (typeof done === "function") done()
    return true
  }
  process.stdout.write = into("out") as typeof out
  process.stderr.write = into("err") as typeof err
  const before = process.exitCode
  process.exitCode = 0
  try {
    await runProgram(words)
  } finally {
    process.stdout.write = out
    process.stderr.write = err
  }
  const code = Number(process.exitCode)
  process.exitCode = before
  let json: unknown
  try {
    json = JSON.parse(written.out)
  } catch {
    // what is for people is no JSON
  }
  return { code, ...written, json }
}

/** Runs a command of a program of its own, with --json, and gives what it prints. @throws what the command throws */
export async function jsonOf(program: Command, words: readonly string[]): Promise<any> {
  let printed = ""
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += text
    return true
  })
  try {
    await program.parseAsync([...words, "--json"], { from: "user" })
  } finally {
    write.mockRestore()
  }
  return JSON.parse(printed)
}
