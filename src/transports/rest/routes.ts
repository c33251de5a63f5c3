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

/** The rows of one resource, and what it is for who reads about it first. */
export type ResourceRoutes = { readonly name: string; readonly about: string; readonly routes: readonly Route[] }

/** Every row of the REST contract, below `/api/v1`, by resource. */
export const resourceRoutes: readonly ResourceRoutes[] = [
  { name: "Lists", about: "A list holds tasks and is shared between its members.", routes: listRoutes },
  { name: "Tasks", about: "Something to do, held by a list.", routes: taskRoutes },
  { name: "Subtasks", about: "The steps of a task.", routes: subtaskRoutes },
  { name: "Notes", about: "Text beside a task.", routes: noteRoutes },
  {
    name: "Reminders",
    about: "When somebody wants to be told of a task. Nobody else sees it.",
    routes: reminderRoutes,
  },
  { name: "Comments", about: "What members say about a task.", routes: taskCommentRoutes },
  { name: "Files", about: "What is attached to a task, once its upload is finished.", routes: fileRoutes },
  { name: "Previews", about: "Thumbnails of pictures that are attached.", routes: previewRoutes },
  { name: "Uploads", about: "Bytes on their way into the store, part by part.", routes: uploadRoutes },
  { name: "Users", about: "Who asks, and the people he shares lists with.", routes: userRoutes },
  { name: "Memberships", about: "Who is in which list, and who is invited to it.", routes: membershipRoutes },
  { name: "Folders", about: "A user's own grouping of his lists. Nobody else sees it.", routes: folderRoutes },
  {
    name: "Positions",
    about: "The order of a user's lists, a list's tasks, a task's subtasks.",
    routes: positionRoutes,
  },
  { name: "Settings", about: "What a user's clients keep for him.", routes: settingRoutes },
  { name: "Webhooks", about: "Addresses that are told of every change in a list.", routes: webhookRoutes },
  { name: "Devices", about: "Where a user's reminders are pushed to.", routes: deviceRoutes },
]

/** The same rows in one table. */
export const routes: readonly Route[] = resourceRoutes.flatMap((resource) => resource.routes)
