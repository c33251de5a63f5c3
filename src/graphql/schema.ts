import "reflect-metadata"
import type { GraphQLSchema } from "graphql"
import { buildSchemaSync } from "type-graphql"
import { ListOfTask, ListResolver } from "../resources/list/list.resolver.js"
import { TaskResolver, TasksOfList } from "../resources/task/task.resolver.js"

/** Builds the one schema that every door runs. */
export const buildSchema = (): GraphQLSchema =>
  buildSchemaSync({
    resolvers: [ListResolver, ListOfTask, TaskResolver, TasksOfList],
    // Limits are scalars, so there is nothing left for class-validator.
    validate: false,
  })
