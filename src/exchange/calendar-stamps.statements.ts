import { type Id, instantOf, statement } from "../statement.js"

// Rows know when they were made, and not all of them when they were changed; and what a calendar shows of a task is made of
// several. So each reading of a feed stores what was shown, and since when. Not Prisma: many rows are compared and written at once.

/**
 * Since when components of a user's calendar are as they are: $1 user, and for each its kind $2, the id of what it shows $3, a
 * digest of it $4, and when it was made $5. One that differs from when it was last read has changed now, and at least a second
 * after the time that was told then.
 */
export const stampComponents = statement(
  "stamp_components",
  `with asked as (select * from unnest($2::text[], $3::bigint[], $4::text[], $5::timestamptz[]) as a(kind, subject_id, digest, made_at)),
   written as (
     insert into calendar_stamps as s (user_id, kind, subject_id, digest, changed_at)
     select $1::bigint, kind, subject_id, decode(digest, 'hex'), made_at from asked a where not exists (
       select from calendar_stamps k where k.user_id = $1::bigint and k.kind = a.kind and k.subject_id = a.subject_id and k.digest = decode(a.digest, 'hex'))
     order by kind, subject_id
     on conflict (user_id, kind, subject_id) do update set digest = excluded.digest, changed_at = greatest(now(), s.changed_at + interval '1 second')
       where s.digest <> excluded.digest
     returning kind, subject_id, changed_at)
   select a.kind, a.subject_id, coalesce(w.changed_at, k.changed_at, a.made_at) from asked a
   left join written w on w.kind = a.kind and w.subject_id = a.subject_id
   left join calendar_stamps k on k.user_id = $1::bigint and k.kind = a.kind and k.subject_id = a.subject_id`,
  ([kind, id, at]) => ({ name: `${kind}-${id as Id}`, changedAt: instantOf(at as string) }),
)

/** Forgets what was shown of tasks and subtasks that are gone. */
export const forgetStamps = statement(
  "forget_stamps",
  `delete from calendar_stamps s where case when s.kind = 'subtask' then not exists (select from subtasks r where r.id = s.subject_id)
     else not exists (select from tasks r where r.id = s.subject_id) end`,
  () => true,
)
