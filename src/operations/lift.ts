import {
  type ArgumentNode,
  type ASTNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  GraphQLScalarType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getNamedType,
  isNonNullType,
  Kind,
  type NamedTypeNode,
  type NameNode,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type ValueNode,
  type VariableDefinitionNode,
  type VariableNode,
  valueFromASTUntyped,
} from "graphql"
import { fragmentsOf } from "./limits.js"
import { limitedTypeOf } from "./standard-types.js"
import { coercionOf, type Values, type Violation } from "./variables.js"

/** An operation as engines run it: its values are beside it, and each name in it is the schema's or was made here. */
export type Lifted = {
  /** The operation with the fragments that it spreads. */
  readonly document: DocumentNode
  readonly node: OperationDefinitionNode
  /** Gives the values of the document's variables, one for each argument: out of what was read as declared, and as it was sent. */
  read(values: Values, sent: Readonly<Values>, report: (violation: Violation) => void): Values
  /** What is wrong with values that are written in the document. */
  readonly violations: readonly Violation[]
  /** What the client calls members of the result, by their names in the document. */
  readonly aliases: ReadonlyMap<string, string>
}

/** Gives an argument's value; undefined where it is left out. */
type Read = (values: Values, sent: Readonly<Values>, report: (violation: Violation) => void) => unknown

/** The type that lifted values have for engines: taken as they are. */
const COERCED = new GraphQLScalarType({ name: "CoercedAlready" })

/** The schema as engines see it: it knows one type more, by name, and lists it nowhere. */
export const schemaForLifted = (schema: GraphQLSchema): GraphQLSchema =>
  Object.assign(Object.create(schema) as GraphQLSchema, {
    getType: (name: string) => (name === COERCED.name ? COERCED : schema.getType(name)),
  })

const META_FIELDS = new Map(
  [SchemaMetaFieldDef, TypeMetaFieldDef, TypeNameMetaFieldDef].map((field) => [field.name, field]),
)
const CONDITIONS = [GraphQLSkipDirective, GraphQLIncludeDirective]

/**
 * Writes an operation of a valid document anew, out of the schema's names alone. A compiler pastes what it finds in a document
 * into the code that it makes; here it finds nothing that a client has written: values become variables, and aliases,
 * variables and fragments get names of ours. The only things taken over are places in the text and the booleans of conditions.
 * @param isOurs no client wrote it: it keeps its aliases, so that results need not be renamed
 */
export function lift(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  isOurs = false,
): Lifted {
  const sources = fragmentsOf(document)
  const fragments = new Map<string, { name: string; definition?: FragmentDefinitionNode }>()
  const aliases = new Map<string, string>()
  const reads: { name: string; read: Read }[] = []
  const definitions: VariableDefinitionNode[] = []
  const violations: Violation[] = []
  let mixesValues = false

  function variable(read: Read, type: VariableDefinitionNode["type"]): VariableNode {
    const name = `v${reads.length}`
    const node: VariableNode = { kind: Kind.VARIABLE, name: named(name) }
    reads.push({ name, read })
    definitions.push({ kind: Kind.VARIABLE_DEFINITION, variable: node, type })
    return node
  }

  function selectionSet({ selections }: SelectionSetNode, parent: GraphQLNamedType): SelectionSetNode {
    return {
      kind: Kind.SELECTION_SET,
      selections: selections.map((node) => {
        if (node.kind === Kind.FIELD) return field(node, parent)
        const directives = conditions(node.directives)
        if (node.kind === Kind.FRAGMENT_SPREAD)
          return { kind: Kind.FRAGMENT_SPREAD, name: named(fragment(node.name.value)), directives }
        const type = node.typeCondition ? typeNamed(node.typeCondition) : parent
        return {
          kind: Kind.INLINE_FRAGMENT,
          ...(node.typeCondition && { typeCondition: reference(type) }),
          directives,
          selectionSet: selectionSet(node.selectionSet, type),
        }
      }),
    }
  }

  function field(node: FieldNode, parent: GraphQLNamedType): FieldNode {
    const definition = definitionOf(parent, node.name.value)
    const alias = node.alias && node.alias.value !== definition.name ? aliasFor(node.alias.value) : undefined
    return {
      kind: Kind.FIELD,
      ...(alias !== undefined && { alias: named(alias) }),
      name: named(definition.name),
      arguments: definition.args.flatMap((argument) => argumentOf(argument, node)),
      directives: conditions(node.directives),
      ...(node.selectionSet && { selectionSet: selectionSet(node.selectionSet, getNamedType(definition.type)) }),
      ...(node.loc && { loc: node.loc }),
    }
  }

  function argumentOf(argument: GraphQLArgument, { arguments: given = [] }: FieldNode): ArgumentNode[] {
    const value = given.find(({ name }) => name.value === argument.name)?.value
    if (value === undefined) return []
    const read = readerOf(argument, value, violations)
    mixesValues ||= value.kind !== Kind.VARIABLE && hasVariable(value)
    return [{ kind: Kind.ARGUMENT, name: named(argument.name), value: variable(read, reference(COERCED)) }]
  }

  function conditions(directives: readonly DirectiveNode[] = []): DirectiveNode[] {
    return directives.flatMap((node) => {
      const directive = CONDITIONS.find(({ name }) => name === node.name.value)
      const [argument] = directive?.args ?? []
      const given = node.arguments?.find(({ name }) => name.value === argument?.name)?.value
      if (directive === undefined || argument === undefined || given === undefined) return []
      const value: ValueNode =
        given.kind === Kind.BOOLEAN
          ? { kind: Kind.BOOLEAN, value: given.value }
          : variable(readerOf(argument, given, violations), BOOLEAN)
      const name = named(argument.name)
      return [{ kind: Kind.DIRECTIVE, name: named(directive.name), arguments: [{ kind: Kind.ARGUMENT, name, value }] }]
    })
  }

  function aliasFor(alias: string): string {
    if (isOurs) return alias
    const known = aliases.get(alias)
    // No field of a schema is called so, that answers could be mixed up.
    const name = known ?? `_${aliases.size}`
    if (known === undefined) aliases.set(alias, name)
    return name
  }

  function fragment(spread: string): string {
    const known = fragments.get(spread)
    if (known) return known.name
    const lifted: { name: string; definition?: FragmentDefinitionNode } = { name: `f${fragments.size}` }
    fragments.set(spread, lifted)
    const source = sources.get(spread) as FragmentDefinitionNode
    const type = typeNamed(source.typeCondition)
    lifted.definition = {
      kind: Kind.FRAGMENT_DEFINITION,
      name: named(lifted.name),
      typeCondition: reference(type),
      selectionSet: selectionSet(source.selectionSet, type),
    }
    return lifted.name
  }

  const typeNamed = ({ name }: NamedTypeNode) => schema.getType(name.value) as GraphQLNamedType

  const root = schema.getRootType(operation.operation) as GraphQLNamedType
  const selected = selectionSet(operation.selectionSet, root)
  const node: OperationDefinitionNode = {
    kind: Kind.OPERATION_DEFINITION,
    operation: operation.operation,
    variableDefinitions: definitions,
    selectionSet: selected,
  }
  const spread = [...fragments.values()].flatMap(({ definition }) => definition ?? [])
  return {
    document: { kind: Kind.DOCUMENT, definitions: [node, ...spread] },
    node,
    read(values, sent, report) {
      const lifted: Values = {}
      const given = mixesValues ? withDefaults(operation, sent) : sent
      for (const { name, read } of reads) {
        const value = read(values, given, report)
        if (value !== undefined) lifted[name] = value
      }
      return lifted
    },
    violations,
    aliases: new Map([...aliases].map(([alias, name]) => [name, alias])),
  }
}

