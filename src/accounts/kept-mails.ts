import type { DatabaseClient } from "../database/client.js"

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

/** The mails that were kept, the newest first. */
export const keptMails = ({ prisma }: DatabaseClient) =>
  prisma.keptMail.findMany({ orderBy: { id: "desc" }, take: KEPT })
