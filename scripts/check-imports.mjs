// Holds src/ to .dependency-cruiser.cjs. The tool alone would pass when it could read nothing at all.
import { createRequire } from "node:module"
import { cruise } from "dependency-cruiser"
import extractTSConfig from "dependency-cruiser/config-utl/extract-ts-config"

const { options, ...ruleSet } = createRequire(import.meta.url)("../.dependency-cruiser.cjs")
const { enhancedResolveOptions: resolve, ...cruiseOptions } = options
const { output } = await cruise(["src"], { ...cruiseOptions, ruleSet, validate: true }, resolve, {
  tsConfig: extractTSConfig(options.tsConfig.fileName),
})
const { violations, totalCruised, totalDependenciesCruised } = output.summary
for (const { from, to, rule, cycle } of violations)
  console.error(`${from} → ${cycle?.map((step) => step.name).join(" → ") ?? to}: ${rule.name}`)
console.log(
  `imports: ${totalCruised} modules, ${totalDependenciesCruised} imports, ${violations.length} refused, longest chain ${longestChain()} modules`,
)

/** How many modules of ours stand one behind the other at most; object types name each other in circles, so a module counts once. */
function longestChain() {
  const importsOf = new Map(
    output.modules.map(({ source, dependencies }) => [source, dependencies.map(({ resolved }) => resolved)]),
  )
  const depths = new Map()
  const depthOf = (source) => {
    if (!/^src\/(?!generated\/)/.test(source)) return 0
    if (!depths.has(source)) {
      depths.set(source, 0)
      depths.set(source, 1 + Math.max(0, ...(importsOf.get(source) ?? []).map(depthOf)))
    }
    return depths.get(source)
  }
  return Math.max(...[...importsOf.keys()].map(depthOf))
}

if (totalCruised === 0 || totalDependenciesCruised === 0 || violations.length > 0) process.exitCode = 1
