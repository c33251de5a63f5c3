-- Webhooks and devices that an application made, by the access that a user gave it, end with that access.

-- Null: made by the user's own token or page, or before this was known.
ALTER TABLE "webhooks" ADD COLUMN "application_id" BIGINT;
ALTER TABLE "devices" ADD COLUMN "application_id" BIGINT;
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "devices" ADD CONSTRAINT "devices_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE NO ACTION;
CREATE INDEX "webhooks_application_id_created_by_id_idx" ON "webhooks"("application_id", "created_by_id");
CREATE INDEX "devices_application_id_user_id_idx" ON "devices"("application_id", "user_id");

-- Asked whenever an access token or a refresh token of an application ends, however it ends. An application has access while
-- it holds a token of either kind; a refresh token that was used a moment ago is just being replaced. Tokens that users made
-- by hand (name) or that belong to a session are no application's.
CREATE FUNCTION end_what_applications_made() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM access_tokens a WHERE a.user_id = old.user_id AND a.application_id = old.application_id
        AND a.revoked_at IS NULL AND a.name IS NULL AND a.session_id IS NULL AND (a.expires_at IS NULL OR a.expires_at > now()))
    OR EXISTS (SELECT FROM refresh_tokens r WHERE r.user_id = old.user_id AND r.application_id = old.application_id
        AND r.expires_at > now() AND (r.used_at IS NULL OR r.used_at > now() - interval '1 minute'))
  THEN RETURN NULL; END IF;
  DELETE FROM devices d WHERE d.application_id = old.application_id AND d.user_id = old.user_id;
  DELETE FROM webhooks w WHERE w.id IN (
    SELECT id FROM webhooks WHERE application_id = old.application_id AND created_by_id = old.user_id ORDER BY id FOR UPDATE);
  RETURN NULL;
END $$;
CREATE TRIGGER "01_end_what_it_made" AFTER UPDATE ON access_tokens FOR EACH ROW
  WHEN (old.revoked_at IS NULL AND new.revoked_at IS NOT NULL AND new.name IS NULL AND new.session_id IS NULL)
  EXECUTE FUNCTION end_what_applications_made();
CREATE TRIGGER "01_end_what_it_made" AFTER DELETE ON refresh_tokens FOR EACH ROW EXECUTE FUNCTION end_what_applications_made();
