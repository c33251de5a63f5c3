-- A user with 5,000 lists, a list of 20,000 tasks whose order is set, and one of 200,000 tasks that two share.
set session_replication_role = replica;
insert into lists (id, title, owner_id, created_by_id, updated_by_id, revision)
  select 3000000 + i, 'List ' || i, 1, 1, 1, 1 from generate_series(1, 5000) i;
insert into lists (id, title, owner_id, created_by_id, updated_by_id, revision) values
  (3100000, 'Of 20,000', 2, 2, 2, 20001), (3200000, 'Of 200,000', 2, 2, 2, 200001);
insert into memberships (list_id, user_id, state, owner, created_by_id, updated_by_id)
  select l.id, l.owner_id, 'accepted', true, l.owner_id, l.owner_id from lists l where l.id between 3000000 and 3300000 order by l.id;
insert into memberships (id, list_id, user_id, state, created_by_id, updated_by_id) values (9000000, 3200000, 3, 'accepted', 2, 2);
insert into tasks (list_id, title, created_at, created_by_id, updated_by_id)
  select 3100000, 'Task number ' || i || ' to be done before long', '2025-02-01', 2, 2 from generate_series(1, 20000) i;
insert into tasks (list_id, title, created_at, created_by_id, updated_by_id)
  select 3200000, 'Task number ' || i || ' to be done before long', '2025-02-01', 2, 2 from generate_series(1, 200000) i;
