import { once } from "node:events"
import net, { type AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"

export type ReceivedMail = {
  readonly to: string
  readonly from: string
  readonly subject: string
  readonly text: string
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/** A mail server that takes everything and keeps it. */
export type Mailbox = {
  /** For SMTP_URL. */
  readonly url: string
  readonly mails: readonly ReceivedMail[]
  /** The newest mail to an address, waited for. */
  to(address: string, subject?: RegExp): Promise<ReceivedMail>
  stop(): Promise<void>
}

const decoded = (text: string): string =>
  Buffer.from(
    text
      .replace(/=\r\n/g, "")
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  ).toString()

function parse(from: string, to: string, data: string): ReceivedMail {
  const end = data.indexOf("\r\n\r\n")
  const head = data.slice(0, end).replace(/\r\n[ \t]+/g, " ")
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1] ?? ""
  const body = data.slice(end + 4)
  const isQuoted = /quoted-printable/i.test(header("Content-Transfer-Encoding"))
  const headers = Object.fromEntries(
    [...head.matchAll(/^([\w-]+): (.*)$/gm)].map(([, name = "", value]) => [name.toLowerCase(), value?.trim() ?? ""]),
  )
  return {
    from,
    to,
    subject: header("Subject"),
    headers,
    text: (isQuoted ? decoded(body) : body).replaceAll("\r\n", "\n"),
  }
}

/** Listens on a free port. */
export async function startMailbox(): Promise<Mailbox> {
  const mails: ReceivedMail[] = []
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
    socket.on("error", () => {})
    let [from, to, buffer, isData] = ["", "", "", false]
    const say = (line: string) => socket.write(`${line}\r\n`)
    say("220 mailbox")
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      buffer += chunk
      for (;;) {
        const end = buffer.indexOf(isData ? "\r\n.\r\n" : "\r\n")
        if (end === -1) return
        const text = buffer.slice(0, end)
        buffer = buffer.slice(end + (isData ? 5 : 2))
        if (isData) {
          mails.push(parse(from, to, text.replace(/^\.\./gm, ".")))
          isData = false
          say("250 kept")
        } else if (/^(EHLO|HELO|RSET|NOOP)/i.test(text)) say("250 mailbox")
        else if (/^MAIL FROM:<(.*?)>/i.test(text)) {
          from = /<(.*?)>/.exec(text)?.[1] ?? ""
          say("250 go on")
        } else if (/^RCPT TO:<(.*?)>/i.test(text)) {
          to = /<(.*?)>/.exec(text)?.[1] ?? ""
          say("250 go on")
        } else if (/^DATA/i.test(text)) {
          isData = true
          say("354 go on")
        } else if (/^QUIT/i.test(text)) {
          say("221 bye")
          socket.end()
        } else say("502 no")
      }
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    async to(address, subject = /./) {
      for (let tries = 0; tries < 500; tries++) {
        const mail = mails.findLast((one) => one.to === address && subject.test(one.subject))
        if (mail !== undefined) return mail
        await sleep(10)
      }
      throw new Error(`no mail came to ${address}: ${mails.map((mail) => `${mail.to} ${mail.subject}`).join(", ")}`)
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
    },
  }
}

/** The link in a mail. */
export const linkIn = ({ text }: ReceivedMail): string => /https?:\/\/\S+/.exec(text)?.[0] ?? ""
