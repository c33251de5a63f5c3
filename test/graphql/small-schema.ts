import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfigMap,
  GraphQLFloat,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
} from "graphql"
import { InvalidFields, NotFound, Unavailable } from "../../src/errors.js"
import { showStandardTypes } from "../../src/operations/standard-types.js"
import { PreviewWidth } from "../../src/scalars/file-scalars.js"
import { DateOnly, ID, ShortText, Title } from "../../src/scalars/scalars.js"

/** What a resolver of the small schema finds in its context. */
export type SmallContext = {
  viewer?: unknown
  /** The names of the mutations and preconditions that ran, in their order. */
  ran: string[]
}

type Fields = GraphQLFieldConfigMap<unknown, SmallContext>

const required = GraphQLNonNull
const listOf = (type: GraphQLObjectType | GraphQLInterfaceType | GraphQLUnionType) =>
  new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)))

const tasks = Array.from({ length: 3 }, (_, index) => ({
  __typename: "Task",
  id: String(index + 1),
  title: `Task ${index + 1}`,
  starred: index === 1,
  size: index === 0 ? "small" : "large",
  dueDate: index === 2 ? null : "2024-02-29",
}))

const Size = new GraphQLEnumType({ name: "Size", values: { SMALL: { value: "small" }, LARGE: { value: "large" } } })

/** Takes whatever is written or sent. */
const Anything = new GraphQLScalarType({ name: "Anything" })

const Named = new GraphQLInterfaceType({
  name: "Named",
  fields: { id: { type: new required(ID) } },
  resolveType: (value: { __typename: string }) => value.__typename,
})

const Task: GraphQLObjectType = new GraphQLObjectType<unknown, SmallContext>({
  name: "Task",
  interfaces: [Named],
  fields: (): Fields => ({
    id: { type: new required(ID) },
    title: { type: new required(Title) },
    starred: { type: new required(GraphQLBoolean) },
    size: { type: Size },
    dueDate: { type: DateOnly },
    list: { type: new required(List), resolve: async () => list },
    late: { type: GraphQLString, resolve: async () => "late" },
    said: { type: GraphQLString, args: { any: { type: Anything } }, resolve: async (_, { any }) => written(any) },
    broken: { type: GraphQLString, resolve: () => fail("a secret of the database") },
    missing: { type: new required(GraphQLString), resolve: async () => Promise.reject(new NotFound()) },
  }),
})

const list = { __typename: "List", id: "7", title: "Groceries" }
const List: GraphQLObjectType = new GraphQLObjectType<unknown, SmallContext>({
  name: "List",
  interfaces: [Named],
  fields: (): Fields => ({
    id: { type: new required(ID) },
    title: { type: new required(GraphQLString) },
    tasks: {
      type: listOf(Task),
      args: { sizes: { type: new GraphQLList(new required(Size)) }, starred: { type: GraphQLBoolean } },
      resolve: async (_, { sizes }) => tasks.filter(({ size }) => !sizes || sizes.includes(size)),
    },
    taskConnection: {
      type: new required(TaskConnection),
      args: { first: { type: GraphQLInt, defaultValue: 50 } },
      resolve: () => ({ nodes: tasks }),
    },
  }),
})

const TaskConnection = new GraphQLObjectType({ name: "TaskConnection", fields: { nodes: { type: listOf(Task) } } })

const Found = new GraphQLUnionType({ name: "Found", types: [Task, List] })

const Repeat = new GraphQLInputObjectType({
  name: "Repeat",
  fields: { every: { type: new required(GraphQLInt) }, size: { type: Size, defaultValue: "small" } },
})

const TaskInput: GraphQLInputObjectType = new GraphQLInputObjectType({
  name: "TaskInput",
  fields: () => ({
    listId: { type: new required(ID) },
    title: { type: new required(Title) },
    starred: { type: GraphQLBoolean },
    dueDate: { type: DateOnly },
    revision: { type: GraphQLInt },
    weight: { type: GraphQLFloat },
    remark: { type: GraphQLString },
    labels: { type: new GraphQLList(new required(GraphQLString)) },
    repeat: { type: Repeat },
    size: { type: Size },
    any: { type: Anything },
  }),
})

