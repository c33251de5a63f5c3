import { get, patch, post, type Route } from "../../operations/route.js"

const UPLOAD = "id userId state __typename expiresAt part { url date authorization }"

/** §4 Uploads. */
export const uploadRoutes: readonly Route[] = [
  post("/uploads", `mutation ($input: CreateUploadInput!) { createUpload(input: $input) { ${UPLOAD} } }`),
  get(
    "/uploads/:id/parts",
    `query ($id: ID!, $partNumber: Int!, $md5sum: String) {
       uploadPart(uploadId: $id, partNumber: $partNumber, md5sum: $md5sum) { ${UPLOAD} } }`,
  ),
  patch("/uploads/:id", "mutation ($id: ID!) { finishUpload(id: $id) { id userId state __typename } }", {
    mustSay: { member: "state", value: "finished" },
    mayRefuseInWords: true,
  }),
]
