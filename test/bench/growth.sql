-- Ten times the stored tasks, in lists that nobody reads.
set session_replication_role = replica;
insert into lists (id, title, owner_id, created_by_id, updated_by_id, revision)
  select 2000000 + i, 'Elsewhere ' || i, i % 200 + 1, i % 200 + 1, i % 200 + 1, 101 from generate_series(1, 18000) i;
insert into memberships (list_id, user_id, state, owner, created_by_id, updated_by_id)
  select l.id, l.owner_id, 'accepted', true, l.owner_id, l.owner_id from lists l where l.id > 2000000 order by l.id;
insert into tasks (id, list_id, title, created_at, created_by_id, updated_by_id)
  select 1000000 + i, 2000001 + (i - 1) / 100, 'Task number ' || i || ' to be done before long', '2025-02-01', 1, 1
  from generate_series(1, 1800000) i;
