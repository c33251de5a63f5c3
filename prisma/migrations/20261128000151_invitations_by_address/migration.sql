-- An invitation by address is another one than an invitation by number, until either is accepted: a member who invites the same
-- person in both ways is not told that they are the same.

-- DropIndex
DROP INDEX "memberships_list_id_user_id_key";

-- AlterTable
ALTER TABLE "memberships" ADD COLUMN "by_address" BOOLEAN NOT NULL DEFAULT false;

UPDATE memberships SET by_address = true
  WHERE shown_user_id IS NOT NULL OR user_id IN (SELECT id FROM users WHERE verified_at IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "memberships_list_id_user_id_by_address_key" ON "memberships"("list_id", "user_id", "by_address");

-- A member has one membership: what accepts one ends the other.
CREATE UNIQUE INDEX one_acceptance ON memberships (list_id, user_id) WHERE state = 'accepted';

SELECT watch_own_changes('memberships', 'own_change()', 'record_in_list(''membership'')');

-- A membership's end: unless the user has another to the same list, it leaves their folders, and its revision stays in their root.
-- Runs after the record, so the list is locked and counted. On the list's own end nothing is left to find.
CREATE OR REPLACE FUNCTION leave_list() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM memberships WHERE list_id = old.list_id AND user_id = old.user_id) THEN RETURN NULL; END IF;
  UPDATE folders SET list_ids = array_remove(list_ids, old.list_id), updated_at = now(), updated_by_id = deleted_by(), updated_by_request_id = deleted_in()
    WHERE user_id = old.user_id AND old.list_id = ANY (list_ids);
  UPDATE users SET own_counter = own_counter + l.revision + 1 FROM lists l WHERE users.id = old.user_id AND l.id = old.list_id AND l.deleted_at IS NULL;
  RETURN NULL;
END $$;
