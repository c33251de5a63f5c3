import { registerEnumType } from "type-graphql"

/** In which order tasks come page by page; what has no value comes last either way. */
export enum TaskOrder {
  DUE_DATE_ASC = "DUE_DATE_ASC",
  DUE_DATE_DESC = "DUE_DATE_DESC",
  CREATED_AT_ASC = "CREATED_AT_ASC",
  CREATED_AT_DESC = "CREATED_AT_DESC",
  COMPLETED_AT_ASC = "COMPLETED_AT_ASC",
  COMPLETED_AT_DESC = "COMPLETED_AT_DESC",
  TITLE_ASC = "TITLE_ASC",
  TITLE_DESC = "TITLE_DESC",
  ID_ASC = "ID_ASC",
  ID_DESC = "ID_DESC",
}
registerEnumType(TaskOrder, {
  name: "TaskOrder",
  description: "In which order tasks come. Equal ones are by id; what has no value comes last either way.",
  valuesConfig: {
    DUE_DATE_ASC: { description: "What is due first comes first." },
    DUE_DATE_DESC: { description: "What is due last comes first." },
    CREATED_AT_ASC: { description: "The oldest come first." },
    CREATED_AT_DESC: { description: "The newest come first." },
    COMPLETED_AT_ASC: { description: "What was done first comes first." },
    COMPLETED_AT_DESC: { description: "What was done last comes first." },
    TITLE_ASC: { description: "From A to Z; upper and lower case are the same." },
    TITLE_DESC: { description: "From Z to A; upper and lower case are the same." },
    ID_ASC: { description: "By id ascending." },
    ID_DESC: { description: "By id descending." },
  },
})
