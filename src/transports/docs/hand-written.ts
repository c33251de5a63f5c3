import { PERSONAL_CLIENT_ID } from "../../access/writer.js"
import { MAX_STREAMS } from "../../events/carrier-limits.js"
import { AVATAR_SIZES } from "../../pictures/avatar.js"
import { SCOPES_IN_WORDS } from "../../scalars/scope.js"
import { EVENT_KINDS } from "../../scalars/webhook-scalars.js"
import { MAX_REQUESTS } from "../rest/batch-request.js"
import type { OpenApi } from "./document.js"
import said from "./openapi.yaml"
import type { Operation } from "./operation.js"
import { type ResponseName, refer, statusOf } from "./refusals.js"

/** What `${NAME}` stands for in openapi.yaml. */
const OWNED: Readonly<Record<string, unknown>> = {
  AVATAR_SIZES,
  AVATAR_SIZE_NAMES: [...AVATAR_SIZES.map(String), "original"],
  EVENT_KINDS,
  MAX_REQUESTS,
  MAX_STREAMS,
  PERSONAL_CLIENT_ID,
  SCOPES_IN_WORDS,
}

function owned(name: string): unknown {
  if (!(name in OWNED)) throw new Error(`openapi.yaml: nothing is called ${name}`)
  return OWNED[name]
}

/** A text with what it names: as it is when that is all that it says. */
function filled(text: string): unknown {
  const [, whole] = /^\$\{(\w+)\}$/.exec(text) ?? []
  return whole === undefined ? text.replaceAll(/\$\{(\w+)\}/g, (_, name) => String(owned(name))) : owned(whole)
}

type Answer = { readonly $ref: string } | { readonly description: string; readonly headers?: object }
type Written = Omit<Operation, "responses"> & {
  readonly responses: Readonly<Record<string, Answer>>
  readonly "x-refusals"?: readonly ResponseName[]
}

const ID = { "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" } }

function completed({ "x-refusals": refusals = [], ...operation }: Written) {
  const responses: Record<string, object> = {}
  for (const [status, answer] of Object.entries(operation.responses)) {
    if ("$ref" in answer) responses[status] = answer
    else {
      const { description, headers, ...rest } = answer
      responses[status] = { description, headers: { ...ID, ...headers }, ...rest }
    }
  }
  for (const name of refusals) responses[statusOf(name)] = refer(name)
  return { ...operation, responses } as Operation
}

type Document = Pick<OpenApi, "tags" | "webhooks" | "components"> & {
  readonly info: Omit<OpenApi["info"], "version">
  readonly paths: Readonly<Record<string, Readonly<Record<string, Written>>>>
}

/** The parts of the document that openapi.yaml says, completed by what the code owns. */
export function handWritten(): Document & Pick<OpenApi, "paths"> {
  const document: Document = JSON.parse(JSON.stringify(said), (_, value) =>
    typeof value === "string" ? filled(value) : value,
  )
  const paths = Object.entries(document.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, completed(operation)])),
  ])
  return { ...document, paths: Object.fromEntries(paths) }
}
