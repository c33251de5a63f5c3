import { type GraphQLNamedType, isEnumType } from "graphql"
import { scalarSchemas } from "./scalar.schemas.js"

// One small household, so that the identifiers in all examples fit together.
const IDS: Readonly<Record<string, number>> = {
  User: 1,
  List: 12,
  Task: 345,
  Subtask: 678,
  Note: 81,
  Reminder: 82,
  TaskComment: 83,
  File: 84,
  Upload: 85,
  Folder: 21,
  Membership: 31,
  Setting: 41,
  Webhook: 51,
  Device: 61,
}

/** Whose identifier something has that is not a thing of its own. */
const SAME_AS: Readonly<Record<string, string>> = {
  Root: "User",
  ListPosition: "User",
  CommentAuthor: "User",
  TaskPosition: "List",
  TasksCount: "List",
  SubtaskPosition: "Task",
}

const PEOPLE = new Set(["createdById", "completedById", "ownerId", "assigneeId"])

const CURSOR = "NzczMTcwMzI4NTBlZTFmZS8vMTNoOjEzaDovNnMvbXgwZ25lOXk-DET1Nd__uXHHG3E1lSet9"

const WORDS: Readonly<Record<string, unknown>> = {
  "List.title": "Groceries",
  "Task.title": "Buy milk",
  "Subtask.title": "Ask for oat milk",
  "Folder.title": "Home",
  "TaskComment.text": "The shop on the corner has it",
  "TaskComment.read": true,
  "Note.content": "Semi-skimmed, two litres",
  "Setting.value": "en",
  "Membership.email": "bob@example.org",
  "Membership.userId": 2,
  "Membership.state": "accepted",
  "Webhook.configuration": "",
  "Root.cursor": CURSOR,
  "ChangePage.cursor": CURSOR,
  "ChangePage.after": CURSOR,
  "ChangePage.limit": 500,
  "ChangePage.hasMore": false,
  "ChangePage.full": false,
  "HistoryPage.cursor": "cmV2aXNpb246MTI",
  "HistoryPage.after": "cmV2aXNpb246MTI",
  "HistoryPage.limit": 50,
  "HistoryPage.hasMore": false,
  "Event.subjectType": "task",
  "Event.subjectId": 345,
  "Event.listId": 12,
  "Event.listRevision": 7,
  "Event.actorId": 1,
  "Event.requestId": "5f0c2b8e-4a51-4f6c-9d55-0d5a1f0e6a11",
  "Change.type": "task",
  "Change.id": 345,
  "Change.listId": 12,
  "Change.actorId": 1,
  "Change.requestId": "5f0c2b8e-4a51-4f6c-9d55-0d5a1f0e6a11",
  "Preview.url": "http://127.0.0.1:4000/previews/84/512?expires=1796000000&signature=5f2c",
  "Preview.size": "nonretina",
  "Upload.state": "new",
  "FinishUpload.state": "finished",
  "File.url": "http://127.0.0.1:4000/downloads/84?expires=1796000000&signature=5f2c",
  "UploadPart.url": "http://127.0.0.1:4000/storage/tandem/uploads/85?partNumber=1&uploadId=3f8e",
  "UploadPart.date": "Tue, 01 Dec 2026 09:30:00 GMT",
  "UploadPart.authorization": "AWS tandem:KqmIPGNn7h6vP5NqRi0Uo1a8Znc=",
  "CommentAuthor.avatar": "http://127.0.0.1:4000/api/v1/avatar?user_id=1",
  "TasksCount.completedCount": 4,
  "TasksCount.uncompletedCount": 3,
  "Position.values": [346, 345],
  "ListPosition.values": [13, 12],
  "TaskPosition.values": [346, 345],
  "SubtaskPosition.values": [679, 678],
  listIds: [12, 13],
  completedFrom: "2026-11-24T00:00:00.000Z",
  completedTo: "2026-12-01T23:59:59.999Z",
  listType: "list",
  ownerType: "user",
  membershipType: "Membership",
  createdByRequestId: "5f0c2b8e-4a51-4f6c-9d55-0d5a1f0e6a11",
  createdByDeviceUdid: "firefox-on-the-desk",
  revision: 3,
  date: "2026-12-24T08:00:00.000Z",
  owner: true,
  remove: ["due_date"],
  platform: "web_push",
  size: "retina",
  partNumber: 1,
}

/** The thing that an input or a revision is about: `Task` for `CreateTaskInput` and for `TaskRevision`. */
const subjectOf = (type: string): string =>
  type.replace(/^(?:Create|Update)(\w+)Input$/, "$1").replace(/(Input|Revision)$/, "")

const idOfType = (type: string): number => IDS[SAME_AS[type] ?? type] ?? 1

function idNamed(field: string, subject: string): number {
  if (field === "id") return idOfType(subject)
  if (PEOPLE.has(field)) return idOfType("User")
  const about = field.replace(/Id$/, "")
  return idOfType(about.charAt(0).toUpperCase() + about.slice(1))
}

/** A plausible value of a field or argument, the same at every build. `owner` is the type that has the field. */
export function exampleOf(owner: string, field: string, type: GraphQLNamedType, isList: boolean): unknown {
  const subject = subjectOf(owner)
  const word = WORDS[`${subject}.${field}`] ?? WORDS[field]
  if (word !== undefined) return word
  const value =
    type.name === "ID"
      ? idNamed(field, subject)
      : isEnumType(type)
        ? type.getValues()[0]?.name
        : scalarSchemas[type.name]?.example
  return isList ? [value] : value
}
