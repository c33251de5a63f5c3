-- What development would have mailed, to be read at /dev/mails; the newest hundred. Production writes none.
CREATE TABLE "kept_mails" (
    "id" BIGSERIAL NOT NULL,
    "recipient" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "kept_mails_pkey" PRIMARY KEY ("id")
);
