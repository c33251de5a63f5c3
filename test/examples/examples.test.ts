import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { codeFor, type Member, makeApplication, makeMember } from "../support/account.js"
import { buildServer } from "../support/built-server.js"
import { createClient } from "../support/client.js"
import { makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { dayIn, NOON_ZONE } from "../support/noon.js"
import { startProxy } from "../support/proxy.js"
import { type HookNode, startHookNode } from "../webhooks/hooks.js"
import { blocksOf, jsonIn, shapeOf, startSession } from "./readme.js"

const root = fileURLToPath(new URL("../..", import.meta.url))
const examples = join(root, "examples")
const SOON = { timeout: 40_000, interval: 60 }

let node: HookNode
let ann: Person
/** Below node_modules, so that what is copied here finds the packages. */
let workshop: string
let folder: string
const children = new Set<ChildProcess>()

beforeAll(async () => {
  buildServer() // for `tandem-gateway/client`
  mkdirSync(join(root, "node_modules/.cache"), { recursive: true })
  workshop = mkdtempSync(join(root, "node_modules/.cache/examples-"))
  writeFileSync(join(workshop, "package.json"), '{"type":"module"}')
  const compilerOptions = { target: "ES2022", lib: ["ES2022"], module: "NodeNext", types: ["node"], strict: true }
  const options = { ...compilerOptions, noEmit: true, skipLibCheck: true }
  writeFileSync(join(workshop, "tsconfig.json"), JSON.stringify({ compilerOptions: options }))
  for (const name of ["typescript-rest", "typescript-graphql"])
    cpSync(join(examples, name), join(workshop, name), { recursive: true })
  folder = mkdtempSync(join(tmpdir(), "tandem-examples-"))
  node = await startHookNode()
  ann = await makePerson(node)
})
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL")
  await node.stop()
  for (const made of [workshop, folder]) rmSync(made, { recursive: true, force: true })
})

type Run = { child: ChildProcessWithoutNullStreams; out(): string; err(): string; ended: Promise<number | null> }

/** Starts a program with what an example reads from its environment. */
function start(
  command: string,
  args: readonly string[],
  more: NodeJS.ProcessEnv = {},
  cwd = folder,
  detached = false,
): Run {
  const { clientId: CLIENT_ID, token: TOKEN } = ann.credentials
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, TANDEM_URL: node.url, CLIENT_ID, TOKEN, ...more }
  const child = spawn(command, args, { cwd, env, detached })
  children.add(child)
  let [out, err] = ["", ""]
  child.stdout.setEncoding("utf8").on("data", (text) => {
    out += text
  })
  child.stderr.setEncoding("utf8").on("data", (text) => {
    err += text
  })
  const ended = once(child, "close").then(([code]) => {
    children.delete(child)
    return code as number | null
  })
  return { child, out: () => out, err: () => err, ended }
}

/** A line such as "task: 3" with one more, of what a list with a task has. */
const oneMore = (line: string): string =>
  line.replace(/^(list|membership|task): (\d+)$/, (_, kind, count) => `${kind}: ${Number(count) + 1}`)

