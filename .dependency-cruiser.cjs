// Which folder may import which: each folder of src/ has a level, and imports only go down.

/** Top level first. The files that lie directly in src/ are named one by one. */
const LEVELS = [
  ["cli/", "main.ts", "app.ts", "workers.ts"],
  ["transports/"],
  ["jobs/", "exchange/", "oauth/", "accounts/", "changes/"],
  ["resources/", "events/"],
  ["operations/", "loading/"],
  ["access/", "database/", "storage/", "telemetry/", "outbound/", "pictures/", "context.ts"],
  ["scalars/", "config/", "signing/", "errors.ts", "statement.ts", "log.ts", "loop.ts"],
  // What runs in browsers: it knows nothing of the server.
  ["client/"],
]

/** A pattern of the paths of some places in src/. */
const pathOf = (places) => `^src/(${places.map((place) => place.replace(".", "\\.")).join("|")})`

// The generated database client counts as a library.
const LIBRARY = "^src/generated/"

const upward = LEVELS.slice(1).map((level, index) => ({
  name: `upward-from-${level[0].replace("/", "")}`,
  severity: "error",
  from: { path: pathOf(level) },
  to: { path: pathOf(LEVELS.slice(0, index + 1).flat()) },
}))

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...upward,
    {
      name: "place-without-level",
      comment: "Give the new folder a level in .dependency-cruiser.cjs.",
      severity: "error",
      from: {},
      to: { path: "^src/", pathNot: `${pathOf(LEVELS.flat())}|${LIBRARY}` },
    },
    {
      name: "server-imports-a-command",
      severity: "error",
      from: { path: pathOf(["main.ts", "app.ts", "workers.ts"]) },
      to: { path: pathOf(["cli/"]) },
    },
    {
      name: "server-imports-the-client",
      comment: "The pages' own scripts are its users.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(client|transports/pages/home/browser)/" },
      to: { path: pathOf(["client/"]) },
    },
    {
      name: "resource-imports-events",
      severity: "error",
      from: { path: pathOf(["resources/"]) },
      to: { path: pathOf(["events/"]) },
    },
    {
      name: "resource-imports-more-than-a-type-of-its-neighbour",
      severity: "error",
      from: { path: "^src/resources/([^/]+)/" },
      to: { path: "^src/resources/", pathNot: "^src/resources/$1/|\\.type\\.ts$" },
    },
    {
      name: "circle",
      comment: "Object types name each other lazily, so they may.",
      severity: "error",
      from: {},
      to: { circular: true, via: { pathNot: "\\.type\\.ts$" } },
    },
    {
      name: "test-or-tool-in-the-server",
      severity: "error",
      from: { path: "^src/", pathNot: LIBRARY },
      to: { path: "^(test|scripts|prisma)/" },
    },
    {
      name: "library-not-in-dependencies",
      severity: "error",
      from: { path: "^src/" },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown", "unknown"], dependencyTypesNot: ["type-only"] },
    },
    { name: "import-not-found", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: ["node_modules", LIBRARY] },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default", "types"] },
  },
}
