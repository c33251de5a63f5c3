// Works on through a cut: what is done meanwhile shows at once, is kept in a file, and reaches the service when it is back.
//   npm install tandem-gateway
//   TANDEM_URL=… CLIENT_ID=… TOKEN=… node work-offline.mjs <list id> <file>

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { createClient } from "tandem-gateway/client"

const { TANDEM_URL = "http://127.0.0.1:4000", CLIENT_ID, TOKEN } = process.env
const [list, file = "tandem.json"] = [Number(process.argv[2]), process.argv[3]]

/** A store of one's own: values by their names, kept whole or not at all. */
function fileStore(path) {
  const kept = new Map(existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : [])
  const write = () => {
    writeFileSync(`${path}.new`, JSON.stringify([...kept]))
    renameSync(`${path}.new`, path)
  }
  return {
    load: async () => [...kept],
    async save(entries) {
      for (const [name, value] of entries) value === undefined ? kept.delete(name) : kept.set(name, value)
      write()
    },
    async clear() {
      kept.clear()
      write()
    },
  }
}

const client = createClient({
  url: TANDEM_URL,
  headers: () => ({ "X-Client-ID": CLIENT_ID, "X-Access-Token": TOKEN }),
  store: fileStore(file),
})
client.subscribe(
  (view) => view.status().connection,
  (connection) => console.log(`(${connection})`),
)
client.subscribe(
  (view) => view.tasks(list),
  (tasks) => console.log(tasks.map(({ id, title }) => `${id < 0 ? "…" : "-"} ${title}`).join("\n")),
)
client.subscribe(
  (view) => view.aside(),
  (commands) => {
    for (const { aside } of commands) console.log(`to be decided: ${JSON.stringify(aside)}`)
  },
)
await client.start()

// Each line is a new task; an empty one asks the service at once; the end of the input ends the program, and keeps the queue.
for await (const line of createInterface({ input: process.stdin })) {
  if (line === "") client.tryNow()
  else client.create("task", { list_id: list, title: line })
}
await client.kept()
await client.stop()
