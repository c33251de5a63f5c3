-- When what a calendar shows of a task or subtask was last found to have changed: calendars do not believe a component whose
-- time does not grow. Kept by who reads a feed, so that nothing is dearer where nobody does.

-- CreateTable
CREATE TABLE "calendar_stamps" (
    "user_id" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "subject_id" BIGINT NOT NULL,
    "digest" BYTEA NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "calendar_stamps_pkey" PRIMARY KEY ("user_id","kind","subject_id")
);

-- AddForeignKey
ALTER TABLE "calendar_stamps" ADD CONSTRAINT "calendar_stamps_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
