-- An account of 50 lists, 10,000 tasks, 20,000 subtasks and 2,000 notes: user 900.
set session_replication_role = replica;
insert into users (id, name, email, verified_at, created_at) values (900, 'Synced', 'synced@example.org', '2025-01-01', '2025-01-01');
insert into access_tokens (id, token_hash, user_id, application_id) values (900, sha256(convert_to('token-of-user-900', 'UTF8')), 900, 1001);
insert into lists (id, title, owner_id, created_by_id, updated_by_id, created_at, revision)
  select 600000 + i, 'Synced ' || i, 900, 900, 900, '2025-01-01', 1000 from generate_series(1, 50) i;
insert into memberships (list_id, user_id, state, owner, created_by_id, updated_by_id)
  select 600000 + i, 900, 'accepted', true, 900, 900 from generate_series(1, 50) i;
insert into tasks (id, list_id, title, created_at, created_by_id, due_date, updated_by_id)
  select 6000000 + i, 600001 + (i - 1) / 200, 'Task number ' || i || ' to be done before long', '2025-02-01', 900, '2026-05-01', 900
  from generate_series(1, 10000) i;
insert into subtasks (task_id, title, created_at, created_by_id, updated_by_id)
  select 6000000 + i, 'Subtask ' || k || ' of ' || i, '2025-02-01', 900, 900 from generate_series(1, 10000) i, generate_series(1, 2) k order by i, k;
insert into notes (task_id, content, created_at, created_by_id, updated_at, updated_by_id)
  select 6000000 + 5 * i, repeat('note text ', 12), '2025-02-01', 900, '2025-02-01', 900 from generate_series(1, 2000) i order by i;
