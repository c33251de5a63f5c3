import type { Response } from "express"
import type { Form } from "../../scalars/form.js"
import type { Html } from "./html.js"
import type { SignedIn, Visit } from "./visit.js"

/** What a page shows between the bar above and the line below. */
export type Content = {
  /** In the browser's title, and the page's heading. */
  readonly title: string
  readonly body: Html
  /** Narrow pages ask one thing; wide ones show what somebody has. */
  readonly isWide?: boolean
  /** It has its own heading, and takes the whole width. */
  readonly isApp?: boolean
  /** It fills the window, and what is around it does not scroll. */
  readonly isHome?: boolean
  /** What it loads: stylesheets and scripts of ours. */
  readonly head?: Html
  /** Whether scripts of ours run in it; then to which origins beside here they may connect and show pictures from. */
  readonly origins?: readonly string[]
  /** Where forms of this page may end up beside here, as a source of a content security policy. */
  readonly formTarget?: string
}

/** A page, or where to go instead. */
export type Reply =
  | { readonly content: Content; readonly status?: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly to: string; readonly status?: 302 | 303 }
  /** What is too much for memory. Rejects when it could not be written whole. */
  | { readonly write: (into: Response) => Promise<void>; readonly headers: Readonly<Record<string, string>> }

/** A page of the account, or something that a form of one does. */
export type Page<Who extends Visit = Visit> = {
  /** As Express matches it. */
  readonly path: string
  get?(visit: Who): Reply | Promise<Reply>
  /** The form's token has been checked. */
  post?(visit: Who, form: Form, file: Blob | undefined): Reply | Promise<Reply>
  /** Whether its address is proof enough, so that forms need no token of ours. */
  readonly provesItself?: boolean
  /** How large a form may be that holds a file; without it none may. */
  readonly fileFormLimitBytes?: number
}

/** A page for everybody. */
export type OpenPage = Page & { readonly isOpen: true }
/** A page for signed-in users; others are redirected to sign in first. */
export type ClosedPage = Page<SignedIn> & { readonly isOpen: false }

/** Declares a page for everybody. */
export const openPage = (page: Page): OpenPage => ({ ...page, isOpen: true })
/** Declares a page for signed-in users. */
export const closedPage = (page: Page<SignedIn>): ClosedPage => ({ ...page, isOpen: false })

/** A page, also with the status of a refusal. */
export const show = (content: Content, status = 200): Reply => ({ content, status })
/** Leads on after a form, so that reloading does not send it again. */
export const goTo = (to: string): Reply => ({ to, status: 303 })
