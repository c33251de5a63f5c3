import type { Id } from "../statement.js"

/** A method of the REST contract. PUT stands for PATCH everywhere, so no row names it. */
export type Method = "GET" | "POST" | "PATCH" | "DELETE"

/** One row of §4: a method and path, and the GraphQL operation that answers it. */
export type Route = {
  readonly method: Method
  /** Below `/api/v1`, with `:id` for the only parameter in a path. */
  readonly path: string
  /**
   * One operation with one root field. Its variables are the parameters, in camelCase: `$id` comes from the path, `$input`
   * from the body, all others from the query; a DELETE takes its revision from the query or the body.
   */
  readonly document: string
  /** The status of success for a client of the specification, and of the retired service where it differs. */
  readonly status: number
  readonly wunderlistStatus: number
  /** What else the two dialects answer differently. */
  readonly options: RouteOptions
}

/** What an answer is known by when nothing that it shows changes without a revision. */
export type Revised = { readonly id: Id; readonly revision: number }

/** What a row may need beyond its document. */
export type RouteOptions = {
  /** The specification shows the created resource in an array; the retired service did not (§4 Reminders). */
  readonly inArray?: boolean
  /** A string is accepted for the revision of a DELETE (§4 Folders). */
  readonly revisionMayBeString?: boolean
  /** A bad request and a stale revision are refused in the words of §7 (§4 Files). */
  readonly refusesInWords?: boolean
  /** Members that the body must hold, where the operation in GraphQL can do without (§4 Webhooks). */
  readonly requires?: readonly string[]
  /** A member that the body must hold with this value, where the operation in GraphQL says it by its name (§4 Uploads). */
  readonly mustSay?: { readonly member: string; readonly value: string }
  /** What is asked for may be refused in those words too, beside the errors of every row (§4 Uploads). */
  readonly mayRefuseInWords?: boolean
  /** When a viewer who can see the object is refused with 403; for the documents. */
  readonly forbidden?: string
  /**
   * Nothing that it shows changes without revisions, so that its ETag is made of ids and revisions alone: of those of its rows,
   * or of those that this gives.
   */
  readonly knownByRevisions?: true | ((value: never) => readonly Revised[])
  /** Each answer is another one, so that nobody keeps it. */
  readonly isNeverKept?: boolean
  /** What a client may want to wait for the end of, by `Prefer: wait=` (RFC 7240), rather than be told it. */
  readonly waitsWhile?: (value: never) => boolean
  /** Texts that stand for values in the query, by the variable: other texts are refused, unless it takes identifiers. */
  readonly words?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** A parameter that it does not know is refused, where other rows ignore it. */
  readonly refusesUnknown?: boolean
  /** It answers with what is in a page of a connection, and with a link to the next page. */
  readonly isPage?: boolean
  /** The document for clients of the retired service, where it is another one. */
  readonly wunderlistDocument?: string
}

type RowOptions = RouteOptions & { readonly status?: number; readonly wunderlistStatus?: number }

const row =
  (method: Method, success: number) =>
  (
    path: string,
    document: string,
    { status = success, wunderlistStatus = status, ...options }: RowOptions = {},
  ): Route => ({
    method,
    path,
    document,
    status,
    wunderlistStatus,
    options,
  })

/** A row that reads; 200. */
export const get = row("GET", 200)
/** A row that makes something; 201. */
export const post = row("POST", 201)
/** A row that changes something; 200. */
export const patch = row("PATCH", 200)
/** A row that deletes; 204 without a body. */
export const remove = row("DELETE", 204)

/** The rows that read, make, change and delete one object, whose root fields are named after it; with what some need beyond. */
export function rowsOf(
  path: string,
  name: string,
  members: string,
  options: { readonly [Verb in "post" | "patch" | "remove"]?: RowOptions } = {},
): readonly Route[] {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
  const make = `mutation ($input: Create${type}Input!) { create${type}(input: $input) { ${members} } }`
  const change = `mutation ($id: ID!, $input: Update${type}Input!) { update${type}(id: $id, input: $input) { ${members} } }`
  return [
    get(`${path}/:id`, `query ($id: ID!) { ${name}(id: $id) { ${members} } }`),
    post(path, make, options.post),
    patch(`${path}/:id`, change, options.patch),
    remove(
      `${path}/:id`,
      `mutation ($id: ID!, $revision: Int!) { delete${type}(id: $id, revision: $revision) }`,
      options.remove,
    ),
  ]
}