const fail = (text: string): never => {
  throw new Error(text)
}

const Query = new GraphQLObjectType<unknown, SmallContext>({
  name: "Query",
  fields: (): Fields => ({
    task: {
      type: new required(Task),
      args: { id: { type: new required(ID) } },
      resolve: (_, { id }) => ({ ...tasks[0], id }),
    },
    list: { type: List, args: { id: { type: ID } }, resolve: async () => list },
    lists: { type: listOf(List), resolve: () => [list, list] },
    named: { type: listOf(Named), resolve: () => [tasks[0], list] },
    found: { type: listOf(Found), resolve: async () => [list, tasks[1]] },
    maybe: { type: new GraphQLList(Task), resolve: () => [tasks[0], new Error("one of them"), null] },
    gone: { type: GraphQLString, resolve: () => Promise.reject(new Unavailable()) },
    page: {
      type: GraphQLInt,
      args: { first: { type: new required(GraphQLInt), defaultValue: 50 } },
      resolve: (_, { first }) => first,
    },
    picture: {
      type: GraphQLString,
      args: {
        width: { type: new required(PreviewWidth), defaultValue: 512 },
        name: { type: ShortText },
        tags: { type: new GraphQLList(new required(ShortText)) },
      },
      resolve: (_, args) => written(args),
    },
    numbers: {
      type: GraphQLString,
      args: { of: { type: new GraphQLList(new required(GraphQLInt)) } },
      resolve: (_, args) => written(args),
    },
    nothing: { type: new required(GraphQLString), resolve: () => null },
    echo: {
      type: GraphQLString,
      args: {
        text: { type: GraphQLString },
        input: { type: TaskInput },
        tags: { type: new GraphQLList(GraphQLString) },
        count: { type: GraphQLInt, defaultValue: 3 },
        any: { type: Anything },
      },
      resolve: (_, args) => written(args),
    },
  }),
})

/** What does not depend on the order of members. */
const written = (value: unknown) => JSON.stringify(value, Object.keys(flat(value)).sort())

/** The names of all members, so that what is written does not depend on their order. */
const flat = (value: unknown): Record<string, true> =>
  typeof value !== "object" || value === null
    ? {}
    : Object.assign({}, ...Object.entries(value).map(([name, inner]) => ({ [name]: true, ...flat(inner) })))

const Mutation = new GraphQLObjectType<unknown, SmallContext>({
  name: "Mutation",
  fields: (): Fields => ({
    updateTask: {
      type: new required(Task),
      args: { id: { type: new required(ID) }, input: { type: new required(TaskInput) } },
      resolve: (_, { id, input }, { ran }) => {
        ran.push(`updateTask ${written(input)}`)
        return { ...tasks[0], id, ...input }
      },
      extensions: {
        precondition: async ({ ran }: SmallContext, { id, input }: { id: string; input?: { listId?: string } }) => {
          ran.push(`precondition ${id} ${input?.listId}`)
          if (id === "404") throw new NotFound()
        },
      },
    },
    fail: {
      type: new required(GraphQLBoolean),
      resolve: (_source, _args, { ran }) => {
        ran.push("fail")
        throw new InvalidFields({ recurrenceCount: ["must be given together with recurrence_type"] })
      },
    },
    say: { type: GraphQLString, args: { any: { type: Anything } }, resolve: (_, { any }) => written(any) },
    count: {
      type: new required(GraphQLInt),
      resolve: async (_source, _args, { ran }) => ran.push("count"),
    },
  }),
})

const Subscription = new GraphQLObjectType<unknown, SmallContext>({
  name: "Subscription",
  fields: (): Fields => ({
    taskCreated: { type: new required(Task), args: { listId: { type: new required(ID) } }, resolve: (event) => event },
    said: { type: GraphQLString, args: { any: { type: Anything } }, resolve: (_, { any }) => written(any) },
  }),
})

/** A schema with one of each kind of thing, for tests of what runs schemas. */
export const smallSchema = showStandardTypes(
  new GraphQLSchema({ query: Query, mutation: Mutation, subscription: Subscription }),
)
