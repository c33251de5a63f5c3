-- What nodes do from time to time: one row a job, leased by the node that does it. It takes the place of a library's queue.
CREATE TABLE "maintenance_jobs" (
    "name" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "leased_by" TEXT,
    "leased_until" TIMESTAMPTZ(3),

    CONSTRAINT "maintenance_jobs_pkey" PRIMARY KEY ("name")
);

DROP TABLE "worker_pools";
DROP SCHEMA IF EXISTS graphile_worker CASCADE;
