import {
  type DefinitionNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  type InlineFragmentNode,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql"
import { isAtomic, MAX_ATOMIC_FIELDS } from "./atomic-directive.js"

/** How much one document may ask for, over every transport alike. Fragments count wherever they are spread. */
export const LIMITS = {
  /** Fields below each other, the leaf included; what lies inside of __schema and __type is not counted. */
  depth: 15,
  /** Of fields of one type: a client that reads every member of a union has some in each. */
  aliases: 50,
  directives: 50,
  /** Lexical tokens of the text; the parser stops at this one. */
  tokens: 4_000,
  rootFields: 30,
  /** Fields of one type that a selection set names once more. Merging them costs validation the square of their number. */
  repeats: 50,
  /** All fields. Fragments within fragments would grow to millions out of a few tokens. */
  fields: 2_000,
} as const

/** Many changes in one: each root field has its own name. */
const ATOMIC_LIMITS: Record<Counted, number> = {
  ...LIMITS,
  rootFields: MAX_ATOMIC_FIELDS,
  aliases: MAX_ATOMIC_FIELDS,
}

type Counted = Exclude<keyof typeof LIMITS, "tokens">
type Size = Record<Exclude<Counted, "aliases">, number> & { aliases: Map<Parent, number> }
type Parent = GraphQLNamedType | undefined

const NAMES: Record<Counted, string> = {
  depth: "levels of fields",
  aliases: "aliases",
  directives: "directives",
  rootFields: "root fields",
  repeats: "repeated fields",
  fields: "fields",
}

/** What a document of a client exceeds; empty when it may go on to validation. Takes no longer than the document is long,
 *  whatever its fragments would grow to. */
export function exceededLimits(schema: GraphQLSchema, document: DocumentNode): GraphQLError[] {
  const source = { schema, fragments: fragmentsOf(document), measured: new Map<string, Size>() }
  return document.definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return []
    const size = sizeOf(definition.selectionSet, schema.getRootType(definition.operation) ?? undefined, source)
    const directives = size.directives + directivesOf(definition)
    const limits = isAtomic(definition) ? ATOMIC_LIMITS : LIMITS
    return (Object.keys(NAMES) as Counted[]).flatMap((name) => {
      const found =
        name === "aliases" ? Math.max(0, ...size.aliases.values()) : name === "directives" ? directives : size[name]
      return found > limits[name] ? [tooMuch(found, NAMES[name], limits[name], definition)] : []
    })
  })
}

/** How many fields an operation selects, those of a fragment wherever it is spread. */
export const fieldsIn = (schema: GraphQLSchema, document: DocumentNode, node: OperationDefinitionNode): number =>
  sizeOf(node.selectionSet, schema.getRootType(node.operation) ?? undefined, {
    schema,
    fragments: fragmentsOf(document),
    measured: new Map(),
  }).fields

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

type Source = {
  schema: GraphQLSchema
  fragments: Map<string, FragmentDefinitionNode>
  measured: Map<string, Size>
}

const emptySize = (): Size => ({ depth: 0, aliases: new Map(), directives: 0, rootFields: 0, fields: 0, repeats: 0 })

function sizeOf({ selections }: SelectionSetNode, parent: Parent, source: Source): Size {
  const size = { ...emptySize(), repeats: repeatsIn(selections, parent, source) }
  for (const selection of selections) {
    size.directives += selection.directives?.length ?? 0
    if (selection.kind === Kind.FIELD) {
      const inside = selection.selectionSet && sizeOf(selection.selectionSet, typeOf(selection, parent), source)
      const isIntrospection = selection.name.value.startsWith("__")
      size.rootFields++
      size.fields++
      if (selection.alias) addAliases(size, parent, 1)
      if (inside) addInside(size, inside)
      size.depth = Math.max(size.depth, 1 + (isIntrospection ? 0 : (inside?.depth ?? 0)))
    } else {
      const inside =
        selection.kind === Kind.INLINE_FRAGMENT
          ? sizeOf(selection.selectionSet, conditionOf(selection, parent, source), source)
          : sizeOfFragment(selection.name.value, source)
      addInside(size, inside)
      size.rootFields += inside.rootFields
      size.depth = Math.max(size.depth, inside.depth)
    }
  }
  return size
}

function addInside(size: Size, inside: Size): void {
  size.fields += inside.fields
  size.directives += inside.directives
  size.repeats += inside.repeats
  for (const [parent, count] of inside.aliases) addAliases(size, parent, count)
}

const addAliases = ({ aliases }: Size, parent: Parent, count: number) =>
  void aliases.set(parent, (aliases.get(parent) ?? 0) + count)

/** The type of what a field holds; undefined for a field that is not there, which validation refuses. */
function typeOf({ name }: FieldNode, parent: Parent): Parent {
  const fields = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields() : undefined
  return fields && Object.hasOwn(fields, name.value) ? getNamedType(fields[name.value]?.type) : undefined
}

/** The type that a fragment is on. All that the schema does not have are one. */
const conditionOf = (
  { typeCondition }: InlineFragmentNode | FragmentDefinitionNode,
  parent: Parent,
  { schema }: Source,
): Parent => (typeCondition ? schema.getType(typeCondition.name.value) : parent)

function sizeOfFragment(name: string, source: Source): Size {
  const known = source.measured.get(name)
  if (known) return known
  // Stands in while the fragment is measured: one that spreads itself ends here, and validation refuses it.
  source.measured.set(name, emptySize())
  const fragment = source.fragments.get(name)
  if (!fragment) return emptySize()
  const size = sizeOf(fragment.selectionSet, conditionOf(fragment, undefined, source), source)
  size.directives += directivesOf(fragment)
  source.measured.set(name, size)
  return size
}

/** How many fields of this selection set, with its fragments spread once each, have a name that came before for their type. */
function repeatsIn(selections: readonly SelectionNode[], parent: Parent, source: Source): number {
  const names = new Map<Parent, Set<string>>()
  const spread = new Set<string>()
  let repeats = 0
  const stack = selections.map((selection): [SelectionNode, Parent] => [selection, parent])
  const push = (inner: SelectionSetNode, type: Parent) => {
    for (const selection of inner.selections) stack.push([selection, type])
  }
  for (let next = stack.pop(); next; next = stack.pop()) {
    const [selection, type] = next
    if (selection.kind === Kind.FIELD) {
      const name = (selection.alias ?? selection.name).value
      const known = names.get(type) ?? new Set()
      if (known.has(name)) repeats++
      names.set(type, known.add(name))
    } else if (selection.kind === Kind.INLINE_FRAGMENT)
      push(selection.selectionSet, conditionOf(selection, type, source))
    else if (!spread.has(selection.name.value)) {
      spread.add(selection.name.value)
      const fragment = source.fragments.get(selection.name.value)
      if (fragment) push(fragment.selectionSet, conditionOf(fragment, undefined, source))
    }
  }
  return repeats
}
