import { get, type Route } from "../../operations/route.js"

/** Thumbnails; §4 leaves their route open. */
export const previewRoutes: readonly Route[] = [
  get(
    "/previews",
    `query ($fileId: ID!, $platform: String, $size: String) {
       preview(fileId: $fileId, platform: $platform, size: $size) { url size expiresAt __typename } }`,
    { mayRefuseInWords: true },
  ),
]