/** Runs a program to its end, and gives the lines that it prints. @throws when it fails */
async function linesOf(
  command: string,
  args: readonly string[],
  cwd?: string,
  more?: NodeJS.ProcessEnv,
): Promise<string[]> {
  const run = start(command, args, more, cwd)
  const code = await run.ended
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}:\n${run.out()}${run.err()}`)
  return run.out().trim().split("\n")
}

/** Has a tool make the types of a typed example, then runs it without them: `tsc` looks at both below. */
async function runTyped(name: string, makeTypes: (place: string) => Promise<unknown>): Promise<string[]> {
  const place = join(workshop, name)
  await makeTypes(place)
  const { outputText } = ts.transpileModule(readFileSync(join(place, "tasks.ts"), "utf8"), {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  })
  writeFileSync(join(place, "tasks.mjs"), outputText)
  return linesOf(process.execPath, ["tasks.mjs"], place)
}

let toolsLeft = 2
let toolsDone = () => {}
const typesAreMade = new Promise<void>((resolve) => {
  toolsDone = () => void (--toolsLeft === 0 && resolve())
})

const bin = (path: string) => join(root, "node_modules", path)
const save = async (path: string, to: string) => {
  const response = await fetch(node.url + path)
  expect([path, response.status]).toEqual([path, 200])
  writeFileSync(to, await response.text())
}

describe.concurrent("the examples run as they stand, and print what they say", { timeout: 120_000 }, () => {
  it("curl", async ({ expect }) => {
    const lines = await linesOf("sh", [join(examples, "curl/first-calls.sh")])
    const statuses = lines.filter((line) => /^\d{3}$/.test(line))
    expect(statuses).toEqual(["200", "200", "409", "200", "201", "204"])
    expect(lines.find((line) => line.startsWith("["))).toContain('"title":"Buy milk"')
    expect(lines.find((line) => line.includes("revision_conflict"))).toBeDefined()
    expect(lines.find((line) => line.includes('"file_name":"list.txt"'))).toBeDefined()
  })

  it("find", async ({ expect }) => {
    // Whose account nobody else changes meanwhile.
    const gil = await makePerson(node, "Gil")
    const { clientId: CLIENT_ID, token: TOKEN } = gil.credentials
    const inbox = { id: gil.inboxId }
    const make = (title: string, members: object) => makeTask(gil, inbox, { title, ...members })
    await make("today", { due_date: dayIn(0) })
    await make("in a week", { due_date: dayIn(7) })
    await make("late", { due_date: dayIn(-1), starred: true })
    await make("mine", { assignee_id: gil.id, due_date: dayIn(6) })
    await make("done", { completed: true })
    for (let count = 0; count < 55; count++) await make(`Crème brûlée ${count}`, {})
    const run = start("sh", [join(examples, "find/smart-lists.sh"), "CRÈME BRÛLÉE"], {
      CLIENT_ID,
      TOKEN,
      TZ: NOON_ZONE,
    })
    expect([await run.ended, run.err()]).toEqual([0, ""])
    const found = run
      .out()
      .split(/^# /m)
      .slice(1)
      .map((part) => part.trim().split("\n"))
      .map(([name, ...pages]) => [name, pages.map((page) => JSON.parse(page).map(({ title }: any) => title))] as const)
    const pages = Object.fromEntries(found)
    expect(pages).toMatchObject({
      Today: [["today"]],
      "This week": [["today", "mine"]],
      Overdue: [["late"]],
      Starred: [["late"]],
      "Assigned to me": [["mine"]],
      "Completed in the last seven days": [["done"]],
    })
    for (const name of ["Without a date", "CRÈME BRÛLÉE"])
      expect(pages[name]?.map((page: string[]) => page.length)).toEqual([50, 5])
    const stranger = start("sh", [join(examples, "find/smart-lists.sh")], { TOKEN: "none" })
    expect(await stranger.ended).not.toBe(0)
    expect(stranger.out()).toContain('"unauthorized"')
  })

  it("batch", async ({ expect }) => {
    const lines = await linesOf("sh", [join(examples, "batch/change-many.sh")])
    expect(lines.filter((line) => /^\d{3}$/.test(line))).toEqual(["200", "200", "409", "200"])
    const answers = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line)) as any[]
    const statuses = ({ responses }: any) => responses.map(({ id, status }: any) => `${id} ${status}`)
    expect(statuses(answers[0])).toEqual(["a 201", "b 201", "c 201", "d 201", "e 201"])
    expect(statuses(answers[1])).toEqual(["move 200", "complete 200", "delete 204"])
    expect(answers[2].error).toMatchObject({ type: "conflict", request: "stale" })
    expect(statuses(answers[3])).toEqual(["star 200", "stale 409", "note 424"])
    const [, later, lemons] = answers[0].responses.map(({ body }: any) => body)
    expect((await ann.get(`/tasks/${lemons.id}`)).body).toMatchObject({ list_id: later.id, starred: true })
  })

  it("typescript-rest", async ({ expect }) => {
    const lines = await runTyped("typescript-rest", async (place) => {
      await save("/docs/openapi.json", join(place, "openapi.json"))
      const tool = bin("openapi-typescript/bin/cli.js")
      await linesOf(process.execPath, [tool, "openapi.json", "-o", "api.d.ts"], place).finally(toolsDone)
    })
    expect(lines[0]).toMatch(/^completed at revision \d+$/)
    expect(lines.slice(1).join("")).toMatch(/title: 'Buy milk',\s*starred: true,\s*completed_at: '\d{4}-/)
  })

  it("typescript-graphql", async ({ expect }) => {
    const lines = await runTyped("typescript-graphql", async (place) => {
      await save("/schema.graphql", join(place, "schema.graphql"))
      await linesOf(process.execPath, [bin("gql.tada/bin/cli.js"), "generate-output"], place).finally(toolsDone)
    })
    expect(lines).toEqual(["Groceries of Ann: 2 to do", "- Buy milk by 2031-05-01", "- Buy bread"])
  })

  it("hold against the types that the tools make of the service's own documents", async () => {
    await typesAreMade
    await linesOf(process.execPath, [bin("typescript/bin/tsc"), "-p", workshop])
  })

  it("python", async ({ expect }) => {
    const lines = await linesOf("python3", [join(examples, "python/tasks.py")])
    expect(lines[0]).toMatch(/^Buy butter was done at \d{4}-\d\d-\d\dT/)
    expect(lines.slice(1)).toEqual(["- Buy milk", "- Buy bread", expect.stringMatching(/^422 \['must not be blank/)])
  })

  it("sync.sh and sync.py: everything, then what has changed since", async ({ expect }) => {
    // Whose account nobody else changes meanwhile.
    const eve = await makePerson(node, "Eve")
    const { clientId: CLIENT_ID, token: TOKEN } = eve.credentials
    const shell = () => linesOf("sh", [join(examples, "sync/sync.sh")], folder, { CLIENT_ID, TOKEN })
    const python = () => linesOf("python3", [join(examples, "sync/sync.py")], folder, { CLIENT_ID, TOKEN })
    const parsed = (lines: string[]) => lines.map((line) => JSON.parse(line)) as any[]
    await makeTask(eve, { id: eve.inboxId })
    const [first] = parsed(await shell())
    expect([first.full, first.has_more]).toEqual([true, false])
    const [count, ...kinds] = await python()
    expect(count).toBe(`${first.changes.length} changes`)
    const list = await makeList(eve)
    const task = await makeTask(eve, list)
    const [next] = parsed(await shell())
    expect(next.changes.map(({ type, id }: any) => `${type} ${id}`)).toContain(`task ${task.id}`)
    expect(await python()).toEqual([`${next.changes.length} changes`, ...kinds.map(oneMore)])
    await eve.delete(`/lists/${list.id}?revision=${(await eve.get(`/lists/${list.id}`)).body.revision}`)
    expect(await python()).toEqual(["1 changes", ...kinds])
    expect(parsed(await shell())[0].changes).toMatchObject([{ type: "list", operation: "delete" }])
  })

  it("sync/events.sh: each change once, over a cut and over an end, and not without a token", async ({ expect }) => {
    const fay = await makePerson(node, "Fay")
    const { clientId: CLIENT_ID, token: TOKEN } = fay.credentials
    const proxy = await startProxy(node.url)
    const file = join(folder, "event-id")
    const list = await makeList(fay)
    const follow = (more: NodeJS.ProcessEnv = {}) => {
      const env = { CLIENT_ID, TOKEN, TANDEM_URL: proxy.url.replace(/\/$/, ""), ...more }
      const run = start("sh", [join(examples, "sync/events.sh"), file, String(list.id)], env, folder, true)
      // The shell waits for its curl, and both end together as they do at a terminal.
      const stop = () => process.kill(-(run.child.pid as number), "SIGTERM")
      const lines = () => run.out().split("\n").filter(Boolean)
      const titles = () => lines().flatMap((line) => JSON.parse(line).data?.title ?? [])
      return { ...run, stop, titles: () => titles().filter((title: string) => title !== list.title) }
    }
    const first = follow()
    let probes = 0
    await expect
      .poll(
        async () => first.titles().length > 0 || (await makeTask(fay, list, { title: `probe ${probes++}` })) === 0,
        {
          ...SOON,
          interval: 400,
        },
      )
      .toBe(true)
    await makeTask(fay, list, { title: "before the cut" })
    await expect.poll(() => first.titles().at(-1), SOON).toBe("before the cut")
    await expect.poll(() => readFileSync(file, "utf8"), SOON).toMatch(/^[\w-]+$/)
    await proxy.cut()
    await expect.poll(first.err, SOON).toContain("going on where it was")
    for (const title of ["during", "during too"]) await makeTask(fay, list, { title })
    await proxy.restore()
    await expect.poll(() => first.titles().slice(-3), SOON).toEqual(["before the cut", "during", "during too"])
    first.stop()
    await first.ended
    await makeTask(fay, list, { title: "while it did not run" })
    const second = follow()
    await expect.poll(() => second.titles(), SOON).toEqual(["while it did not run"])
    second.stop()
    await second.ended
    const stranger = follow({ TOKEN: "x" })
    expect([await stranger.ended, stranger.err()]).toEqual([1, expect.stringContaining('"unauthorized"')])
    writeFileSync(file, "no-cursor")
    const lost = follow()
    expect(await lost.ended).toBe(1)
    await proxy.stop()
  })

  it("subscription: every revision once, over a cut and over a restart", async ({ expect }) => {
    const list = await makeList(ann)
    const proxy = await startProxy(node.url)
    const place = join(folder, "place.json")
    const follow = () =>
      start(process.execPath, [join(examples, "subscription/follow-list.mjs"), String(list.id), place], {
        TANDEM_URL: proxy.url.replace(/\/$/, ""),
      })
    const seen = (run: Run) =>
      run
        .out()
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line).title)
    const first = follow()
    await expect.poll(first.err, SOON).toContain("connected")
    // It has subscribed once it shows something.
    let probes = 0
    await expect
      .poll(async () => seen(first).length > 0 || (await makeTask(ann, list, { title: `probe ${probes++}` })) === 0, {
        ...SOON,
        interval: 200,
      })
      .toBe(true)
    await makeTask(ann, list, { title: "before the cut" })
    await expect.poll(() => seen(first).at(-1), SOON).toBe("before the cut")
    await proxy.cut()
    await expect.poll(first.err, SOON).toContain("cut:")
    for (const title of ["during", "during too"]) await makeTask(ann, list, { title })
    await proxy.restore()
    await makeTask(ann, list, { title: "after" })
    await expect.poll(() => seen(first).slice(-4), SOON).toEqual(["before the cut", "during", "during too", "after"])
    first.child.kill("SIGTERM")
    await first.ended
    await makeTask(ann, list, { title: "while it did not run" })
    const second = follow()
    await expect.poll(() => seen(second), SOON).toEqual(["while it did not run"])
    const revisions = [first, second].flatMap((run) =>
      run
        .out()
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line).listRevision),
    )
    expect(revisions).toEqual(revisions.map((_, index) => revisions[0] + index))
    second.child.kill("SIGTERM")
    await second.ended
    await proxy.stop()
  })

  it("offline: shows at once, keeps what was done through a cut and an end, and sends it once", async ({ expect }) => {
    const list = await makeList(ann)
    const proxy = await startProxy(node.url)
    const file = join(folder, "offline.json")
    const work = () =>
      start(process.execPath, [join(examples, "offline/work-offline.mjs"), String(list.id), file], {
        TANDEM_URL: proxy.url.replace(/\/$/, ""),
      })
    const titles = async () => (await ann.get(`/tasks?list_id=${list.id}`)).body.map(({ title }: any) => title)
    const first = work()
    await expect.poll(first.out, SOON).toContain("(online)")
    first.child.stdin.write("Buy milk\n")
    await expect.poll(titles, SOON).toEqual(["Buy milk"])
    await proxy.cut()
    first.child.stdin.write("Buy bread\n")
    await expect.poll(first.out, SOON).toContain("… Buy bread")
    await expect.poll(first.out, SOON).toContain("(offline)")
    first.child.stdin.end()
    expect([await first.ended, await titles()]).toEqual([0, ["Buy milk"]])
    await proxy.restore()
    const second = work()
    await expect.poll(titles, SOON).toEqual(["Buy milk", "Buy bread"])
    await expect.poll(second.out, SOON).toContain("- Buy milk\n- Buy bread")
    second.child.stdin.end()
    await second.ended
    await proxy.stop()
  })

  it("webhook-receiver: takes what is signed, once, and nothing else", async ({ expect }) => {
    const list = await makeList(ann)
    const port = await freePort()
    const address = `http://127.0.0.1:${port}/`
    const args = [join(examples, "webhook-receiver/receive.mjs"), String(list.id), address]
    const run = start(process.execPath, args, { PORT: String(port) })
    await expect.poll(run.err, SOON).toContain(`receiving at ${address}`)
    await makeTask(ann, list, { title: "Buy milk" })
    const events = () =>
      run
        .out()
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    await expect.poll(() => events().at(-1)?.after?.title, SOON).toBe("Buy milk")
    const forged = await fetch(address, {
      method: "POST",
      headers: {
        "webhook-id": "msg_1",
        "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
        "webhook-signature": "v1,AAAA",
      },
      body: "{}",
    })
    expect(forged.status).toBe(401)
    await expect.poll(run.err, SOON).toContain("refused:")
    run.child.kill("SIGTERM")
    expect(await run.ended).toBe(0)
    expect((await ann.get(`/webhooks?list_id=${list.id}`)).body).toEqual([])
  })
})

