-- CreateTable
CREATE TABLE "files" (
    "id" BIGSERIAL NOT NULL,
    "task_id" BIGINT NOT NULL,
    "user_id" BIGINT NOT NULL,
    "file_name" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "file_size" BIGINT NOT NULL,
    "storage_key" TEXT NOT NULL,
    "local_created_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_by_request_id" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revision" BIGINT NOT NULL DEFAULT 1,
    "own_revision" BIGINT NOT NULL DEFAULT 1,
    "updated_by_id" BIGINT,
    "updated_by_request_id" TEXT,

    CONSTRAINT "files_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "previews" (
    "file_id" BIGINT NOT NULL,
    "width" INTEGER NOT NULL,
    "content_type" TEXT NOT NULL,
    "storage_key" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "previews_pkey" PRIMARY KEY ("file_id","width")
);

-- CreateTable
CREATE TABLE "uploads" (
    "id" BIGSERIAL NOT NULL,
    "user_id" BIGINT NOT NULL,
    "file_name" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "file_size" BIGINT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'new',
    "storage_key" TEXT NOT NULL,
    "storage_upload_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),
    "finishing_until" TIMESTAMPTZ(3),
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "uploads_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "upload_digests" (
    "upload_id" BIGINT NOT NULL,
    "part_number" INTEGER NOT NULL,
    "md5" TEXT NOT NULL,

    CONSTRAINT "upload_digests_pkey" PRIMARY KEY ("upload_id","part_number")
);

-- CreateTable
CREATE TABLE "storage_deletions" (
    "id" BIGSERIAL NOT NULL,
    "storage_key" TEXT NOT NULL,
    "storage_upload_id" TEXT,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "storage_deletions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "signing_keys" (
    "name" TEXT NOT NULL,
    "value" BYTEA NOT NULL,

    CONSTRAINT "signing_keys_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "worker_pools" (
    "id" TEXT NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "worker_pools_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "files_storage_key_key" ON "files"("storage_key");

-- CreateIndex
CREATE INDEX "files_task_id_id_idx" ON "files"("task_id", "id");

-- CreateIndex
CREATE INDEX "files_user_id_idx" ON "files"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "previews_storage_key_key" ON "previews"("storage_key");

-- CreateIndex
CREATE UNIQUE INDEX "uploads_storage_key_key" ON "uploads"("storage_key");

-- CreateIndex
CREATE INDEX "uploads_user_id_idx" ON "uploads"("user_id");

-- CreateIndex
CREATE INDEX "uploads_created_at_idx" ON "uploads"("created_at");

-- CreateIndex
CREATE INDEX "storage_deletions_due_at_idx" ON "storage_deletions"("due_at");

-- CreateIndex
CREATE INDEX "storage_deletions_storage_key_idx" ON "storage_deletions"("storage_key");

-- AddForeignKey
ALTER TABLE "files" ADD CONSTRAINT "files_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "files" ADD CONSTRAINT "files_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "previews" ADD CONSTRAINT "previews_file_id_fkey" FOREIGN KEY ("file_id") REFERENCES "files"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "upload_digests" ADD CONSTRAINT "upload_digests_upload_id_fkey" FOREIGN KEY ("upload_id") REFERENCES "uploads"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Limits (the last line; the types of the schema refuse first) ---------------------------------------------------------------

ALTER TABLE files ADD CONSTRAINT file_name_length CHECK (char_length(file_name) BETWEEN 1 AND 255);
ALTER TABLE files ADD CONSTRAINT file_size_range CHECK (file_size BETWEEN 1 AND 5368709120);
ALTER TABLE uploads ADD CONSTRAINT file_name_length CHECK (char_length(file_name) BETWEEN 1 AND 255);
ALTER TABLE uploads ADD CONSTRAINT file_size_range CHECK (file_size BETWEEN 1 AND 5368709120);
ALTER TABLE uploads ADD CONSTRAINT upload_state_known CHECK (state IN ('new', 'finished'));
ALTER TABLE uploads ADD CONSTRAINT finished_since CHECK ((state = 'finished') = (finished_at IS NOT NULL));
ALTER TABLE uploads ADD CONSTRAINT used_when_finished CHECK (used_at IS NULL OR state = 'finished');
ALTER TABLE upload_digests ADD CONSTRAINT part_number_range CHECK (part_number BETWEEN 1 AND 10000);

-- Revisions and events ---------------------------------------------------------------------------------------------------------

-- Like record_in_task(), for a row whose answers show the list too. Where its bytes lie is nobody's business.
CREATE FUNCTION record_file() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  in_list bigint;
  place jsonb;
BEGIN
  UPDATE tasks SET revision = revision + 1 WHERE id = coalesce(new.task_id, old.task_id) RETURNING list_id INTO in_list;
  IF in_list IS NULL AND tg_op = 'DELETE' THEN RETURN NULL; END IF; -- the task is being deleted and has its own event
  IF in_list IS NULL THEN RAISE foreign_key_violation USING message = 'the task is gone'; END IF;
  place := jsonb_build_object('list_id', in_list);
  IF tg_op = 'INSERT' THEN
    PERFORM announce(in_list, 'CREATE', 'file', NULL, to_jsonb(new) - 'storage_key' || place, new.updated_by_id, new.updated_by_request_id);
  ELSIF tg_op = 'DELETE' THEN
    PERFORM announce(in_list, 'DELETE', 'file', to_jsonb(old) - 'storage_key' || place, NULL, deleted_by(), deleted_in());
  ELSE
    PERFORM announce(in_list, 'UPDATE', 'file', to_jsonb(old) - 'storage_key' || place, to_jsonb(new) - 'storage_key' || place,
                     new.updated_by_id, new.updated_by_request_id);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER own_change BEFORE UPDATE ON files FOR EACH ROW WHEN (new.revision = old.revision) EXECUTE FUNCTION own_change();
CREATE TRIGGER "00_record" AFTER INSERT OR DELETE ON files FOR EACH ROW EXECUTE FUNCTION record_file();
CREATE TRIGGER "00_record_change" AFTER UPDATE ON files FOR EACH ROW WHEN (new.own_revision <> old.own_revision) EXECUTE FUNCTION record_file();

-- Bytes ------------------------------------------------------------------------------------------------------------------------

-- Whoever owned bytes in the store is gone, with its task, list or user too: the bytes follow, if the transaction commits.
CREATE FUNCTION forget_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO storage_deletions (storage_key, storage_upload_id) VALUES (old.storage_key, to_jsonb(old)->>'storage_upload_id');
  RETURN NULL;
END $$;

CREATE TRIGGER "01_forget_bytes" AFTER DELETE ON files FOR EACH ROW EXECUTE FUNCTION forget_bytes();
CREATE TRIGGER "01_forget_bytes" AFTER DELETE ON previews FOR EACH ROW EXECUTE FUNCTION forget_bytes();
-- The bytes of an upload that was used are its file's.
CREATE TRIGGER "01_forget_bytes" AFTER DELETE ON uploads FOR EACH ROW WHEN (old.used_at IS NULL) EXECUTE FUNCTION forget_bytes();
