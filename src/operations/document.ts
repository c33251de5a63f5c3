import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  OverlappingFieldsCanBeMergedRule,
  parse,
  specifiedRules,
  ValuesOfCorrectTypeRule,
  validate,
} from "graphql"
import { BadRequest } from "../errors.js"
import { copyError } from "./copy-error.js"
import { exceededLimits, LIMITS } from "./limits.js"
import { literalViolations } from "./literals.js"
import { mistyped } from "./refusal.js"

/** A text that is no document, breaks a limit or does not fit the schema. Nothing of it was run. */
export class InvalidDocument extends Error {
  constructor(readonly errors: readonly GraphQLError[]) {
    super(errors.map(({ message }) => message).join("\n"))
  }
}

/** What a document may hold beside the limits, which are always on. */
export type DocumentRules = {
  /** Whether clients may ask for the schema. */
  introspection: boolean
  /** Whether errors say "Did you mean": good for people, but it tells the schema to those who may not ask for it. */
  suggestions: boolean
}

/** Parses a text; a document that ends within the limit of tokens. @throws InvalidDocument */
export function parseDocument(source: string): DocumentNode {
  try {
    return parse(source, { maxTokens: LIMITS.tokens })
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    throw new InvalidDocument([withCode(error, "GRAPHQL_PARSE_FAILED")])
  }
}

/** The operation of this name; without one, the only operation. @throws InvalidDocument */
export function operationIn(document: DocumentNode, name: string | undefined): OperationDefinitionNode {
  const node = getOperationAST(document, name)
  if (node) return node
  const text = name
    ? `There is no operation named "${name}".`
    : "Name the operation: the document holds none, or several."
  throw new InvalidDocument([new GraphQLError(text, { extensions: { code: "OPERATION_RESOLUTION_FAILURE" } })])
}

/**
 * Checks a client's document, what is cheap first, so that what breaks a limit never reaches a expensive rule. Values in it
 * that are only outside of their limits pass: lifting the operation finds them.
 * @throws InvalidDocument
 */
export function validateDocument(schema: GraphQLSchema, document: DocumentNode, rules: DocumentRules): void {
  const exceeded = exceededLimits(schema, document)
  if (exceeded.length > 0) throw new InvalidDocument(exceeded)
  const options = { maxErrors: MAX_ERRORS, hideSuggestions: !rules.suggestions }
  const linear = rules.introspection ? LINEAR_RULES : [...LINEAR_RULES, NoSchemaIntrospectionCustomRule]
  const errors = validate(schema, document, linear, options)
  if (errors.length > 0) {
    const violations = literalViolations(schema, document)
    const problem = mistyped(violations)
    if (problem) throw new InvalidDocument([problem])
    const ofValues = validate(schema, document, [ValuesOfCorrectTypeRule], options)
    // Errors beside the values themselves: those come first, because nothing can be said of such a document.
    if (violations.length === 0 || errors.length > Math.min(ofValues.length, MAX_ERRORS))
      throw new InvalidDocument(errors.map(asValidationError))
  }
  const overlapping = validate(schema, document, [OverlappingFieldsCanBeMergedRule], options)
  if (overlapping.length > 0) throw new InvalidDocument(overlapping.map(asValidationError))
}

/** Checks a document of our own, which no limit holds. @throws InvalidDocument */
export function validateOwnDocument(schema: GraphQLSchema, document: DocumentNode): void {
  const errors = validate(schema, document)
  if (errors.length > 0) throw new InvalidDocument(errors.map(asValidationError))
}

const MAX_ERRORS = 10

// The rule that is left out compares fields in pairs, so it runs alone and last.
const LINEAR_RULES = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule)

const asValidationError = (error: GraphQLError) => withCode(error, "GRAPHQL_VALIDATION_FAILED")

const withCode = (error: GraphQLError, code: string) => copyError(error, { extensions: { code } })

/** The error for variables that are not an object. */
export const variablesAreNoObject = () => new BadRequest("`variables` must be an object.")
