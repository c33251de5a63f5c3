import { get, type Route, rowsOf } from "../../operations/route.js"
import { settings } from "./setting.type.js"

/** The members that REST shows, in their order. */
export const SETTING = settings.members()

/** Settings; §4 leaves their routes open. */
export const settingRoutes: readonly Route[] = [
  get("/settings", `query { settings { ${SETTING} } }`),
  ...rowsOf("/settings", "setting", SETTING),
]
