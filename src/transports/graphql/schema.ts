import "reflect-metadata"
import { type GraphQLObjectType, type GraphQLSchema, isObjectType, isUnionType } from "graphql"
import { buildSchemaSync } from "type-graphql"
import { describeNeeds } from "../../access/describe-needs.js"
import { ChangesResolver } from "../../changes/changes.resolver.js"
import { HistoryOfList, HistoryOfTask, HistoryResolver } from "../../changes/history.resolver.js"
import { EventResolver } from "../../events/event.resolver.js"
import { withAtomic } from "../../operations/atomic-directive.js"
import { showStandardTypes } from "../../operations/standard-types.js"
import {
  AccessOfViewer,
  AccessResolver,
  ApplicationResolver,
} from "../../resources/application/application.resolver.js"
import { CalendarFeedResolver, CalendarFeedsOfViewer } from "../../resources/calendar-feed/calendar-feed.resolver.js"
import { DeviceResolver } from "../../resources/device/device.resolver.js"
import { FileResolver, FilesOfTask } from "../../resources/file/file.resolver.js"
import { FolderOfList, FolderResolver } from "../../resources/folder/folder.resolver.js"
import {
  ListOfMembership,
  ListOfTask,
  ListOfWebhook,
  ListResolver,
  ListsOfUser,
} from "../../resources/list/list.resolver.js"
import { MembershipResolver, MembershipsOfList } from "../../resources/membership/membership.resolver.js"
import { NoteResolver, NotesOfTask } from "../../resources/note/note.resolver.js"
import {
  ListPositionResolver,
  PositionOfList,
  PositionOfTask,
  SubtaskPositionResolver,
  TaskPositionResolver,
} from "../../resources/position/position.resolver.js"
import { PreviewResolver } from "../../resources/preview/preview.resolver.js"
import { ReminderResolver, RemindersOfTask } from "../../resources/reminder/reminder.resolver.js"
import { SettingResolver } from "../../resources/setting/setting.resolver.js"
import { SubtaskResolver, SubtasksOfTask } from "../../resources/subtask/subtask.resolver.js"
import { TaskResolver, TasksOfList } from "../../resources/task/task.resolver.js"
import { TaskFindResolver } from "../../resources/task/task-find.resolver.js"
import {
  TaskOfComment,
  TaskOfFile,
  TaskOfNote,
  TaskOfReminder,
  TaskOfSubtask,
} from "../../resources/task/task-of-child.resolver.js"
import { CommentsOfTask, TaskCommentResolver } from "../../resources/task-comment/task-comment.resolver.js"
import { UploadResolver } from "../../resources/upload/upload.resolver.js"
import {
  MakerOfNote,
  MakerOfSubtask,
  MakerOfTaskComment,
  MakerOfWebhook,
  PeopleOfList,
  PeopleOfTask,
  UserOfMembership,
} from "../../resources/user/people.resolver.js"
import { UsageOfViewer } from "../../resources/user/usage.resolver.js"
import { UserResolver } from "../../resources/user/user.resolver.js"
import { WebhookResolver, WebhooksOfList } from "../../resources/webhook/webhook.resolver.js"
import { DeliveriesOfWebhook, WebhookDeliveryResolver } from "../../resources/webhook/webhook-delivery.resolver.js"

/** Builds the one schema that every transport runs. */
export function buildSchema(): GraphQLSchema {
  const schema = buildSchemaSync({
    resolvers: [
      ListResolver,
      ListOfTask,
      ListOfMembership,
      ListOfWebhook,
      ListsOfUser,
      TaskResolver,
      TasksOfList,
      TaskFindResolver,
      TaskOfSubtask,
      TaskOfNote,
      TaskOfReminder,
      TaskOfComment,
      SubtaskResolver,
      SubtasksOfTask,
      NoteResolver,
      NotesOfTask,
      ReminderResolver,
      RemindersOfTask,
      TaskCommentResolver,
      CommentsOfTask,
      FileResolver,
      FilesOfTask,
      TaskOfFile,
      PreviewResolver,
      UploadResolver,
      UserResolver,
      UsageOfViewer,
      AccessOfViewer,
      CalendarFeedResolver,
      CalendarFeedsOfViewer,
      ApplicationResolver,
      AccessResolver,
      PeopleOfList,
      PeopleOfTask,
      UserOfMembership,
      MakerOfSubtask,
      MakerOfNote,
      MakerOfTaskComment,
      MakerOfWebhook,
      MembershipResolver,
      MembershipsOfList,
      FolderResolver,
      FolderOfList,
      ListPositionResolver,
      TaskPositionResolver,
      SubtaskPositionResolver,
      PositionOfList,
      PositionOfTask,
      SettingResolver,
      WebhookResolver,
      WebhooksOfList,
      WebhookDeliveryResolver,
      DeliveriesOfWebhook,
      DeviceResolver,
      EventResolver,
      ChangesResolver,
      HistoryResolver,
      HistoryOfList,
      HistoryOfTask,
    ],
    // The first document that is validated checks the schema too; type-graphql would introspect all of it at each start.
    skipCheck: true,
    // Limits are scalars, so there is nothing left for class-validator.
    validate: false,
    // Asked for and not used: the WebSocket transport opens subscriptions itself.
    pubSub: { publish() {}, subscribe: () => (async function* () {})() },
  })
  // What a subscription answers is the event itself, or what it is about. type-graphql would await the arguments first, for each event.
  for (const field of Object.values(schema.getSubscriptionType()?.getFields() ?? {}))
    field.resolve = field.extensions.ofSubject ? (event) => event.subject : (event) => event
  // What was read ahead is there already, and is not asked for again.
  for (const type of Object.values(schema.getTypeMap())) if (isObjectType(type)) answerWhatWasReadAhead(type)
  // What is one of several types says so by its __typename. type-graphql would ask asynchronously, and graphql-jit does not wait.
  for (const type of Object.values(schema.getTypeMap())) if (isUnionType(type)) type.resolveType = undefined
  describeNeeds(schema)
  return withAtomic(showStandardTypes(schema))
}

function answerWhatWasReadAhead(type: GraphQLObjectType): void {
  for (const field of Object.values(type.getFields())) {
    const { name, resolve, extensions } = field
    if (extensions.readAhead !== undefined && resolve !== undefined)
      field.resolve = (parent, args, context, info) => parent[name] ?? resolve(parent, args, context, info)
  }
}