describe("the blocks of the README, pasted one after the other into one shell", { timeout: 120_000 }, () => {
  const readme = readFileSync(join(root, "README.md"), "utf8")

  it("run as they stand, and answer what is shown", async ({ expect }) => {
    const place = mkdtempSync(join(root, "node_modules/.cache/readme-"))
    // Built by now, and not looked at again by each line that calls it.
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    const cli = scripts.cli.replace(/^.*&& /, "").replaceAll("dist/", `${root}dist/`)
    writeFileSync(join(place, "package.json"), JSON.stringify({ type: "module", scripts: { cli } }))
    const here = new URL(node.url).host
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: node.databaseUrl, NODE_ENV: "test" }
    const session = startSession(place, env)
    const ran: string[] = []
    let listId = ""

    for (const block of blocksOf(readme)) {
      if (block.notRun !== undefined || !["sh", "js"].includes(block.language)) continue
      const text = block.text.replaceAll("127.0.0.1:4000", here)
      const name = `README.md:${block.line}`
      if (block.language === "js") {
        const path = join(place, block.savedAs ?? "unnamed.mjs")
        writeFileSync(path, text)
        const { output } = await session.paste('echo "$CLIENT_ID $TOKEN"')
        const [CLIENT_ID = "", TOKEN = ""] = output.trim().split(" ")
        const program = start(process.execPath, [path], { CLIENT_ID, TOKEN, LIST_ID: listId }, place)
        const client = createClient(node.url, { clientId: CLIENT_ID, token: TOKEN })
        const change = () => client.post("/tasks", { list_id: Number(listId), title: "Buy milk" })
        await expect
          .poll(async () => (await change()) && program.out() + program.err(), { ...SOON, interval: 250 })
          .toContain("subjectType: 'task'")
        program.child.kill("SIGTERM")
        await program.ended
        const stranger = start(process.execPath, [path], { CLIENT_ID, TOKEN: `${TOKEN}x`, LIST_ID: listId }, place)
        expect(await stranger.ended).toBe(1)
        expect(stranger.err()).toMatch(/^The subscription has ended: .+ \(4403\)\n$/)
      } else {
        if (text.includes("$CODE")) await session.paste(await consentFor(await makeMember(node)))
        const { status, output } = await session.paste(text)
        expect({ name, status, output }).toMatchObject({ name, status: 0 })
        const answers = jsonIn(output)
        const shown = [block.answer, ...[...text.matchAll(/# +(\{.*\})$/gm)].map(([, json]) => json)]
        for (const one of shown)
          if (one !== undefined)
            expect({ name, answers: answers.map(shapeOf) }).toMatchObject({
              answers: expect.arrayContaining([shapeOf(JSON.parse(one))]),
            })
        for (const one of answers) expect({ name, one }).not.toHaveProperty("one.error")
        for (const one of answers) expect({ name, one }).not.toHaveProperty("one.errors")
        const made = answers.find((one: any) => one.type === "list") as { id: number } | undefined
        listId = made === undefined ? listId : String(made.id)
      }
      ran.push(name)
    }
    session.stop()
    rmSync(place, { recursive: true, force: true })
    expect(ran.length).toBeGreaterThanOrEqual(6)
  })

  it("say why, where they are not run", () => {
    const others = blocksOf(readme).filter(({ language }) => !["sh", "js", "json"].includes(language))
    expect(others.map(({ line, notRun }) => [line, notRun !== undefined])).toEqual(
      others.map(({ line }) => [line, true]),
    )
  })

  /** What the shell needs for the exchange of a code: an application, its secret and the code of a consent. */
  async function consentFor(member: Member): Promise<string> {
    const redirectUri = "http://localhost:8080/back"
    const application = await makeApplication(node, { redirectUris: [redirectUri] })
    const code = await codeFor(member, application, { redirect_uri: redirectUri })
    const { clientId, clientSecret } = application
    return `CLIENT_ID=${clientId} CLIENT_SECRET=${clientSecret} CODE=${code}; open() { curl -sS -o /dev/null -w '%{http_code}\\n' "$1"; }`
  }
})

it("are all among these tests and in the README of examples", () => {
  const readme = readFileSync(join(examples, "README.md"), "utf8")
  const here = readFileSync(fileURLToPath(import.meta.url), "utf8")
  const links = [...readme.matchAll(/\]\(([\w-]+)\/([\w.-]+)\)/g)].map(([, place, file]) => `${place}/${file}`)
  expect(links).toHaveLength(12)
  for (const link of links) {
    expect(readFileSync(resolve(examples, link), "utf8").length).toBeGreaterThan(500)
    expect(here).toContain(`it("${link.split("/")[0]}`)
  }
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { port: number }
  await new Promise((done) => server.close(done))
  return port
}
