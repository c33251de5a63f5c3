import express, { type Router } from "express"
import { findPicture } from "../../accounts/picture.js"
import { NotFound } from "../../errors.js"
import { cache, FOR_EVER, sendCached } from "../http/cached.js"
import { getOnly } from "../http/get-only.js"
import { accessTokensPages } from "./access-tokens.page.js"
import { accountPages } from "./account.page.js"
import { administrationPages } from "./administration.page.js"
import { applicationsPages } from "./applications.page.js"
import { authorizationsPages } from "./authorizations.page.js"
import { consentPages } from "./consent.page.js"
import { dataPages } from "./data.page.js"
import { deleteAccountPages } from "./delete-account.page.js"
import { devMailsPages } from "./dev-mails.page.js"
import { devicesPages } from "./devices.page.js"
import { homeAssets } from "./home/assets.js"
import { installable } from "./home/install.js"
import { homePages } from "./home.page.js"
import { invitationLinksPages } from "./invitation-links.page.js"
import { FAVICON } from "./layout.js"
import { providerPages } from "./provider.page.js"
import { resetPasswordPages } from "./reset-password.page.js"
import { type PageParts, pageRouter } from "./router.js"
import { secondFactorPages } from "./second-factor.page.js"
import { sessionTokenPages } from "./session-token.js"
import { signInPages } from "./sign-in.page.js"
import { signInCodePages } from "./sign-in-code.page.js"
import { signUpPages } from "./sign-up.page.js"
import { STYLESHEET, stylesheetPath } from "./stylesheet.js"
import { unsubscribePages } from "./unsubscribe.page.js"
import { webhooksPages } from "./webhooks.page.js"

/** Every page for people, and what pages show. Mount it before what answers programs. */
export function pages(parts: PageParts): Router {
  const router = express.Router({ caseSensitive: true })
  const style = cache(() => STYLESHEET)
  router.get(stylesheetPath, (request, response) =>
    sendCached(request, response, style, { "Content-Type": "text/css; charset=utf-8", ...FOR_EVER }),
  )
  router.use(homeAssets)
  // The path at which a proxy shows the service, which is known by the first request.
  let install: Router | undefined
  router.use((request, response, next) => {
    install ??= installable((path) => new URL(parts.publicUrl()).pathname.replace(/\/$/, "") + path)
    install(request, response, next)
  })
  router.get("/favicon.svg", (_request, response) => {
    response.set({ "Content-Type": "image/svg+xml", "Cache-Control": "public, max-age=86400" }).end(FAVICON)
  })
  router.get("/pictures/:name", async (request, response) => {
    const picture = await findPicture(parts.database, request.params.name)
    if (picture === null) throw new NotFound()
    response.set({
      "Content-Type": picture.contentType,
      ...FOR_EVER,
      "Content-Security-Policy": "default-src 'none'; sandbox",
      "X-Content-Type-Options": "nosniff",
      "Cross-Origin-Resource-Policy": "cross-origin",
    })
    response.end(picture.content)
  })
  for (const path of [stylesheetPath, "/favicon.svg", "/pictures/:name"]) router.all(path, getOnly)
  router.use(
    pageRouter(parts, [
      ...homePages(parts),
      ...signInPages(parts),
      ...signInCodePages(parts),
      ...providerPages(parts),
      ...signUpPages(parts),
      ...resetPasswordPages(parts),
      ...unsubscribePages(parts),
      ...devMailsPages(parts),
      ...accountPages(parts),
      ...sessionTokenPages(parts),
      ...dataPages(parts),
      ...deleteAccountPages(parts),
      ...secondFactorPages(parts),
      ...invitationLinksPages(parts),
      ...devicesPages(parts),
      ...webhooksPages(parts),
      ...authorizationsPages(parts),
      ...accessTokensPages(parts),
      ...applicationsPages(parts),
      ...consentPages(parts),
      ...administrationPages(parts),
    ]),
  )
  return router
}
