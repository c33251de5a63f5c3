-- Who leaves a list leaves the tasks that are assigned to them there: found without reading the rest of the list. Made without
-- a lock that writers wait for, and so the only statement of its migration.
CREATE INDEX CONCURRENTLY tasks_assigned_idx ON tasks (list_id, assignee_id) WHERE assignee_id IS NOT NULL;
