import { get, patch, post, type Route, remove } from "../../operations/route.js"
import { settings } from "./setting.type.js"

/** The members that REST shows, in their order. */
export const SETTING = settings.members()

/** Settings; §4 leaves their routes open. */
export const settingRoutes: readonly Route[] = [
  get("/settings", `query { settings { ${SETTING} } }`),
  get("/settings/:id", `query ($id: ID!) { setting(id: $id) { ${SETTING} } }`),
  post("/settings", `mutation ($input: CreateSettingInput!) { createSetting(input: $input) { ${SETTING} } }`),
  patch(
    "/settings/:id",
    `mutation ($id: ID!, $input: UpdateSettingInput!) { updateSetting(id: $id, input: $input) { ${SETTING} } }`,
  ),
  remove("/settings/:id", "mutation ($id: ID!, $revision: Int!) { deleteSetting(id: $id, revision: $revision) }"),
]
