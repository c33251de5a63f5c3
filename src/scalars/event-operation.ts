import { registerEnumType } from "type-graphql"

/** What happened to a row. */
export enum EventOperation {
  CREATE = "CREATE",
  UPDATE = "UPDATE",
  DELETE = "DELETE",
}
registerEnumType(EventOperation, {
  name: "EventOperation",
  description: "What happened to the object.",
  valuesConfig: {
    CREATE: { description: "It was created, or moved into this list." },
    UPDATE: { description: "It was changed." },
    DELETE: { description: "It was deleted with everything in it, or moved out of this list." },
  },
})