const named = (value: string): NameNode => ({ kind: Kind.NAME, value })
const reference = ({ name }: GraphQLNamedType): NamedTypeNode => ({ kind: Kind.NAMED_TYPE, name: named(name) })
const BOOLEAN = { kind: Kind.NON_NULL_TYPE, type: { kind: Kind.NAMED_TYPE, name: named("Boolean") } } as const

function definitionOf(parent: GraphQLNamedType, name: string): GraphQLField<unknown, unknown> {
  const fields = "getFields" in parent ? parent.getFields() : {}
  const definition = META_FIELDS.get(name) ?? (fields[name] as GraphQLField<unknown, unknown> | undefined)
  if (definition === undefined) throw new TypeError(`${parent.name} has no such field.`)
  return definition
}

/** How an argument's value is read. One that holds no variable is read here, once. */
function readerOf(argument: GraphQLArgument, node: ValueNode, violations: Violation[]): Read {
  const { name: field } = argument
  const limited = limitedTypeOf(argument)
  const coerce = coercionOf(limited)
  if (node.kind === Kind.VARIABLE) {
    const name = node.name.value
    const isRequired = isNonNullType(argument.type)
    const hasLimits = limited !== argument.type
    return (values, _, report) => {
      // A prepared document's variables fit; but null may be sent for one that has a default, or whose argument has.
      const value = Object.hasOwn(values, name) ? values[name] : undefined
      if (value === null && isRequired) report({ field, text: "required", kind: "missing" })
      return hasLimits && value != null ? coerce(value, field, report) : value
    }
  }
  if (hasVariable(node)) return (_, sent, report) => coerce(valueFromASTUntyped(node, sent), field, report)
  const value = coerce(valueFromASTUntyped(node), field, (violation) => void violations.push(violation))
  return () => value
}

/** What was sent, and defaults where nothing was. */
function withDefaults({ variableDefinitions = [] }: OperationDefinitionNode, sent: Readonly<Values>): Values {
  const given: Values = Object.create(null)
  for (const { variable, defaultValue } of variableDefinitions) {
    const name = variable.name.value
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined
    given[name] = value === undefined && defaultValue ? valueFromASTUntyped(defaultValue) : value
  }
  return given
}

/** Whether a value in a document holds a variable, be it deep inside. */
export function hasVariable(node: ASTNode): boolean {
  if (node.kind === Kind.LIST) return node.values.some(hasVariable)
  if (node.kind === Kind.OBJECT) return node.fields.some(({ value }) => hasVariable(value))
  return node.kind === Kind.VARIABLE
}
