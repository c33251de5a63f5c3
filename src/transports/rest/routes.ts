import { changesRoutes } from "../../changes/changes.routes.js"
import type { Route } from "../../operations/route.js"
import { deviceRoutes } from "../../resources/device/device.routes.js"
import { fileRoutes } from "../../resources/file/file.routes.js"
import { folderRoutes } from "../../resources/folder/folder.routes.js"
import { listRoutes } from "../../resources/list/list.routes.js"
import { membershipRoutes } from "../../resources/membership/membership.routes.js"
import { noteRoutes } from "../../resources/note/note.routes.js"
import { positionRoutes } from "../../resources/position/position.routes.js"
import { previewRoutes } from "../../resources/preview/preview.routes.js"
import { reminderRoutes } from "../../resources/reminder/reminder.routes.js"
import { settingRoutes } from "../../resources/setting/setting.routes.js"
import { subtaskRoutes } from "../../resources/subtask/subtask.routes.js"
import { taskRoutes } from "../../resources/task/task.routes.js"
import { taskCommentRoutes } from "../../resources/task-comment/task-comment.routes.js"
import { uploadRoutes } from "../../resources/upload/upload.routes.js"
import { userRoutes } from "../../resources/user/user.routes.js"
import { webhookRoutes } from "../../resources/webhook/webhook.routes.js"

/** The rows of one resource, and what it is for new readers. */
export type ResourceRoutes = { readonly name: string; readonly about: string; readonly routes: readonly Route[] }

/** Every row of the REST contract, below `/api/v1`, by resource. */
export const resourceRoutes: readonly ResourceRoutes[] = [
  { name: "Lists", about: "A list contains tasks and is shared between its members.", routes: listRoutes },
  { name: "Tasks", about: "Something to do, in a list.", routes: taskRoutes },
  { name: "Subtasks", about: "The steps of a task.", routes: subtaskRoutes },
  { name: "Notes", about: "Texts attached to a task.", routes: noteRoutes },
  {
    name: "Reminders",
    about: "When a user wants to be reminded of a task. Nobody else sees it.",
    routes: reminderRoutes,
  },
  { name: "Comments", about: "Comments on a task.", routes: taskCommentRoutes },
  { name: "Files", about: "Files attached to a task, once their upload is finished.", routes: fileRoutes },
  { name: "Previews", about: "Thumbnails of attached pictures.", routes: previewRoutes },
  { name: "Uploads", about: "Files on their way into the store, part by part.", routes: uploadRoutes },
  { name: "Users", about: "The current user, and the people they share lists with.", routes: userRoutes },
  { name: "Memberships", about: "The members of lists, and invitations.", routes: membershipRoutes },
  { name: "Folders", about: "A user's own groups of lists. Nobody else sees them.", routes: folderRoutes },
  {
    name: "Positions",
    about: "The order of a user's lists, a list's tasks, a task's subtasks.",
    routes: positionRoutes,
  },
  { name: "Settings", about: "Values that a user's clients store.", routes: settingRoutes },
  {
    name: "Changes",
    about: "Everything since a cursor, for clients that keep a copy of what they see.",
    routes: changesRoutes,
  },
  { name: "Webhooks", about: "Addresses that are notified of every change in a list.", routes: webhookRoutes },
  { name: "Devices", about: "The devices that a user's reminders are pushed to.", routes: deviceRoutes },
]

/** The same rows in one table. */
export const routes: readonly Route[] = resourceRoutes.flatMap((resource) => resource.routes)
