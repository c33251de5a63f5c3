// What an old log of events costs: many are stored, the oldest 30 % have been deleted and some more were written into their
// space. How long a look for new events takes, and after what time a subscriber hears of a POST while others write.
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { measureFanOut } from "./fan-out.mjs"
import { load } from "./load.mjs"
import { startServer } from "./servers.mjs"
import { ROWS, WORKLOADS } from "./workloads.mjs"

const IN_ONE_TRANSACTION = 5_000
const TURNED_OVER = 0.3
const LOOKS = 300
const SUBSCRIBERS = 50
const POSTS_PER_SECOND = 20

const insert = (count) => `do $$ begin
  for batch in 1 .. ${Math.ceil(count / IN_ONE_TRANSACTION)} loop
    insert into events (user_id, operation, subject_type, subject_id, revision, actor_id, occurred_at, after)
    select i % 200 + 1, 'UPDATE', 'setting', i, i, 1, now() - interval '10 days',
      jsonb_build_object('id', i, 'key', 'a key of some length', 'value', repeat('value ', 20), 'revision', i)
    from generate_series(1, ${IN_ONE_TRANSACTION}) i;
    commit;
  end loop; end $$`

async function age(main, count, note) {
  const startedAt = performance.now()
  const written = Math.round(count / (1 - TURNED_OVER + TURNED_OVER / 10))
  await main.run(insert(written))
  await main.run(
    `delete from events where id <= (select min(id) + ${Math.round(written * TURNED_OVER)} from events where user_id is not null)`,
  )
  await main.run("vacuum events")
  await main.run(insert((written * TURNED_OVER) / 10))
  await main.run("analyze events")
  const [[rows, bytes]] = await main.rows(
    "select reltuples::bigint, pg_total_relation_size(oid) from pg_class where oid = 'events'::regclass",
  )
  note(
    `${rows} events, ${(bytes / 2 ** 20).toFixed(0)} MiB, after ${((performance.now() - startedAt) / 1e3).toFixed(0)} s`,
  )
  return Number(rows)
}

/** The statement with which a node's tail looks for what is new. */
async function textOfLook(main) {
  for (;;) {
    const [row] = await main.rows(
      "select query from pg_stat_activity where application_name = 'tandem tail' and datname = current_database() and query like '%join events e%'",
    )
    if (row !== undefined) return row[0]
    await sleep(100) // it is connecting
  }
}

/** µs that it takes. */
async function timeOfLook(main, text) {
  const client = new pg.Client({
    connectionString: main.url,
    options: "-c plan_cache_mode=force_generic_plan -c jit=off -c statement_timeout=60s",
  })
  await client.connect()
  try {
    const took = []
    for (let count = 0; count < LOOKS; count++) {
      const { rows } = await client.query("select pg_current_snapshot()::text as snapshot")
      const startedAt = performance.now()
      await client.query({ name: "look", text, values: [rows[0].snapshot] })
      took.push((performance.now() - startedAt) * 1e3)
    }
    took.sort((one, other) => one - other)
    return { p50Us: took[LOOKS >> 1], mostUs: took.at(-2) } // the first one is planned
  } finally {
    await client.end()
  }
}

/** @returns by age of the log: µs of a look, and ms until subscribers have heard of a POST while 32 others write */
export async function measureAge({ databases: { main }, events, seconds, folder, note }) {
  const [[list, token]] = await main.rows(`${ROWS.lists} limit 1`)
  const [row] = await main.rows(`${ROWS.tasks} limit 1`)
  const lists = (await main.rows(ROWS.lists)).slice(1)
  const server = await startServer("tandem", { url: main.url, row })
  const text = await textOfLook(main)
  const runs = {}
  async function measured(label) {
    const writing = { port: server.port, workload: WORKLOADS.W3, rows: lists, folder }
    await load({ ...writing, seconds: 1 })
    await sleep(1_000)
    const look = await timeOfLook(main, text)
    const [heard, { requestsPerSecond }] = await Promise.all([
      measureFanOut(server, { list, token, subscribers: SUBSCRIBERS, perSecond: POSTS_PER_SECOND, seconds }),
      load({ ...writing, seconds: seconds + 4 }),
    ])
    runs[label] = {
      ...look,
      heardP50Ms: heard.p50Ms,
      heardP99Ms: heard.p99Ms,
      lost: heard.wanted - heard.delivered,
      requestsPerSecond,
    }
    note(`${label}: ${JSON.stringify(runs[label])}`)
  }
  try {
    await measured("young")
    const stored = await age(main, events, note)
    await measured(`${(stored / 1e6).toFixed(1)} M events, 30 % turned over`)
  } finally {
    await server.stop()
  }
  return runs
}
