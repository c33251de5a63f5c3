-- The log of events grows old without growing slow, and a database that was set back is told from the one that it was.

-- Triggers alone write events, so nothing is left for a CHECK to find, and each costs every write.
ALTER TABLE events DROP CONSTRAINT one_audience, DROP CONSTRAINT operation_known;

-- What one user sees is read from a place on; most events belong to lists and are not in this index.
DROP INDEX events_user_id_id_idx;
CREATE INDEX events_user_id_xid_idx ON events (user_id, xid) WHERE user_id IS NOT NULL;

-- Events are deleted in the order of their ids, from where the last deletion ended.
DROP INDEX events_occurred_at_idx;

-- A fifth of a large table is a month of deletions.
ALTER TABLE events SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);

-- Lines of history; the last one is current. The first row is written by whoever first opens the database.
CREATE TABLE "histories" (
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "floor_id" BIGINT NOT NULL,
    "began_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "server" JSONB NOT NULL,
    "written_in" xid8 NOT NULL DEFAULT pg_current_xact_id(),
    "deleted_id" BIGINT NOT NULL DEFAULT 0,
    "deleted_at" TIMESTAMPTZ(3),
    "deleted_xid" xid8 NOT NULL DEFAULT '0',

    CONSTRAINT "histories_pkey" PRIMARY KEY ("id")
);
