import { statement } from "../statement.js"

// Not Prisma: one look at all tables, so that the figures belong to one moment.
/** How much is stored and how much waits. Counts whole tables. */
export const storedFigures = statement(
  "stored_figures",
  `select json_build_object(
     'users', (select count(*) from users where verified_at is not null),
     'disabled_users', (select count(*) from disabled_users),
     'lists', (select count(*) from lists where deleted_at is null and list_type <> 'inbox'),
     'tasks', (select count(*) from tasks t join lists l on l.id = t.list_id and l.deleted_at is null),
     'files', (select count(*) from files),
     'file_bytes', (select coalesce(sum(file_size), 0) from files),
     'events', (select count(*) from events),
     'oldest_event', (select min(occurred_at) from events),
     'webhooks', (select count(*) from webhooks),
     'failing_webhooks', (select count(*) from webhook_endpoints where failing_since is not null),
     'deliveries_due', (select count(*) from webhook_deliveries where due_at <= now()),
     'pushes_waiting', (select count(*) from pushes),
     'deleted_lists_waiting', (select count(*) from lists where deleted_at is not null),
     'database_bytes', pg_database_size(current_database()))`,
  ([found]) => JSON.parse(found as string) as Record<string, number | string | null>,
)
