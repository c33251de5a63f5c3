-- Tasks that are due in some days are found in each list without reading the rest of it. Made without a lock that writers wait for,
-- and so the only statement of its migration.
CREATE INDEX CONCURRENTLY tasks_due_idx ON tasks (list_id, due_date) WHERE due_date IS NOT NULL;
