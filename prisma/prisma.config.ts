import { fileURLToPath } from "node:url"
import { defineConfig } from "prisma/config"

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

// Prisma would fetch a native engine at its first use, even to generate a client. Naming a file that exists keeps every
// command offline; the commands that need an engine run this one, which is the same engine compiled to WebAssembly.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= here("./schema-engine.mjs")
process.env.PRISMA_HIDE_UPDATE_MESSAGE ??= "1"
process.env.CHECKPOINT_DISABLE ??= "1"

export default defineConfig({
  schema: here("./schema.prisma"),
  migrations: { path: here("./migrations") },
  // `generate`, `validate` and `format` need none; `migrate` says so when there is none.
  datasource: { url: process.env.DATABASE_URL ?? "" },
})
