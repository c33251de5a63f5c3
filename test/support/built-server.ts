import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { folderOf } from "./postgres.js"

/** Brings dist/ up to date. Several files may ask at once: one builds, the others wait. */
export const buildServer = (): void => void execFileSync("node", ["scripts/build.mjs", "--if-stale"], { stdio: "pipe" })

/** Starts what is built on a database, in a process that a test may kill; resolves with its address once it listens. */
export async function startBuiltServer(
  databaseUrl: string,
  settings: Record<string, string> = {},
): Promise<{ node: ChildProcess; url: string }> {
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: databaseUrl,
    PORT: "0",
    NODE_ENV: "production",
    DATA_DIR: folderOf(databaseUrl),
    ...settings,
  }
  const node = spawn(process.execPath, ["dist/main.js"], { env, stdio: ["ignore", "pipe", "inherit"] })
  let output = ""
  const url = await new Promise<string>((resolve, reject) => {
    node.once("exit", (code) => reject(new Error(`exit ${code} before it listened: ${output}`)))
    node.stdout.setEncoding("utf8").on("data", (text) => {
      output += text
      const [, found] = /"url":"([^"]+)","msg":"listening"/.exec(output) ?? []
      if (found !== undefined) resolve(found)
    })
  })
  return { node, url }
}
