import { once } from "node:events"
import { connect } from "node:net"

/** Connects, and asks whether the node is healthy; `answer` is the first line of what comes until the connection is closed. */
export async function askByHand(url: string): Promise<{ answer: Promise<string> }> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, "connect")
  socket.setEncoding("utf8").write("GET /api/health HTTP/1.1\r\nHost: tandem\r\n\r\n")
  const answer = socket.toArray().then(
    (parts) => parts.join("").split("\r\n", 1)[0] as string,
    (error) => error.code,
  )
  return { answer }
}
