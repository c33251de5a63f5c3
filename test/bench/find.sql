-- Accounts to find in: 901 with 2,000 tasks, 902 with 200,000, and 903 with 20,000 tasks and 20,000 notes.
set session_replication_role = replica;
create temp table accounts (id int, lists int, tasks int, notes boolean);
insert into accounts values (901, 20, 100, false), (902, 200, 1000, false), (903, 40, 500, true);
insert into users (id, name, email, verified_at, created_at)
  select id, 'Finder ' || id, 'finder' || id || '@example.org', '2025-01-01', '2025-01-01' from accounts;
insert into access_tokens (id, token_hash, user_id, application_id)
  select id, sha256(convert_to('token-of-user-' || id, 'UTF8')), id, 1001 from accounts;
insert into lists (id, title, owner_id, created_by_id, updated_by_id, created_at)
  select a.id * 1000 + i, 'List ' || i, a.id, a.id, a.id, '2025-01-01' from accounts a, generate_series(1, a.lists) i;
insert into memberships (list_id, user_id, state, owner, created_by_id, updated_by_id)
  select a.id * 1000 + i, a.id, 'accepted', true, a.id, a.id from accounts a, generate_series(1, a.lists) i;
insert into tasks (id, list_id, title, created_at, created_by_id, due_date, starred, completed, completed_at, assignee_id, updated_by_id)
  select a.id * 1000000 + i, a.id * 1000 + 1 + (i - 1) / a.tasks, 'Task number ' || i || ' to be done before long', '2025-02-01', a.id,
    case when i % 3 = 0 then date '2026-01-01' + i % 365 end, i % 20 = 0, i % 10 < 3,
    case when i % 10 < 3 then timestamptz '2026-01-01' + i % 365 * interval '1 day' end, case when i % 10 = 5 then a.id end, a.id
  from accounts a, generate_series(1, a.lists * a.tasks) i;
insert into notes (task_id, content, created_at, created_by_id, updated_at, updated_by_id)
  select a.id * 1000000 + i, 'Note ' || i || repeat(' and so on', 12), '2025-02-01', a.id, '2025-02-01', a.id
  from accounts a, generate_series(1, a.lists * a.tasks) i where a.notes order by i;
