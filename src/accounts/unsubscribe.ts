import { createHmac, timingSafeEqual } from "node:crypto"
import type { DatabaseClient } from "../database/client.js"
import { signingKey } from "../database/signing-key.js"
import { undefinedIfNotFound } from "../errors.js"
import { hashOf } from "../signing/secret.js"
import type { Id, Runner } from "../statement.js"

/** An address, and the list about which it wants no mails. */
export type Unsubscription = { readonly listId: Id; readonly email: string }

const signatureOf = (key: string, payload: string): string =>
  createHmac("sha256", key).update(payload).digest("base64url")

const keyOf = (database: Runner): Promise<string> => signingKey(database, "unsubscribe")

/** What a mail's link to unsubscribe ends in. It does not end by itself, and opens nothing else. */
export async function unsubscribeToken(database: Runner, { listId, email }: Unsubscription): Promise<string> {
  const payload = Buffer.from(`${listId} ${email}`).toString("base64url")
  return `${payload}.${signatureOf(await keyOf(database), payload)}`
}

/** What a link's end stands for; undefined for one that we have not signed. */
export async function readUnsubscribeToken(database: Runner, token: string): Promise<Unsubscription | undefined> {
  const [payload = "", signature = ""] = token.split(".", 2)
  const [expected, sent] = [Buffer.from(signatureOf(await keyOf(database), payload)), Buffer.from(signature)]
  if (expected.length !== sent.length || !timingSafeEqual(expected, sent)) return undefined
  const [listId = "", email = ""] = Buffer.from(payload, "base64url").toString().split(" ", 2)
  return { listId, email }
}

/** Ends mails about a list to an address; nothing more happens when they have ended, or the list is gone. */
export async function unsubscribe({ prisma }: DatabaseClient, { listId, email }: Unsubscription): Promise<void> {
  const row = { listId: BigInt(listId), emailHash: hashOf(email) }
  await prisma.unsubscription.createMany({ data: [row], skipDuplicates: true }).catch(undefinedIfNotFound)
}
