import type { DatabaseClient } from "../database/client.js"
import { signingKey } from "../database/signing-key.js"
import type { Runner } from "../statement.js"

const KEPT = 100

/** Keeps a mail that no server takes, among the newest hundred: for every process on this database, and over restarts. */
export async function keepMail(
  { prisma }: DatabaseClient,
  { to, subject, text }: { readonly to: string; readonly subject: string; readonly text: string },
): Promise<void> {
  await prisma.keptMail.create({ data: { recipient: to, subject, content: text } })
  const old = await prisma.keptMail.findFirst({ orderBy: { id: "desc" }, skip: KEPT })
  if (old !== null) await prisma.keptMail.deleteMany({ where: { id: { lte: old.id } } })
}

/** What the address of the page that shows them holds, over restarts: the mails have links that open accounts. */
export const keyOfKeptMails = async (database: Runner): Promise<string> =>
  (await signingKey(database, "kept-mails")).slice(0, 32)

/** The mails that were kept, the newest first. */
export const keptMails = ({ prisma }: DatabaseClient) =>
  prisma.keptMail.findMany({ orderBy: { id: "desc" }, take: KEPT })
