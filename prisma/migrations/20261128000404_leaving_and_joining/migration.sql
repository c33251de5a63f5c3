-- Who joins a list, or takes an invitation over, brings the webhooks of their account. A lock of its own keeps webhooks of the account
-- from being made meanwhile: what is invited holds up nothing else of the invited user, and is not held up by what they do.
CREATE OR REPLACE FUNCTION hook_list() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM lists WHERE id = new.list_id FOR NO KEY UPDATE;
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('hooks of user ' || new.user_id, 0));
  IF (SELECT hooked FROM users WHERE id = new.user_id) THEN UPDATE lists SET hooked = true WHERE id = new.list_id AND NOT hooked; END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER "00_hook_list" AFTER INSERT OR UPDATE OF state, user_id ON memberships FOR EACH ROW EXECUTE FUNCTION hook_list();

-- Lists come before that lock, it before users, and users before endpoints, in the order of locks. Behind it every list is seen
-- that its maker has joined, and who joins one later sees that their account has a webhook.
CREATE OR REPLACE FUNCTION open_endpoint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF new.list_id IS NOT NULL THEN
    UPDATE lists SET hooked = true WHERE id = new.list_id;
  ELSE
    PERFORM FROM lists WHERE id IN (SELECT list_id FROM memberships WHERE user_id = new.created_by_id) ORDER BY id FOR NO KEY UPDATE;
    PERFORM pg_advisory_xact_lock(hashtextextended('hooks of user ' || new.created_by_id, 0));
    UPDATE users SET hooked = true WHERE id = new.created_by_id;
    UPDATE lists SET hooked = true WHERE id IN (SELECT list_id FROM memberships WHERE user_id = new.created_by_id) AND NOT hooked;
  END IF;
  INSERT INTO webhook_endpoints (webhook_id, list_id, url, configuration, secret, events, skipped_writer, next_day_at)
  VALUES (new.id, new.list_id, new.url, new.configuration, new.secret, new.events, CASE WHEN new.skip_own THEN new.writer END,
          next_day_for(new.list_id, new.events, new.created_by_id));
  RETURN NULL;
END $$;

-- What happened in a list is not told any more to who has left it, nor told again. With the list it is: what happened up to its
-- end. Behind the lock of the list, so that nothing is left out that somebody is just writing there.
CREATE OR REPLACE FUNCTION drop_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM users WHERE id = old.user_id AND hooked) THEN RETURN NULL; END IF;
  PERFORM FROM lists WHERE id = old.list_id AND deleted_at IS NULL FOR NO KEY UPDATE;
  IF NOT found OR EXISTS (SELECT FROM memberships WHERE list_id = old.list_id AND user_id = old.user_id AND state = 'accepted') THEN RETURN NULL; END IF;
  DELETE FROM webhook_deliveries d USING webhook_endpoints p, events e
  WHERE p.maker_id = old.user_id AND p.list_id IS NULL AND d.webhook_id = p.webhook_id AND e.id = d.event_id
    AND coalesce(e.list_id, (e.after->>'list_id')::bigint, (SELECT t.list_id FROM tasks t WHERE t.id = (e.after->>'task_id')::bigint)) = old.list_id;
  RETURN NULL;
END $$;
