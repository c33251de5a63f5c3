// Which file may import which: a file belongs to a level, and imports only go down the list.

/** Top level first. A file of src/ that no row names is refused, so a new place gets its level here. */
const LEVELS = [
  { name: "5", path: "^src/(main|app|doors|workers|request-context)\\.ts$|^src/cli/" },
  {
    name: "4",
    path: "^src/(graphql|rest|docs|http|oauth|accounts|pages|background|sdk-socket|storage|events|metrics|rate-limit|tracing|database|exchange)/",
    // These lie in a folder of level 4 but are what the lower levels stand on.
    pathNot: "^src/(rest/route|storage/storage|events/(event|pub-sub|cursor|snapshot))\\.ts$",
  },
  { name: "3", path: "^src/resources/" },
  { name: "2", path: "^src/(access|keeper|revision|context|loader|look-ahead|children|events/pub-sub)\\.ts$" },
  {
    name: "1",
    // Whatever lies directly in src/ and is not named above stands on libraries alone.
    path: "^src/([^/]+|events/(event|cursor|snapshot)|rest/route|storage/storage)\\.ts$",
    pathNot:
      "^src/(main|app|doors|workers|request-context|access|keeper|revision|context|loader|look-ahead|children)\\.ts$",
  },
]

// The generated database client counts as a library.
const LIBRARY = "^src/generated/"

const upward = LEVELS.slice(1).flatMap((level, index) =>
  LEVELS.slice(0, index + 1).map((above) => ({
    name: `level-${level.name}-imports-level-${above.name}`,
    severity: "error",
    from: { path: level.path, pathNot: level.pathNot },
    to: { path: above.path, pathNot: above.pathNot },
  })),
)

const anywhere = LEVELS.map(({ path, pathNot }) => (pathNot ? `(?!${pathNot})(?:${path})` : path)).join("|")

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...upward,
    {
      name: "file-without-level",
      comment: "Give the new place a level in .dependency-cruiser.cjs.",
      severity: "error",
      from: {},
      to: { path: "^src/", pathNot: `${anywhere}|${LIBRARY}` },
    },
    {
      name: "resource-imports-more-than-a-type-of-its-neighbour",
      severity: "error",
      from: { path: "^src/resources/([^/]+)/" },
      to: { path: "^src/resources/", pathNot: "^src/resources/$1/|\\.type\\.ts$" },
    },
    {
      name: "way-in-imports-another-way-in",
      comment: "app.ts hands it over; importing its types is fine.",
      severity: "error",
      from: { path: "^src/(graphql|rest|oauth|sdk-socket)/" },
      to: {
        path: "^src/(graphql|rest|oauth|sdk-socket)/",
        pathNot: "^src/$1/|^src/rest/route\\.ts$",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "circle",
      comment: "Plain Node does not forgive it. Object types name each other lazily, so they may.",
      severity: "error",
      from: {},
      to: {
        circular: true,
        via: { pathNot: "\\.type\\.ts$" },
        viaOnly: { dependencyTypesNot: ["type-only"] },
      },
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
