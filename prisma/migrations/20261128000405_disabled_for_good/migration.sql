-- What was being made for a user while they were disabled does not outlive that: it waits for the lock of end_access_of_disabled_user()
-- at its foreign key, whose check runs before these, and they see that the user is disabled.
CREATE FUNCTION refuse_of_disabled_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM disabled_users WHERE user_id = NEW.user_id) THEN
    EXECUTE format('DELETE FROM %I WHERE id = $1', TG_TABLE_NAME) USING NEW.id;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER refuse_of_disabled AFTER INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION refuse_of_disabled_user();
CREATE TRIGGER refuse_of_disabled AFTER INSERT ON access_tokens FOR EACH ROW EXECUTE FUNCTION refuse_of_disabled_user();
CREATE TRIGGER refuse_of_disabled AFTER INSERT ON refresh_tokens FOR EACH ROW EXECUTE FUNCTION refuse_of_disabled_user();
CREATE TRIGGER refuse_of_disabled AFTER INSERT ON authorization_codes FOR EACH ROW EXECUTE FUNCTION refuse_of_disabled_user();
CREATE TRIGGER refuse_of_disabled AFTER INSERT ON mailed_links FOR EACH ROW EXECUTE FUNCTION refuse_of_disabled_user();
CREATE TRIGGER refuse_of_disabled AFTER INSERT ON calendar_feeds FOR EACH ROW EXECUTE FUNCTION refuse_of_disabled_user();
CREATE TRIGGER refuse_of_disabled AFTER INSERT ON devices FOR EACH ROW EXECUTE FUNCTION refuse_of_disabled_user();
DROP FUNCTION refuse_session_of_disabled_user();

CREATE FUNCTION refuse_webhook_of_disabled_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM webhooks WHERE id = NEW.id AND EXISTS (SELECT FROM disabled_users WHERE user_id = NEW.created_by_id);
  RETURN NULL;
END $$;
CREATE TRIGGER refuse_of_disabled AFTER INSERT ON webhooks FOR EACH ROW EXECUTE FUNCTION refuse_webhook_of_disabled_user();
