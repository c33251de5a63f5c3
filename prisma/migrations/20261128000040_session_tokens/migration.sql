-- A browser's session can hold access of its own, for the scripts of the home page. It ends with the session, and its end is
-- told to every node as that of any token is.

-- AlterTable
ALTER TABLE "access_tokens" ADD COLUMN     "session_id" BIGINT;

-- CreateIndex
CREATE INDEX "access_tokens_session_id_idx" ON "access_tokens"("session_id");

-- AddForeignKey
ALTER TABLE "access_tokens" ADD CONSTRAINT "access_tokens_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

ALTER TABLE access_tokens ADD CONSTRAINT of_session_alone CHECK (session_id IS NULL OR (name IS NULL AND consent_id IS NULL AND expires_at IS NOT NULL));
