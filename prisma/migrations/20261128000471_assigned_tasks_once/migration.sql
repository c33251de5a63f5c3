-- The index of before, which the one with `completed` replaces.
DROP INDEX CONCURRENTLY IF EXISTS tasks_assigned_idx;
