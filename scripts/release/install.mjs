import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { run } from "./process.mjs"

const npmOf = () => join(dirname(process.execPath), "..", "lib/node_modules/npm/bin/npm-cli.js")
/** The npm that runs this script, or the one beside this node. */
const npm = process.env.npm_execpath ?? npmOf()

/** A Node of a major version, from npm; kept for the next time. Its own install script fetches the binary. */
export function nodeOf(major) {
  const home = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), `tandem-ci/node-${major}`)
  const node = join(home, "node_modules/node/bin/node")
  if (!existsSync(node)) {
    mkdirSync(home, { recursive: true })
    const manifest = { private: true, dependencies: { node: String(major) }, allowScripts: { node: true } }
    writeFileSync(join(home, "package.json"), JSON.stringify(manifest))
    run(process.execPath, [npm, "install", "--prefix", home])
  }
  return node
}

/** What programs of any kind need of this machine. */
const OF_THE_MACHINE =
  /^(HOME|LANG|LC_\w+|USER|LOGNAME|SHELL|TERM|TZ|TMPDIR|TEMP|TMP|XDG_\w+|SSL_CERT_\w+|NODE_EXTRA_CA_CERTS|(https?|no|all)_proxy|SystemRoot)$/i

/** The environment for a Node and its package: nothing that sets the service up, and nothing of the npm that runs this script. */
export const environmentOf = (node, from = process.env) => ({
  ...Object.fromEntries(Object.entries(from).filter(([key]) => OF_THE_MACHINE.test(key))),
  PATH: `${dirname(node)}${delimiter}${from.PATH}`,
})

/** Installs a packed package in an empty folder, as `npm install` of a Node does it there. Gives where it is. */
export function install(node, tarball, folder, name) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }))
  const env = environmentOf(node)
  const { stdout, stderr } = run(node, [npm, "install", "--loglevel=warn", "--no-audit", "--no-fund", tarball], {
    cwd: folder,
    env,
  })
  const warnings = `${stdout}${stderr}`.split("\n").filter((line) => /EBADENGINE|deprecated|ERESOLVE/.test(line))
  const root = join(folder, "node_modules", name)
  return { folder, root, main: join(root, "dist/main.js"), cli: join(root, "dist/cli/tandem.js"), warnings, env }
}
