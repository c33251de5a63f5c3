import { statfsSync } from "node:fs"
import { defineConfig } from "vitest/config"
import { yamlModules } from "./scripts/bundle.mjs"

// PostgreSQL copies a thousand files for each database that a test gets: where memory has room, that is where they lie.
const MEMORY = "/dev/shm"
const ROOM_BYTES = 8 * 1024 ** 3
if (process.env.TMPDIR === undefined && hasRoom(MEMORY)) process.env.TMPDIR = MEMORY

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= ROOM_BYTES
  } catch {
    return false
  }
}

// Random tests and races: `npm test` repeats them some of the times that `npm run test:all` does (test/support/repetitions.ts).
const REPEATED = [
  "test/changes/convergence.test.ts",
  "test/graphql/random-documents.test.ts",
  "test/live/account-updated.test.ts",
  "test/oauth/dump.test.ts",
  "test/rest/{batches-at-once,find}.test.ts",
  "test/revision/{racers,random}.test.ts",
]

// What `npm test` leaves to `npm run test:all`: packages and other installs, a second database or store, processes that are
// killed or built first, what takes half a minute, a thousand scenarios of the client, what holds much memory or as many rows
// as years leave, the same over another carrier, and all that is looked at in a browser but the first steps on the home page.
const LONG = [
  "test/cli/interrupted.test.ts",
  "test/client/{tabs.browser,thousand-scenarios}.test.ts",
  "test/changes/{chaos,large,switches}.test.ts",
  "test/database/{embedded-postgres,find-plans,migrate,unfit-database}*.test.ts",
  "test/deploy/**/*.test.ts",
  "test/docs/{breaking,reference.browser}.test.ts",
  "test/examples/**/*.test.ts",
  "test/faults/{demoted,full-disk,killed-*,shutdown}.test.ts",
  "test/graphql/explorer.browser.test.ts",
  "test/http/trickling.test.ts",
  "test/live/{faults,leaks,over-events,redis-wake-up,restored}.test.ts",
  "test/operations/held-memory.test.ts",
  "test/pages/{browser,home-*.browser,provider.browser}.test.ts",
  "test/rest/downloads.browser.test.ts",
  "test/smoke/**/*.test.ts",
  "test/storage/stores.test.ts",
  "test/webhooks/chaos.test.ts",
]

// Of each project, and not of the whole: what all projects inherit, `globalSetup` too, runs for each of them and once more.
const project = {
  plugins: [yamlModules()],
  // Vite would take graphql's .mjs and Node its .js, and two copies refuse each other's schemas.
  resolve: { alias: [{ find: /^graphql$/, replacement: "graphql/index.js" }] },
}
const test = {
  // As the server does first: a test that begins with one type of the schema needs it too.
  setupFiles: ["reflect-metadata"],
  pool: "forks" as const,
  // Young objects are collected less often.
  execArgv: ["--max-semi-space-size=32"],
  // A worker keeps what it has imported: to load the server anew for each of 100 files costs more than their tests.
  // No test may change what another sees, then; those that change process.env or the clock set it back.
  isolate: false,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // A busy machine needs more than the second that is the default.
  expect: { poll: { timeout: 20_000 } },
}

export default defineConfig({
  ...project,
  test: {
    globalSetup: ["test/support/global-setup.ts"],
    // It tells each time that it is set up for tests.
    onConsoleLog: (text) => (text.includes("oidc-provider ") ? false : undefined),
    projects: [
      {
        ...project,
        test: { ...test, name: "suite", include: ["test/**/*.test.ts"], exclude: LONG, provide: { isWhole: false } },
      },
      { ...project, test: { ...test, name: "long", include: [...LONG, ...REPEATED], provide: { isWhole: true } } },
    ],
    // One more than the small machines that run it have cores: many tests wait for a clock, a browser or PostgreSQL.
    maxWorkers: 3,
    teardownTimeout: 30_000,
  },
})
