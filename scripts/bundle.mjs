// Writes dist/ with rolldown: the server, the command line and what tools start, with the packages that every start loads.
// Reading some 700 files of node_modules takes Node longer than all else that a start does. And dist/client/, which browsers
// load too: one module with what it needs, its types and its sources.
import { readdirSync, readFileSync, rmSync } from "node:fs"
import { join, sep } from "node:path"

export const SCRIPT = "scripts/bundle.mjs"

/** Files of dist/ that somebody starts or imports, and the sources that they are made of. */
const ENTRIES = [
  "main",
  "cli/tandem",
  "transports/docs/print",
  "app",
  "config/config",
  "log",
  "database/embedded-postgres",
  "database/migrate",
]

/**
 * Stay in node_modules: they have machine code or files of their own, or are loaded by those who need them only. None may be
 * given an object of a package that is inside and ask what class it is of: theirs would be another one.
 */
const LEFT_OUTSIDE = [
  "@aws-sdk/client-s3",
  "@node-rs/argon2",
  "@opentelemetry",
  "@prisma/client",
  "class-validator",
  "ioredis",
  "nodemailer",
  "pg-native",
  "pino",
  "prom-client",
  "reflect-metadata",
  "sharp",
]

const isOutside = (id) =>
  id.startsWith("node:") || LEFT_OUTSIDE.some((name) => id === name || id.startsWith(`${name}/`))

const OPTIONS = {
  input: Object.fromEntries(ENTRIES.map((name) => [name, `src/${name}.ts`])),
  platform: "node",
  tsconfig: "tsconfig.json",
  external: isOutside,
  plugins: [yamlModules(), licences()],
  output: {
    dir: "dist",
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    // Decorators run while modules load, and it has to be there before. To have rolldown keep the order of all modules
    // (strictExecutionOrder) makes each a function, and a request a third dearer.
    banner: 'import "reflect-metadata"',
    sourcemap: true,
    // Node reads them at the start; the sources are beside dist/, or not wanted.
    sourcemapExcludeSources: true,
  },
}

const CLIENT = "src/client"
const CLIENT_OPTIONS = {
  input: { "client/client": `${CLIENT}/client.ts` },
  platform: "browser",
  tsconfig: "tsconfig.json",
  plugins: [declarations()],
  output: { dir: "dist", format: "esm", entryFileNames: "[name].js", sourcemap: true, minify: true },
}

const PAGE = "src/transports/pages/home/browser"
const pageScript = (name, file) => ({
  input: { [`home/${name}`]: `${PAGE}/${file}` },
  platform: "browser",
  tsconfig: `${PAGE}/tsconfig.json`,
  output: { dir: "dist", format: "esm", entryFileNames: "[name].js", minify: true, comments: false },
})
/** One file each: a service worker imports nothing. */
const PAGE_OPTIONS = [
  pageScript("home", "home.tsx"),
  pageScript("service-worker", "service-worker.ts"),
  pageScript("signed-out", "signed-out.ts"),
]

/** Bundles the scripts of the home page alone, for a server that runs from its sources. */
export async function bundlePage() {
  const { build } = await import("rolldown")
  await build(PAGE_OPTIONS)
}

/** Rejects with what is wrong in the sources. Types are not its business: `npm run typecheck` looks at them. */
export async function bundle() {
  const { build } = await import("rolldown")
  const built = [await build(OPTIONS), await build(CLIENT_OPTIONS), ...(await build(PAGE_OPTIONS))]
  const outputs = built.flatMap(({ output }) => output)
  removeAllBut(new Set(outputs.map(({ fileName }) => join("dist", fileName))))
}

/** Leaves no file of an earlier build; last, so that what runs from it meanwhile finds its own. */
function removeAllBut(written) {
  for (const entry of readdirSync("dist", { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name)
    if (entry.isFile() && !written.has(path)) rmSync(path)
  }
}

/** Bundles again on every save, and tells of each time that it could. */
export async function bundleOnSave(onDone) {
  const { watch } = await import("rolldown")
  const watcher = watch([OPTIONS, CLIENT_OPTIONS, ...PAGE_OPTIONS])
  watcher.on("event", (event) => {
    if (event.code === "ERROR") console.error(event.error.message)
    if (event.code === "BUNDLE_END" || event.code === "ERROR") event.result?.close()
    if (event.code === "END") onDone()
  })
  return watcher
}

/** Lets sources import YAML: as the object that it says. */
export function yamlModules() {
  return {
    name: "yaml-modules",
    transform: {
      filter: { id: /\.yaml$/ },
      async handler(text) {
        const { parse } = await import("yaml")
        return { code: `export default ${JSON.stringify(parse(text))}`, map: null, moduleType: "js" }
      },
    },
  }
}

/** Writes the types of the client beside it, and what it says of itself. */
function declarations() {
  return {
    name: "declarations",
    async generateBundle() {
      const { isolatedDeclarationSync } = await import("rolldown/experimental")
      const files = new Set(["client.ts"])
      for (const file of files) {
        const { code, errors } = isolatedDeclarationSync(file, readFileSync(join(CLIENT, file), "utf8"))
        if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join("; ")}`)
        this.emitFile({ type: "asset", fileName: `client/${file.replace(/ts$/, "d.ts")}`, source: code })
        // What types name is written too; what is within is nobody's business.
        for (const [, name] of code.matchAll(/ from "\.\/(.+)\.js"/g)) files.add(`${name}.ts`)
      }
      this.emitFile({ type: "asset", fileName: "client/README.md", source: readFileSync(join(CLIENT, "README.md")) })
    },
  }
}

/** Writes down the licences of the packages that are in dist/, which most of them ask for. */
function licences() {
  return {
    name: "licences",
    generateBundle(_options, chunks) {
      // Of the client and of the home page, which are bundled by themselves.
      const folders = new Set(["idb", "preact"].map((name) => join("node_modules", name)))
      for (const chunk of Object.values(chunks))
        for (const id of chunk.moduleIds ?? []) {
          const folder = packageFolder(id)
          if (folder) folders.add(folder)
        }
      const texts = [...folders].sort().map(licenceOf)
      this.emitFile({ type: "asset", fileName: "THIRD-PARTY-LICENSES.txt", source: texts.join("\n\n----\n\n") })
    },
  }
}

/** The package of a module, as `…/node_modules/@scope/name`; undefined for our own. */
function packageFolder(id) {
  const place = id.lastIndexOf(`node_modules${sep}`)
  if (place === -1) return undefined
  const [scope, name] = id.slice(place + "node_modules/".length).split(sep)
  return join(id.slice(0, place), "node_modules", scope.startsWith("@") ? join(scope, name) : scope)
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry))
  const text = file ? readFileSync(join(folder, file), "utf8").trim() : "(the package has no text of it)"
  return `${name} ${version} (${license})\n\n${text}`
}
