// A stream of server-sent events by the smallest reader, so that it costs less than what it measures.
import { connect } from "node:net"

const END = "\n\n"

/** Opens a stream and subscribes; `hear` gets the texts of events that hold a mark. */
export function openStream({ port, token, query, variables, mark }, hear) {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify({ query, variables })
    const socket = connect(port, "127.0.0.1").setNoDelay(true).setEncoding("latin1").on("error", reject)
    const head = ["POST /graphql HTTP/1.1", `Host: 127.0.0.1:${port}`, "Accept: text/event-stream"]
    head.push("Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`)
    head.push("X-Client-ID: bench-client", `X-Access-Token: ${token}`)
    socket.write(`${head.join("\r\n")}\r\n\r\n${body}`)
    let isOpen = false
    let rest = ""
    socket.on("data", (chunk) => {
      if (!isOpen) {
        if (!chunk.startsWith("HTTP/1.1 200")) return reject(new Error(chunk))
        isOpen = true
        resolve(socket)
      }
      rest += chunk
      let from = 0
      for (let end = rest.indexOf(END); end >= 0; end = rest.indexOf(END, from)) {
        const text = rest.slice(from, end)
        if (text.includes(mark)) hear(text)
        from = end + END.length
      }
      rest = rest.slice(from)
    })
  })
}
