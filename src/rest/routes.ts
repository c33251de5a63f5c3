import { listRoutes } from "../resources/list/list.routes.js"
import { taskRoutes } from "../resources/task/task.routes.js"
import type { Route } from "./route.js"

/** Every row of the REST contract, below `/api/v1`. */
export const routes: readonly Route[] = [...listRoutes, ...taskRoutes]
