-- Whoever is invited by address is shown under an id that was new then, whether the address was somebody's or not, until the
-- acceptance.

-- CreateTable
CREATE TABLE "invitees" (
    "user_id" BIGINT NOT NULL,
    "shown_id" BIGINT NOT NULL,

    CONSTRAINT "invitees_pkey" PRIMARY KEY ("user_id")
);

-- AddForeignKey
ALTER TABLE "invitees" ADD CONSTRAINT "invitees_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AlterTable
ALTER TABLE memberships ADD COLUMN shown_user_id BIGINT;

-- What has been shown of those who are invited already stays.
INSERT INTO invitees (user_id, shown_id)
  SELECT id, id FROM users WHERE verified_at IS NULL UNION SELECT user_id, user_id FROM memberships WHERE state = 'pending';
