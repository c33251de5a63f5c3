-- Tasks that were completed since an instant, without reading all that ever were.
CREATE INDEX CONCURRENTLY tasks_completed_at_idx ON tasks (list_id, completed_at) WHERE completed_at IS NOT NULL;
