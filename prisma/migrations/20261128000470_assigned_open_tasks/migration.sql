-- What somebody has to do is found in each list without reading what they have done, or what others have to do. Made without a lock
-- that writers wait for, and so the only statement of its migration.
CREATE INDEX CONCURRENTLY tasks_assigned_completed_idx ON tasks (list_id, assignee_id, completed) WHERE assignee_id IS NOT NULL;
