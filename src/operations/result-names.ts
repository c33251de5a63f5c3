import { type ExecutionResult, type FieldNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from "graphql"
import { copyError } from "./copy-error.js"
import type { Lifted } from "./lift.js"
import { fragmentsOf } from "./limits.js"

/** What the members of an object are called, and how it goes on below them where anything there has another name. */
type Names = ReadonlyMap<string, { readonly name: string; readonly below: Names | undefined }>

/** An object whose members may have any name, `__proto__` too. */
class Renamed {
  [name: string]: unknown
}
Object.setPrototypeOf(Renamed.prototype, null)

/** Gives results of a lifted operation the names that its client asked for; undefined where they have them already. */
export function restorerOf({
  document,
  node,
  aliases,
}: Lifted): ((result: ExecutionResult) => ExecutionResult) | undefined {
  if (aliases.size === 0) return undefined
  const names = namesBelow(fragmentsOf(document), aliases, [node.selectionSet])
  return ({ data, errors, ...rest }) => ({
    ...(errors && { errors: errors.map((error) => copyError(error, { path: error.path?.map(nameOf) })) }),
    data: renamed(data, names) as ExecutionResult["data"],
    ...rest,
  })

  function nameOf<Key extends string | number>(key: Key): Key | string {
    return aliases.get(key as string) ?? key
  }
}

function renamed(value: unknown, names: Names | undefined): unknown {
  if (names === undefined || typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((entry) => renamed(entry, names))
  const object = new Renamed()
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key]
    const known = names.get(key)
    object[known?.name ?? key] = renamed(member, known?.below)
  }
  return object
}

function namesBelow(
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  aliases: Lifted["aliases"],
  sets: readonly SelectionSetNode[],
): Names | undefined {
  const fields = new Map<string, FieldNode[]>()
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value
        fields.set(key, [...(fields.get(key) ?? []), node])
      } else if (node.kind === Kind.INLINE_FRAGMENT) collect(node.selectionSet)
      else {
        const fragment = fragments.get(node.name.value)
        if (fragment) collect(fragment.selectionSet)
      }
    }
  }
  sets.forEach(collect)
  const names = new Map(
    [...fields].map(([key, nodes]) => {
      const below = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
      const name = aliases.get(key) ?? key
      return [key, { name, below: below.length > 0 ? namesBelow(fragments, aliases, below) : undefined }]
    }),
  )
  const isChanged = [...names].some(([key, { name, below }]) => name !== key || below !== undefined)
  return isChanged ? names : undefined
}
