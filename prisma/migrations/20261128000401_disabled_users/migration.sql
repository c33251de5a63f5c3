-- Users whom an operator keeps out. A table of its own, so that no event and no snapshot of a user tells of it.
CREATE TABLE "disabled_users" (
    "user_id" BIGINT NOT NULL,
    "disabled_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "disabled_users_pkey" PRIMARY KEY ("user_id"),
    CONSTRAINT "disabled_users_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION
);

-- What opens the account or sends its data elsewhere ends with it. The row lock waits for sign-ins that are under way.
CREATE FUNCTION end_access_of_disabled_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM users WHERE id = NEW.user_id FOR UPDATE;
  UPDATE access_tokens SET revoked_at = now() WHERE user_id = NEW.user_id AND revoked_at IS NULL;
  DELETE FROM sessions WHERE user_id = NEW.user_id;
  DELETE FROM refresh_tokens WHERE user_id = NEW.user_id;
  DELETE FROM authorization_codes WHERE user_id = NEW.user_id;
  DELETE FROM mailed_links WHERE user_id = NEW.user_id;
  DELETE FROM calendar_feeds WHERE user_id = NEW.user_id;
  DELETE FROM devices WHERE user_id = NEW.user_id;
  DELETE FROM webhooks WHERE created_by_id = NEW.user_id;
  RETURN NULL;
END $$;

CREATE TRIGGER end_access AFTER INSERT ON disabled_users FOR EACH ROW EXECUTE FUNCTION end_access_of_disabled_user();

-- Runs behind the check of the foreign key, which waits for that lock; so it sees whether the user was disabled meanwhile.
CREATE FUNCTION refuse_session_of_disabled_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM sessions WHERE id = NEW.id AND EXISTS (SELECT FROM disabled_users WHERE user_id = NEW.user_id);
  RETURN NULL;
END $$;

CREATE TRIGGER refuse_of_disabled AFTER INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION refuse_session_of_disabled_user();
