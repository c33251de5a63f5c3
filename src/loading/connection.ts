import { ArgsType, type ClassType, Field, Int, ObjectType } from "type-graphql"
import { InvalidFields } from "../errors.js"
import { idOf, ShortText } from "../scalars/scalars.js"
import type { Id } from "../statement.js"

/** The most items that one page of a connection holds. */
const MAX_PAGE = 100

/** Where a page of a connection ends. (Relay cursor connections) */
@ObjectType({ simpleResolvers: true, description: "Where a page of a connection ends." })
export class PageInfo {
  @Field(() => Boolean, { description: "Whether there are items after this page." })
  hasNextPage: boolean

  @Field(() => Boolean, {
    description: "Whether there are items before this page.",
  })
  hasPreviousPage: boolean

  @Field(() => String, { nullable: true, description: "The cursor of the first item." })
  startCursor?: string

  @Field(() => String, { nullable: true, description: "The cursor of the last item: `after` of the next page." })
  endCursor?: string
}

/** Which page of a connection: the first `first` items behind the cursor `after`. */
@ArgsType()
export class PageArgs {
  @Field(() => Int, { defaultValue: 50, description: "How many items the page holds: 1 to 100." })
  first: number

  @Field(() => ShortText, { nullable: true, description: "A cursor of an earlier page; the page starts after it." })
  after?: string | null
}

type Edge<Node> = { node: Node; cursor: string }

/** One page. `nodes` are those of `edges` without their cursors. */
export type Connection<Node> = { readonly edges: Edge<Node>[]; nodes: Node[]; pageInfo: PageInfo }

/** Makes the connection and edge types of an object type: `TaskConnection`, `TaskEdge`. `order` is the order of its items. */
export function connectionOf<Node extends object>(
  name: string,
  node: () => ClassType<Node>,
  order = "by id ascending",
): ClassType<Connection<Node>> {
  @ObjectType(`${name}Edge`, { simpleResolvers: true, description: "An item of a connection, with its cursor." })
  class EdgeType {
    @Field(node, { description: "The item." })
    node: Node

    @Field(() => String, { description: "The item's cursor: `after` of a page that starts after it." })
    cursor: string
  }

  @ObjectType(`${name}Connection`, { simpleResolvers: true, description: `A page of a collection, ${order}.` })
  class ConnectionType {
    @Field(() => [EdgeType], { description: "The items of the page with their cursors." })
    edges: EdgeType[]

    @Field(() => [node()], { description: "The items of the page." })
    nodes: Node[]

    @Field(() => PageInfo, { description: "Where the page ends." })
    pageInfo: PageInfo
  }

  return ConnectionType
}

const cursorOf = (id: Id): string => Buffer.from(`id:${id}`).toString("base64url")

/** Reads a page's arguments: the id it begins behind, "0" for the first page, and how many rows to ask for (one more than it holds). */
export function pageOf({ first, after }: PageArgs): { behind: Id; limit: number } {
  const limit = limitOf({ first })
  const behind = after == null ? "0" : idOf(/^id:(.*)$/.exec(Buffer.from(after, "base64url").toString())?.[1])
  if (after != null && behind === "0") throw new InvalidFields({ after: ["must be a cursor of an earlier page"] })
  return { behind, limit }
}

/** How many rows to ask for, one more than a page holds. @throws InvalidFields */
export function limitOf({ first }: Pick<PageArgs, "first">): number {
  if (first < 1 || first > MAX_PAGE) throw new InvalidFields({ first: [`must be 1 to ${MAX_PAGE}`] })
  return first + 1
}

/** Makes the page of rows that were asked for with {@link pageOf}. */
export const connect = <Node extends { id: Id }>(rows: readonly Node[], page: PageArgs): Connection<Node> =>
  connectRows(rows, { nodeOf: (node) => node, cursorOf: ({ id }) => cursorOf(id) }, page)

type Reading<Row, Node> = { nodeOf(row: Row): Node; cursorOf(row: Row): string }

/** Makes the page of rows of which one more was asked for than it holds. A cursor costs more than its item and is made when it is looked at. */
export function connectRows<Row, Node>(
  all: readonly Row[],
  { nodeOf, cursorOf }: Reading<Row, Node>,
  { first, after }: PageArgs,
): Connection<Node> {
  const rows = all.slice(0, first)
  const [start] = rows
  const end = rows.at(-1)
  return {
    nodes: rows.map(nodeOf),
    get edges() {
      return rows.map((row) => ({ node: nodeOf(row), cursor: cursorOf(row) }))
    },
    pageInfo: {
      hasNextPage: all.length > first,
      hasPreviousPage: after != null,
      startCursor: start && cursorOf(start),
      endCursor: end && cursorOf(end),
    },
  }
}
