import {
  type DefinitionNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql"

/** How much one document may ask for, at every door alike. Fragments count wherever they are spread. */
export const LIMITS = {
  /** Fields below each other, the leaf included; what lies inside of __schema and __type is not counted. */
  depth: 15,
  aliases: 50,
  directives: 50,
  /** Lexical tokens of the text; the parser stops at this one. */
  tokens: 4_000,
  rootFields: 30,
  /** Fields that a selection set names once more. Merging them costs validation the square of their number. */
  repeats: 50,
  /** All fields. Fragments within fragments would grow to millions out of a few tokens. */
  fields: 2_000,
} as const

type Size = Record<Exclude<keyof typeof LIMITS, "tokens">, number>

const NAMES: Record<keyof Size, string> = {
  depth: "levels of fields",
  aliases: "aliases",
  directives: "directives",
  rootFields: "root fields",
  repeats: "repeated fields",
  fields: "fields",
}

/** What a document of a client exceeds; empty when it may go on to validation. Takes no longer than the document is long,
 *  whatever its fragments would grow to. */
export function exceededLimits(document: DocumentNode): GraphQLError[] {
  const fragments = fragmentsOf(document)
  const measured = new Map<string, Size>()
  return document.definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return []
    const size = sizeOf(definition.selectionSet, fragments, measured)
    const directives = size.directives + directivesOf(definition)
    return (Object.keys(NAMES) as (keyof Size)[]).flatMap((name) => {
      const found = name === "directives" ? directives : size[name]
      return found > LIMITS[name] ? [tooMuch(found, NAMES[name], LIMITS[name], definition)] : []
    })
  })
}

/** The named fragments of a document. */
export const fragmentsOf = (document: DocumentNode): Map<string, FragmentDefinitionNode> =>
  new Map(
    document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  )

const tooMuch = (found: number, what: string, limit: number, node: OperationDefinitionNode) =>
  new GraphQLError(`The operation has ${found} ${what}; at most ${limit} are allowed.`, {
    nodes: node,
    extensions: { code: "GRAPHQL_VALIDATION_FAILED" },
  })

const directivesOf = (node: DefinitionNode): number => {
  const own = "directives" in node ? (node.directives?.length ?? 0) : 0
  if (node.kind !== Kind.OPERATION_DEFINITION) return own
  return (node.variableDefinitions ?? []).reduce((sum, { directives }) => sum + (directives?.length ?? 0), own)
}

function sizeOf(
  { selections }: SelectionSetNode,
  fragments: Map<string, FragmentDefinitionNode>,
  measured: Map<string, Size>,
): Size {
  const size: Size = {
    depth: 0,
    aliases: 0,
    directives: 0,
    rootFields: 0,
    fields: 0,
    repeats: repeatsIn(selections, fragments),
  }
  for (const selection of selections) {
    size.directives += selection.directives?.length ?? 0
    if (selection.kind === Kind.FIELD) {
      const inside = selection.selectionSet && sizeOf(selection.selectionSet, fragments, measured)
      const isIntrospection = selection.name.value.startsWith("__")
      size.rootFields++
      size.fields += 1 + (inside?.fields ?? 0)
      size.aliases += (selection.alias ? 1 : 0) + (inside?.aliases ?? 0)
      size.directives += inside?.directives ?? 0
      size.repeats += inside?.repeats ?? 0
      size.depth = Math.max(size.depth, 1 + (isIntrospection ? 0 : (inside?.depth ?? 0)))
    } else {
      const inside =
        selection.kind === Kind.INLINE_FRAGMENT
          ? sizeOf(selection.selectionSet, fragments, measured)
          : sizeOfFragment(selection.name.value, fragments, measured)
      size.rootFields += inside.rootFields
      size.fields += inside.fields
      size.aliases += inside.aliases
      size.directives += inside.directives
      size.repeats += inside.repeats
      size.depth = Math.max(size.depth, inside.depth)
    }
  }
  return size
}

function sizeOfFragment(
  name: string,
  fragments: Map<string, FragmentDefinitionNode>,
  measured: Map<string, Size>,
): Size {
  const known = measured.get(name)
  if (known) return known
  // Stands in while the fragment is measured: one that spreads itself ends here, and validation refuses it.
  const nothing = { depth: 0, aliases: 0, directives: 0, rootFields: 0, fields: 0, repeats: 0 }
  measured.set(name, nothing)
  const fragment = fragments.get(name)
  if (!fragment) return nothing
  const size = sizeOf(fragment.selectionSet, fragments, measured)
  size.directives += directivesOf(fragment)
  measured.set(name, size)
  return size
}

/** How many fields of this selection set, with its fragments spread once each, have a name that came before. */
function repeatsIn(selections: readonly SelectionNode[], fragments: Map<string, FragmentDefinitionNode>): number {
  const names = new Set<string>()
  const spread = new Set<string>()
  let fields = 0
  const stack = [...selections]
  for (let selection = stack.pop(); selection; selection = stack.pop()) {
    if (selection.kind === Kind.FIELD) {
      fields++
      names.add((selection.alias ?? selection.name).value)
    } else if (selection.kind === Kind.INLINE_FRAGMENT) stack.push(...selection.selectionSet.selections)
    else if (!spread.has(selection.name.value)) {
      spread.add(selection.name.value)
      stack.push(...(fragments.get(selection.name.value)?.selectionSet.selections ?? []))
    }
  }
  return fields - names.size
}
