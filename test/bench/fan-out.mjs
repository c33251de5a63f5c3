// W7 and S4: subscribers of one list, each with a socket or a stream of events of its own, and creates at a steady pace; when does
// each hear of each?
// The clients are bare sockets with the smallest reader of frames, so that they cost less than what they measure.
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { connect } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { openStream } from "./open-stream.mjs"
import { CREATE } from "./workloads.mjs"

const MARK = "mark:"
const QUERY = `subscription S($list: ID!) { listUpdated(listId: $list) { operation listRevision subject { ... on Task
  { id listId title starred dueDate createdAt createdById revision } } } }`
const nowUs = () => Math.round(performance.now() * 1000)

/** A frame as clients send it: masked, with the mask 0. */
function frameOf(text) {
  const payload = Buffer.from(text)
  const head =
    payload.length < 126 ? [0x81, 0x80 | payload.length] : [0x81, 0xfe, payload.length >> 8, payload.length & 255]
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), payload])
}

/** Calls `take` with the text of each frame of a server; answers pings. */
function readFrames(socket, take) {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    let data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (data.length >= 2) {
      const short = data[1] & 127
      const head = short < 126 ? 2 : short === 126 ? 4 : 10
      if (data.length < head) break
      const length = short < 126 ? short : short === 126 ? data.readUInt16BE(2) : Number(data.readBigUInt64BE(2))
      if (data.length < head + length) break
      if ((data[0] & 15) === 9) socket.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0]))
      else take(data.latin1Slice(head, head + length))
      data = data.subarray(head + length)
    }
    rest = data
  }
}

/** Opens a socket, says who it is and subscribes; `hear` gets the texts of messages that hold a mark. */
function subscribe({ port, list, token }, hear) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1").setNoDelay(true).on("error", reject)
    const head = ["GET /graphql HTTP/1.1", `Host: 127.0.0.1:${port}`, "Upgrade: websocket", "Connection: Upgrade"]
    const key = randomBytes(16).toString("base64")
    head.push(`Sec-WebSocket-Key: ${key}`, "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: graphql-transport-ws")
    socket.write(`${head.join("\r\n")}\r\n\r\n`)
    const read = readFrames(socket, (text) => {
      if (text.includes(MARK)) hear(text)
      else if (text.includes('"connection_ack"')) {
        const payload = { query: QUERY, variables: { list } }
        socket.write(frameOf(JSON.stringify({ id: "s", type: "subscribe", payload })))
        resolve(socket)
      } else if (text.includes('"ping"')) socket.write(frameOf('{"type":"pong"}'))
    })
    let isOpen = false
    socket.on("data", (chunk) => {
      if (isOpen) return read(chunk)
      const end = chunk.indexOf("\r\n\r\n")
      if (!chunk.subarray(0, 12).includes("101")) return reject(new Error(chunk.toString()))
      isOpen = true
      socket.write(
        frameOf(
          JSON.stringify({
            type: "connection_init",
            payload: { "X-Client-ID": "bench-client", "X-Access-Token": token },
          }),
        ),
      )
      if (end + 4 < chunk.length) read(chunk.subarray(end + 4))
    })
  })
}

/** As {@link subscribe}, by server-sent events. */
const subscribeByEvents = ({ port, list, token }, hear) =>
  openStream({ port, token, query: QUERY, variables: { list }, mark: MARK }, hear)

/**
 * @param tokens those of the subscribers, in turns; the first one's user creates
 * @returns what was delivered of what should be, how late, and at what cost of the server
 */
export async function measureFanOut(
  server,
  { list, tokens, isByEvents = false, subscribers = 1_000, perSecond = 50, seconds = 10 },
) {
  const [token] = tokens
  const open = isByEvents ? subscribeByEvents : subscribe
  const lateMs = []
  let isMeasuring = false
  const hear = (text) => {
    if (isMeasuring) lateMs.push((nowUs() - Number(text.substr(text.indexOf(MARK) + MARK.length, 16))) / 1e3)
  }
  const sockets = []
  for (let opened = 0; opened < subscribers; opened += 50)
    sockets.push(
      ...(await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          open({ port: server.port, list, token: tokens[(opened + at) % tokens.length] }, hear),
        ),
      )),
    )
  await sleep(1_500)

  let failed = 0
  async function create() {
    const title = `${MARK}${String(nowUs()).padStart(16, "0")}`
    const headers = { "X-Access-Token": token, "X-Client-ID": "bench-client", "Content-Type": "application/json" }
    const body = JSON.stringify({ query: CREATE, variables: { input: { listId: list, title } } })
    const response = await fetch(`http://127.0.0.1:${server.port}/graphql`, { method: "POST", headers, body })
    if (!response.ok || (await response.text()).includes('"errors"')) failed++
  }
  for (let warm = 0; warm < 20; warm++) await create()
  await sleep(500)

  isMeasuring = true
  const cpuBefore = server.cpuUs()
  const startedAt = performance.now()
  const creates = []
  while (creates.length < perSecond * seconds) {
    if (((performance.now() - startedAt) / 1e3) * perSecond >= creates.length) creates.push(create())
    else await sleep(1)
  }
  await Promise.all(creates)
  const wanted = creates.length * subscribers
  for (let quiet = 0, before = 0; lateMs.length < wanted && quiet < 30; before = lateMs.length) {
    await sleep(100)
    quiet = lateMs.length === before ? quiet + 1 : 0
  }
  const cpu = server.cpuUs() - cpuBefore
  for (const socket of sockets) socket.destroy()
  await Promise.all(sockets.map((socket) => socket.closed || once(socket, "close")))
  lateMs.sort((a, b) => a - b)
  const at = (share) => lateMs[Math.min(lateMs.length - 1, Math.floor(lateMs.length * share))]
  return {
    wanted,
    delivered: lateMs.length,
    failed,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    serverUs: cpu / Math.max(1, lateMs.length),
  }
}
