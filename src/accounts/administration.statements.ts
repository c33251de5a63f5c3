import { type Fields, type Id, instantOf, statement } from "../statement.js"

/** A user as administrators see them: how much they have, and nothing of what it is. */
export type UserInNumbers = {
  readonly id: Id
  readonly name: string
  readonly email: string
  readonly createdAt: string
  readonly isDisabled: boolean
  readonly isAdministrator: boolean
  readonly lists: number
  readonly tasks: number
  readonly fileBytes: number
}

/** Users with a verified address behind one, $1, by id; $2 of them at most. The functions that quotas count with, which Prisma cannot call. */
export const usersInNumbers = statement(
  "users_in_numbers",
  `select u.id, u.name, u.email, u.created_at, d.user_id is not null, a.user_id is not null,
     lists_of_owner(u.id), tasks_of_owner(u.id), file_bytes_of_user(u.id)
   from users u left join disabled_users d on d.user_id = u.id left join administrators a on a.user_id = u.id
   where u.verified_at is not null and u.id > $1::bigint order by u.id limit $2::integer`,
  ([id, name, email, createdAt, isDisabled, isAdministrator, lists, tasks, fileBytes]: Fields): UserInNumbers => ({
    id: id as Id,
    name: name as string,
    email: email as string,
    createdAt: instantOf(createdAt as string),
    isDisabled: isDisabled === "t",
    isAdministrator: isAdministrator === "t",
    lists: Number(lists),
    tasks: Number(tasks),
    fileBytes: Number(fileBytes),
  }),
)

/** The webhooks that fail, those first that have failed for longest; $1 of them at most. Their addresses may hold secrets, so hosts are given. An endpoint outlives its webhook, so for Prisma they are not related. */
export const failingWebhooks = statement(
  "failing_webhooks",
  `select w.id, substring(w.url from '^[a-z]+://(?:[^/?#]*@)?([^/?#]*)'), u.email, e.failing_since, e.disabled_at is not null
   from webhook_endpoints e join webhooks w on w.id = e.webhook_id join users u on u.id = w.created_by_id
   where e.failing_since is not null order by e.failing_since limit $1::integer`,
  ([id, host, owner, failingSince, isDisabled]) => ({
    id: id as Id,
    host: host ?? "",
    owner: owner as string,
    failingSince: instantOf(failingSince as string),
    isDisabled: isDisabled === "t",
  }),
)
