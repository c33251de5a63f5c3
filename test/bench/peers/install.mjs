// Installs what Tandem is compared with outside of the project, once, with the Node that it asks for.
import { execFileSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const PACKAGES = ["node@22", "postgraphile@5", "graphql@16", "pg@8"]

/** @returns the Node and the script to start PostGraphile with */
export function installPostGraphile() {
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "tandem-bench", "postgraphile")
  if (!existsSync(join(folder, "node_modules/postgraphile"))) {
    mkdirSync(folder, { recursive: true })
    // npm runs the script that brings the binary only when a package.json says that it may.
    const manifest = { private: true, type: "module", allowScripts: { node: true } }
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest))
    execFileSync("npm", ["install", "--no-audit", "--no-fund", ...PACKAGES], { cwd: folder, stdio: "inherit" })
  }
  const script = join(folder, "server.mjs")
  copyFileSync(fileURLToPath(new URL("postgraphile.mjs", import.meta.url)), script)
  return { program: join(folder, "node_modules/node/bin/node"), script }
}
