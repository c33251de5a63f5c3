import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** The folder of the package, seen from `src/`, from `dist/` and in an installed package alike. */
export const packageRoot = folderWithManifest(dirname(fileURLToPath(import.meta.url)))

/** The version of the package, as `package.json` says. */
export const packageVersion = (
  JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string }
).version

function folderWithManifest(folder: string): string {
  return existsSync(join(folder, "package.json")) ? folder : folderWithManifest(dirname(folder))
}
