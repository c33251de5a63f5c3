-- What came from elsewhere, by its name there: importing a file again makes nothing twice.

-- CreateTable
CREATE TABLE "imported_rows" (
    "user_id" BIGINT NOT NULL,
    "key" BYTEA NOT NULL,
    "subject_type" TEXT NOT NULL,
    "subject_id" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "imported_rows_pkey" PRIMARY KEY ("user_id","key")
);

-- AddForeignKey
ALTER TABLE "imported_rows" ADD CONSTRAINT "imported_rows_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

