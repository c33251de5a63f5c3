import { deviceRoutes } from "../resources/device/device.routes.js"
import { fileRoutes } from "../resources/file/file.routes.js"
import { folderRoutes } from "../resources/folder/folder.routes.js"
import { listRoutes } from "../resources/list/list.routes.js"
import { membershipRoutes } from "../resources/membership/membership.routes.js"
import { noteRoutes } from "../resources/note/note.routes.js"
import { positionRoutes } from "../resources/position/position.routes.js"
import { previewRoutes } from "../resources/preview/preview.routes.js"
import { reminderRoutes } from "../resources/reminder/reminder.routes.js"
import { settingRoutes } from "../resources/setting/setting.routes.js"
import { subtaskRoutes } from "../resources/subtask/subtask.routes.js"
import { taskRoutes } from "../resources/task/task.routes.js"
import { taskCommentRoutes } from "../resources/task-comment/task-comment.routes.js"
import { uploadRoutes } from "../resources/upload/upload.routes.js"
import { userRoutes } from "../resources/user/user.routes.js"
import { webhookRoutes } from "../resources/webhook/webhook.routes.js"
import type { Route } from "./route.js"

/** Every row of the REST contract, below `/api/v1`. */
export const routes: readonly Route[] = [
  ...listRoutes,
  ...taskRoutes,
  ...subtaskRoutes,
  ...noteRoutes,
  ...reminderRoutes,
  ...taskCommentRoutes,
  ...fileRoutes,
  ...previewRoutes,
  ...uploadRoutes,
  ...userRoutes,
  ...membershipRoutes,
  ...folderRoutes,
  ...positionRoutes,
  ...settingRoutes,
  ...webhookRoutes,
  ...deviceRoutes,
]
