import type { Person } from "../support/make.js"

/** A copy of what somebody sees, kept by the rules of the guide. */
export type Copy = {
  /** Reads until no page follows. Gives the changes. */
  level(limit?: number): Promise<any[]>
  /** One page. Gives its body. */
  page(limit?: number): Promise<any>
  /** The objects of one kind by id, as they were shown. */
  all(type: string): any[]
  cursor: string | undefined
  /** How often something came again in the state that the copy had. */
  readonly again: string[]
}

const CHILDREN = ["subtask", "note", "reminder", "task_comment", "file", "subtask_position"]

/** Makes a copy that is empty. */
export function copyOf(person: Pick<Person, "get">): Copy {
  const objects = new Map<string, any>()
  const again: string[] = []
  const key = (type: string, id: unknown) => `${type}/${id}`
  let fresh: Set<string> | undefined

  function forget(type: string, id: number): void {
    const isOf = (kind: string, one: any) => kind === "task" && type === "list" && one.list_id === id
    const kindOf = (name: string) => name.split("/")[0] as string
    const tasks = new Set([...objects].filter(([name, one]) => isOf(kindOf(name), one)).map(([, one]) => one.id))
    if (type === "task") tasks.add(id)
    objects.delete(key(type, id))
    for (const [name, one] of objects) {
      const kind = kindOf(name)
      const isInTask = kind === "task" ? tasks.has(one.id) : CHILDREN.includes(kind) && tasks.has(one.task_id ?? one.id)
      const isInList = ["membership", "webhook", "task_position"].includes(kind) && one.list_id === id
      if (isInTask || (type === "list" && isInList)) objects.delete(name)
    }
    if (type !== "list") return
    // People who were known by that list alone. Everybody has an inbox, and so a membership of their own.
    const known = new Set(
      [...objects].flatMap(([, one]) => (one.type === "membership" && one.state === "accepted" ? one.user_id : [])),
    )
    for (const [name, one] of objects) if (one.type === "user" && !known.has(one.id)) objects.delete(name)
  }

  function take({ changes, full, has_more }: any): void {
    const seen = new Set<string>()
    if (full) fresh ??= new Set()
    for (const { type, id, operation, revision, data } of changes) {
      const name = key(type, id)
      if (seen.has(name)) throw new Error(`${name} is twice on a page`)
      seen.add(name)
      if (operation === "delete") {
        forget(type, id)
        continue
      }
      if (!full && objects.get(name)?.revision === revision) again.push(`${name}@${revision}`)
      objects.set(name, data)
      fresh?.add(name)
    }
    if (!full || has_more) return
    for (const name of [...objects.keys()]) if (!fresh?.has(name)) objects.delete(name)
    fresh = undefined
  }

  const copy: Copy = {
    cursor: undefined,
    again,
    async page(limit) {
      const query = new URLSearchParams()
      if (copy.cursor !== undefined) query.set("after", copy.cursor)
      if (limit !== undefined) query.set("limit", String(limit))
      const { status, body } = await person.get(`/changes?${query}`)
      if (status !== 200) throw Object.assign(new Error(JSON.stringify(body)), { status })
      take(body)
      copy.cursor = body.cursor
      return body
    },
    async level(limit) {
      const all: any[] = []
      for (;;) {
        const { changes, has_more } = await copy.page(limit)
        all.push(...changes)
        if (!has_more) return all
      }
    },
    all: (type) =>
      [...objects]
        .filter(([name]) => name.startsWith(`${type}/`))
        .map(([, one]) => one)
        .sort((one, other) => one.id - other.id),
  }
  return copy
}

/** What an account holds, by GETs of everything: for each kind its objects by id. Orders that were never set are left out. */
export async function everything(person: Pick<Person, "get">): Promise<Record<string, any[]>> {
  const get = async (path: string) => {
    const { status, body } = await person.get(path)
    if (status !== 200) throw new Error(`${path}: ${status}`)
    return body
  }
  const lists = await get("/lists")
  const memberships = await get("/memberships")
  const found: Record<string, any[]> = { list: lists, user: await get("/users") }
  const put = (type: string, more: any[]) => {
    found[type] = [...(found[type] ?? []), ...more]
  }
  for (const { id } of lists) {
    put("membership", await get(`/memberships?list_id=${id}`))
    if (memberships.find(({ list_id }: any) => list_id === id)?.state !== "accepted") {
      const known = new Set(found.user?.map((one) => one.id))
      put(
        "user",
        (await get(`/users?list_id=${id}`)).filter((one: any) => !known.has(one.id)),
      )
      continue
    }
    put("webhook", await get(`/webhooks?list_id=${id}`))
    put("task_position", await get(`/task_positions?list_id=${id}`))
    put("subtask_position", await get(`/subtask_positions?list_id=${id}`))
    for (const completed of [false, true]) put("task", await get(`/tasks?list_id=${id}&completed=${completed}`))
    for (const type of ["subtask", "note", "reminder", "task_comment", "file"])
      put(type, await get(`/${type}s?list_id=${id}`))
  }
  put("folder", await get("/folders"))
  put("setting", await get("/settings"))
  put("list_position", await get("/list_positions"))
  for (const type of ["task_position", "subtask_position", "list_position"])
    found[type] = (found[type] ?? []).filter(({ revision }) => revision > 1)
  for (const objects of Object.values(found)) objects.sort((one, other) => one.id - other.id)
  return found
}

/** The same of a copy. */
export const shown = (copy: Copy, kinds: Iterable<string>): Record<string, any[]> =>
  Object.fromEntries([...kinds].map((type) => [type, copy.all(type)]))

const without = (name: string, all: any[] = []) => all.map(({ [name]: _, ...one }) => one)
/** Revisions of users grow with settings and reminders, others' too, of which nothing is told. */
export const stable = (found: Record<string, any[]>) => ({ ...found, user: without("revision", found.user) })
