-- 200 users, 2,000 lists (10 owned by each user, each shared with one more user), 100 open tasks a list, 2 subtasks and a
-- note for every tenth task. No randomness: every load is the same. Triggers are off, so revisions stand as the triggers
-- would have left them.
set session_replication_role = replica;
insert into applications (id, client_id, secret_hash, name) values (1001, 'bench-client', '\x00', 'Benchmark');
insert into users (id, name, email, verified_at, created_at)
  select i, 'User ' || i, 'user' || i || '@example.org', '2025-01-01', '2025-01-01' from generate_series(1, 200) i;
insert into lists (id, title, list_type, owner_id, created_by_id, updated_by_id)
  select i, 'inbox', 'inbox', i, i, i from generate_series(1, 200) i;
insert into access_tokens (id, token_hash, user_id, application_id)
  select i, sha256(convert_to('token-of-user-' || i, 'UTF8')), i, 1001 from generate_series(1, 200) i;
insert into lists (id, title, owner_id, created_by_id, updated_by_id, created_at, revision)
  select 10000 + i, 'List ' || i, (i - 1) / 10 + 1, (i - 1) / 10 + 1, (i - 1) / 10 + 1, '2025-01-01', 132 from generate_series(1, 2000) i;
insert into memberships (list_id, user_id, state, owner, created_by_id, updated_by_id)
  select l.id, l.owner_id, 'accepted', true, l.owner_id, l.owner_id from lists l order by l.id;
insert into memberships (list_id, user_id, state, created_by_id, updated_by_id)
  select l.id, l.owner_id % 200 + 1, 'accepted', l.owner_id, l.owner_id from lists l where l.list_type = 'list' order by l.id;
insert into tasks (id, list_id, title, assignee_id, created_at, created_by_id, due_date, starred, recurrence_type, recurrence_count,
                   revision, updated_by_id)
  select i, 10001 + (i - 1) / 100, 'Task number ' || i || ' to be done before long', case when i % 3 = 0 then (i - 1) / 1000 + 1 end,
    timestamptz '2025-02-01' + (i % 100000) * interval '1 minute', (i - 1) / 1000 + 1,
    case when i % 2 = 0 then date '2026-01-01' + (i % 365) end, i % 7 = 0,
    case when i % 20 = 0 then 'week' end, case when i % 20 = 0 then 1 end, case when i % 10 = 0 then 4 else 1 end, (i - 1) / 1000 + 1
  from generate_series(1, 200000) i;
insert into subtasks (task_id, title, completed, completed_at, completed_by_id, created_at, created_by_id, updated_by_id)
  select t.id, 'Subtask ' || k || ' of ' || t.id, k = 2, case when k = 2 then timestamptz '2025-03-01' end,
    case when k = 2 then t.created_by_id end, '2025-02-01', t.created_by_id, t.created_by_id
  from tasks t, generate_series(1, 2) k where t.id % 10 = 0 order by t.id, k;
insert into notes (task_id, content, created_at, created_by_id, updated_at, updated_by_id)
  select t.id, repeat('note text ', 12), '2025-02-01', t.created_by_id, '2025-02-01', t.created_by_id
  from tasks t where t.id % 10 = 0 order by t.id;
select setval('users_id_seq', 200), setval('lists_id_seq', 20000), setval('tasks_id_seq', 10000000), setval('applications_id_seq', 1001),
  setval('access_tokens_id_seq', 200);
