-- All that a user has of these is read at once. Users who have more keep them, and can make no others before some are gone.
CREATE FUNCTION limit_applications() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('applications of user ' || new.owner_id, 0));
  IF (SELECT count(*) FROM applications WHERE owner_id = new.owner_id) >= 100 THEN
    RAISE EXCEPTION 'the user has 100 applications' USING ERRCODE = 'check_violation', CONSTRAINT = 'applications_of_user';
  END IF;
  RETURN new;
END $$;
CREATE TRIGGER "00_limit" BEFORE INSERT ON applications FOR EACH ROW WHEN (new.owner_id IS NOT NULL)
  EXECUTE FUNCTION limit_applications();

CREATE FUNCTION limit_personal_tokens() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('personal tokens of user ' || new.user_id, 0));
  IF (SELECT count(*) FROM access_tokens WHERE user_id = new.user_id AND name IS NOT NULL AND revoked_at IS NULL) >= 100 THEN
    RAISE EXCEPTION 'the user has 100 personal tokens' USING ERRCODE = 'check_violation', CONSTRAINT = 'personal_tokens_of_user';
  END IF;
  RETURN new;
END $$;
CREATE TRIGGER "00_limit" BEFORE INSERT ON access_tokens FOR EACH ROW WHEN (new.name IS NOT NULL)
  EXECUTE FUNCTION limit_personal_tokens();
