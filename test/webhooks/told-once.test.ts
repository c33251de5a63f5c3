import { expect, it } from "vitest"
import { eventually, quiet } from "../live/listener.js"
import { type Mailbox, startMailbox } from "../support/mailbox.js"
import { makeList, makePerson, makeTask } from "../support/make.js"
import { deliveriesOf, startHookNode } from "./hooks.js"
import { makeHook } from "./make-hook.js"
import { startReceiver } from "./receiver.js"

it("the creator of a webhook is told once that it was disabled, by several nodes too", async () => {
  const mailbox: Mailbox = await startMailbox()
  const receiver = await startReceiver((response) => setTimeout(() => response.writeHead(410).end(), 100))
  const node = await startHookNode({}, { smtpUrl: mailbox.url })
  const other = await startHookNode({}, { smtpUrl: mailbox.url, on: node })
  try {
    const ann = await makePerson(node)
    const list = await makeList(ann)
    const hook = await makeHook(ann, list, receiver.url)
    await Promise.all([makeTask(ann, list), makeTask(ann, list), makeTask(ann, list)])
    await eventually(async () => (await deliveriesOf(node, hook)).every(({ status }) => status === "failed"))
    await eventually(() => mailbox.mails.length > 0)
    await quiet(300)
    expect(mailbox.mails).toHaveLength(1)
    expect(mailbox.mails[0]).toMatchObject({ to: ann.email, subject: "Your webhook has been disabled" })
    expect(mailbox.mails[0]?.text).toContain(receiver.url)
    expect([`${node.url}/webhooks`, `${other.url}/webhooks`]).toContain(
      /\S+\/webhooks/.exec(mailbox.mails[0]?.text ?? "")?.[0],
    )
  } finally {
    await other.stop()
    await node.stop()
    await receiver.stop()
    await mailbox.stop()
  }
})
