-- Lists of 10, 100, 1,000 and 5,000 tasks, 20 of each size.
set session_replication_role = replica;
insert into lists (id, title, owner_id, created_by_id, updated_by_id, revision)
  select 500000 + size * 100 + i, 'List of ' || size, i, i, i, size + 1
  from unnest('{10,100,1000,5000}'::integer[]) size, generate_series(1, 20) i;
insert into memberships (list_id, user_id, state, owner, created_by_id, updated_by_id)
  select l.id, l.owner_id, 'accepted', true, l.owner_id, l.owner_id from lists l where l.id between 500000 and 1999999 order by l.id;
insert into tasks (id, list_id, title, created_at, created_by_id, due_date, updated_by_id)
  select 5000000 + row_number() over (), l.id, 'Task number ' || i || ' to be done before long', '2025-02-01', l.owner_id, '2026-05-01', l.owner_id
  from lists l, generate_series(1, (l.id - 500000)::integer / 100) i where l.id between 500000 and 1999999;
