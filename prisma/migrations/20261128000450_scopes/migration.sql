-- What applications may ask for, what users agreed to, and what each token is good for. Whoever named no scopes has all of them.
ALTER TABLE applications ADD COLUMN scopes text[] NOT NULL DEFAULT '{read,write,share,manage}';
ALTER TABLE authorization_codes ADD COLUMN scopes text[] NOT NULL DEFAULT '{read,write,share,manage}';
ALTER TABLE refresh_tokens ADD COLUMN scopes text[] NOT NULL DEFAULT '{read,write,share,manage}';
ALTER TABLE access_tokens ADD COLUMN scopes text[] NOT NULL DEFAULT '{read,write,share,manage}';
ALTER TABLE applications ADD CONSTRAINT known_scopes CHECK (scopes <@ '{read,write,share,manage}' AND scopes <> '{}') NOT VALID;
ALTER TABLE authorization_codes ADD CONSTRAINT known_scopes CHECK (scopes <@ '{read,write,share,manage}' AND scopes <> '{}') NOT VALID;
ALTER TABLE refresh_tokens ADD CONSTRAINT known_scopes CHECK (scopes <@ '{read,write,share,manage}' AND scopes <> '{}') NOT VALID;
ALTER TABLE access_tokens ADD CONSTRAINT known_scopes CHECK (scopes <@ '{read,write,share,manage}' AND scopes <> '{}') NOT VALID;

-- In the order in which they are listed everywhere.
CREATE FUNCTION common_scopes(these text[], those text[]) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(array_agg(s ORDER BY n), '{}') FROM unnest('{read,write,share,manage}'::text[]) WITH ORDINALITY k(s, n)
  WHERE s = ANY (these) AND s = ANY (those)
$$;

-- No token is good for more than its application: one to which nothing is left ends, and so do webhooks and devices of an application
-- that may not be told of anything any more. Codes come first: who makes tokens holds the row of their code, so that all tokens
-- of before are seen behind it, and none is made of what was taken away.
CREATE FUNCTION narrow_scopes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM authorization_codes WHERE application_id = new.id AND NOT scopes && new.scopes;
  UPDATE authorization_codes SET scopes = common_scopes(scopes, new.scopes) WHERE application_id = new.id AND NOT scopes <@ new.scopes;
  DELETE FROM refresh_tokens WHERE application_id = new.id AND NOT scopes && new.scopes;
  UPDATE access_tokens SET revoked_at = now() WHERE application_id = new.id AND revoked_at IS NULL AND NOT scopes && new.scopes;
  UPDATE refresh_tokens SET scopes = common_scopes(scopes, new.scopes) WHERE application_id = new.id AND NOT scopes <@ new.scopes;
  UPDATE access_tokens SET scopes = common_scopes(scopes, new.scopes)
    WHERE application_id = new.id AND revoked_at IS NULL AND NOT scopes <@ new.scopes;
  IF NOT new.scopes @> '{read,manage}' THEN
    DELETE FROM devices WHERE application_id = new.id;
    DELETE FROM webhooks WHERE id IN (SELECT id FROM webhooks WHERE application_id = new.id ORDER BY id FOR UPDATE);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER narrow_scopes AFTER UPDATE ON applications FOR EACH ROW
  WHEN (NOT old.scopes <@ new.scopes) EXECUTE FUNCTION narrow_scopes();

-- Nodes forget a token that is good for other things now, and end what is open with it, as when it ends.
CREATE TRIGGER "00_narrowed" AFTER UPDATE ON access_tokens FOR EACH ROW
  WHEN (new.scopes <> old.scopes AND new.revoked_at IS NULL) EXECUTE FUNCTION record_revocation();
