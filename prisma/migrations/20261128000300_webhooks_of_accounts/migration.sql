-- Webhooks of an account: of every list of their maker, those joined later too, and of what only the maker sees. Any webhook may
-- choose the kinds of events that it is told, and may leave out what its own application wrote.

-- AlterTable
ALTER TABLE "webhooks" ALTER COLUMN "list_id" DROP NOT NULL, ALTER COLUMN "membership_id" DROP NOT NULL;
ALTER TABLE "webhooks" ADD COLUMN "events" TEXT[], ADD COLUMN "skip_own" BOOLEAN, ADD COLUMN "writer" TEXT;

-- AlterTable
ALTER TABLE "webhook_endpoints" ALTER COLUMN "list_id" DROP NOT NULL;
ALTER TABLE "webhook_endpoints" ADD COLUMN "events" TEXT[], ADD COLUMN "skipped_writer" TEXT, ADD COLUMN "next_day_at" TIMESTAMPTZ(3), ADD COLUMN "told_day" DATE;

-- AlterTable
ALTER TABLE "webhook_deliveries" ADD COLUMN "snapshot" TEXT;

-- AlterTable
ALTER TABLE "users" ADD COLUMN "hooked" BOOLEAN NOT NULL DEFAULT false;

-- CreateIndex
CREATE INDEX "webhook_endpoints_maker_id_idx" ON "webhook_endpoints"("maker_id");



ALTER TABLE webhooks ADD CONSTRAINT of_list_or_account CHECK ((list_id IS NULL) = (membership_id IS NULL));
-- Whose days have to be watched.
CREATE INDEX webhook_endpoints_next_day_idx ON webhook_endpoints (next_day_at) WHERE next_day_at IS NOT NULL;

CREATE OR REPLACE FUNCTION private_columns() RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT '{own_revision,updated_by_id,updated_by_request_id,own_counter,password_hash,verified_at,secret,recurrence_anchor,recurred,created_by_device_udid,hooked,deleted_at,writer}'::text[]
$$;

-- Kinds of events ----------------------------------------------------------------------------------------------------------------

-- What a webhook calls an event: task.created, task.updated, task.completed, task.deleted, and so on for each type.
CREATE FUNCTION event_kind(operation text, subject_type text, before jsonb, after jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT subject_type || CASE operation WHEN 'CREATE' THEN '.created' WHEN 'DELETE' THEN '.deleted'
    ELSE CASE WHEN after->>'completed' = 'true' AND before->>'completed' = 'false' THEN '.completed' ELSE '.updated' END END
$$;

-- Whether an endpoint is told of a kind, when the request that is under way has made the change.
CREATE FUNCTION is_told(endpoint webhook_endpoints, kind text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT endpoint.disabled_at IS NULL AND (endpoint.events IS NULL OR kind = ANY (endpoint.events))
    AND (endpoint.skipped_writer IS NULL OR endpoint.skipped_writer IS DISTINCT FROM current_setting('tandem.writer', true))
$$;

-- One delivery for each webhook of a list, and of the account of each who can see the event, under the lock of the list, so that
-- a list's deliveries are due in the order of its revisions. Called where the list is `hooked`; where nobody is to be told any
-- more, it is not from then on.
CREATE OR REPLACE FUNCTION enqueue_deliveries(of_list bigint, of_event bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  e events;
  kind text;
  audience bigint;
BEGIN
  SELECT * INTO e FROM events WHERE id = of_event;
  kind := event_kind(e.operation, e.subject_type, e.before, e.after);
  WITH heard AS (
    SELECT p FROM webhook_endpoints p WHERE p.list_id = of_list
    UNION ALL
    SELECT p FROM memberships m JOIN webhook_endpoints p ON p.maker_id = m.user_id AND p.list_id IS NULL
    WHERE m.list_id = of_list AND (m.state = 'accepted' OR e.subject_type IN ('list', 'membership'))
    UNION ALL
    -- Who has just left is told that, and the owner of a new list may have no membership yet.
    SELECT p FROM webhook_endpoints p WHERE p.list_id IS NULL AND p.maker_id = CASE
      WHEN e.subject_type = 'membership' AND e.operation = 'DELETE' THEN (e.before->>'user_id')::bigint
      WHEN e.subject_type = 'list' AND e.operation = 'CREATE' THEN (e.after->>'owner_id')::bigint END
      AND NOT EXISTS (SELECT FROM memberships m WHERE m.list_id = of_list AND m.user_id = p.maker_id)),
  told AS (
    INSERT INTO webhook_deliveries (webhook_id, event_id, snapshot)
    SELECT (p).webhook_id, of_event, pg_current_snapshot() FROM heard WHERE is_told(p, kind) ORDER BY (p).webhook_id)
  SELECT count(*) INTO audience FROM heard;
  IF audience = 0 THEN UPDATE lists SET hooked = false WHERE id = of_list; END IF;
END $$;

-- The same for an event that only one user sees. Called where the user is `hooked`.
CREATE FUNCTION enqueue_for_user(of_user bigint, of_event bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_deliveries (webhook_id, event_id, snapshot)
  SELECT p.webhook_id, e.id, pg_current_snapshot() FROM events e, webhook_endpoints p
  WHERE e.id = of_event AND p.maker_id = of_user AND p.list_id IS NULL AND is_told(p, event_kind(e.operation, e.subject_type, e.before, e.after))
  ORDER BY p.webhook_id;
END $$;

-- And for an event that tells of no change, but that something is due for a user: webhooks of the account, and those of its list
-- that ask for it by name.
CREATE FUNCTION enqueue_due(of_user bigint, of_list bigint, of_event bigint, kind text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_deliveries (webhook_id, event_id, snapshot)
  SELECT p.webhook_id, of_event, pg_current_snapshot() FROM webhook_endpoints p
  WHERE p.maker_id = of_user AND is_told(p, kind) AND (p.list_id IS NULL OR (p.list_id = of_list AND p.events IS NOT NULL)) ORDER BY p.webhook_id;
END $$;

-- Days -----------------------------------------------------------------------------------------------------------------------------

-- The zone that the user's setting names; UTC where it names none.
CREATE FUNCTION zone_of(of_user bigint) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  zone text := (SELECT value FROM settings WHERE user_id = of_user AND key IN ('time_zone', 'timezone') ORDER BY key LIMIT 1);
BEGIN
  PERFORM now() AT TIME ZONE zone;
  RETURN coalesce(zone, 'UTC');
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN 'UTC';
END $$;

-- What day it is for a user, and when their next one begins.
CREATE FUNCTION today_of(of_user bigint) RETURNS date LANGUAGE sql STABLE AS $$
  SELECT (now() AT TIME ZONE zone_of(of_user))::date
$$;
CREATE FUNCTION next_day_of(of_user bigint) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT (today_of(of_user) + 1)::timestamp AT TIME ZONE zone_of(of_user)
$$;

-- When an endpoint has to look at the day: of the account always, of a list where it asks for it.
CREATE FUNCTION next_day_for(of_list bigint, kinds text[], of_user bigint) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN 'task.due' = ANY (kinds) OR (kinds IS NULL AND of_list IS NULL) THEN next_day_of(of_user) END
$$;

CREATE FUNCTION move_days() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(new.key, old.key) IN ('time_zone', 'timezone') OR old.key IN ('time_zone', 'timezone') THEN
    UPDATE webhook_endpoints SET next_day_at = next_day_of(maker_id)
      WHERE maker_id = coalesce(new.user_id, old.user_id) AND next_day_at IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "01_move_days" AFTER INSERT OR DELETE OR UPDATE OF key, value ON settings FOR EACH ROW EXECUTE FUNCTION move_days();

-- Endpoints ------------------------------------------------------------------------------------------------------------------------

-- Lists come before users, and both before endpoints, in the order of locks. Who joins a list meanwhile locks the user as well:
-- what they see there, or what is seen here behind that lock, leaves no list out.
CREATE OR REPLACE FUNCTION open_endpoint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF new.list_id IS NOT NULL THEN
    UPDATE lists SET hooked = true WHERE id = new.list_id;
  ELSE
    PERFORM FROM lists WHERE id IN (SELECT list_id FROM memberships WHERE user_id = new.created_by_id) ORDER BY id FOR NO KEY UPDATE;
    UPDATE users SET hooked = true WHERE id = new.created_by_id;
    UPDATE lists SET hooked = true WHERE id IN (SELECT list_id FROM memberships WHERE user_id = new.created_by_id) AND NOT hooked;
  END IF;
  INSERT INTO webhook_endpoints (webhook_id, list_id, url, configuration, secret, events, skipped_writer, next_day_at)
  VALUES (new.id, new.list_id, new.url, new.configuration, new.secret, new.events, CASE WHEN new.skip_own THEN new.writer END,
          next_day_for(new.list_id, new.events, new.created_by_id));
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION change_endpoint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE webhook_endpoints SET url = new.url, configuration = new.configuration, secret = new.secret, events = new.events,
    skipped_writer = CASE WHEN new.skip_own THEN new.writer END,
    next_day_at = CASE WHEN new.events IS DISTINCT FROM old.events THEN next_day_for(new.list_id, new.events, new.created_by_id) ELSE next_day_at END,
    is_prompt = is_prompt AND new.url = old.url,
    former_secret = CASE WHEN new.secret = old.secret THEN former_secret ELSE old.secret END,
    former_secret_until = CASE WHEN new.secret = old.secret THEN former_secret_until ELSE now() + interval '24 hours' END
  WHERE webhook_id = new.id;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER "01_change_endpoint" AFTER UPDATE ON webhooks FOR EACH ROW
  WHEN ((new.url, new.configuration, new.secret, new.events, new.skip_own) IS DISTINCT FROM (old.url, old.configuration, old.secret, old.events, old.skip_own))
  EXECUTE FUNCTION change_endpoint();

CREATE OR REPLACE FUNCTION close_endpoint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF old.list_id IS NULL THEN
    DELETE FROM webhook_endpoints WHERE webhook_id = old.id;
    UPDATE users SET hooked = EXISTS (SELECT FROM webhook_endpoints WHERE maker_id = old.created_by_id AND list_id IS NULL) WHERE id = old.created_by_id;
    RETURN NULL;
  END IF;
  IF NOT EXISTS (SELECT FROM lists WHERE id = old.list_id AND deleted_at IS NULL) THEN RETURN NULL; END IF;
  DELETE FROM webhook_endpoints WHERE webhook_id = old.id; -- the next event sees whether it was the last
  RETURN NULL;
END $$;

-- Who joins a list brings the webhooks of their account. Before "00_record", whose event they are told.
CREATE FUNCTION hook_list() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM lists WHERE id = new.list_id FOR NO KEY UPDATE;
  IF (SELECT hooked FROM users WHERE id = new.user_id FOR SHARE) THEN UPDATE lists SET hooked = true WHERE id = new.list_id AND NOT hooked; END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "00_hook_list" AFTER INSERT OR UPDATE OF state ON memberships FOR EACH ROW EXECUTE FUNCTION hook_list();

CREATE FUNCTION hook_new_list() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.hooked := coalesce((SELECT hooked FROM users WHERE id = new.owner_id), false);
  RETURN new;
END $$;
CREATE TRIGGER "00_hook" BEFORE INSERT ON lists FOR EACH ROW EXECUTE FUNCTION hook_new_list();

-- What happened in a list is not told any more to who has left it. With the list it is: what happened up to its end.
CREATE FUNCTION drop_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM users WHERE id = old.user_id AND hooked)
    OR NOT EXISTS (SELECT FROM lists WHERE id = old.list_id AND deleted_at IS NULL) THEN RETURN NULL; END IF;
  DELETE FROM webhook_deliveries d USING webhook_endpoints p, events e
  WHERE p.maker_id = old.user_id AND p.list_id IS NULL AND d.webhook_id = p.webhook_id AND d.due_at IS NOT NULL AND e.id = d.event_id
    AND coalesce(e.list_id, (e.after->>'list_id')::bigint, (SELECT t.list_id FROM tasks t WHERE t.id = (e.after->>'task_id')::bigint)) = old.list_id;
  RETURN NULL;
END $$;
CREATE TRIGGER "00_drop_deliveries" AFTER DELETE ON memberships FOR EACH ROW EXECUTE FUNCTION drop_deliveries();

CREATE OR REPLACE FUNCTION limit_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF new.list_id IS NOT NULL THEN
    PERFORM pg_advisory_xact_lock(hashtextextended('webhooks of list ' || new.list_id, 0));
    IF (SELECT count(*) FROM webhooks WHERE list_id = new.list_id) >= 20 THEN
      RAISE EXCEPTION 'the list has 20 webhooks' USING ERRCODE = 'check_violation', CONSTRAINT = 'webhooks_of_list';
    END IF;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('webhooks of user ' || new.created_by_id, 0));
  IF (SELECT count(*) FROM webhooks WHERE created_by_id = new.created_by_id) >= 100 THEN
    RAISE EXCEPTION 'the user has made 100 webhooks' USING ERRCODE = 'check_violation', CONSTRAINT = 'webhooks_of_user';
  END IF;
  -- Each of them makes every write in all of the maker's lists dearer.
  IF new.list_id IS NULL AND (SELECT count(*) FROM webhooks WHERE created_by_id = new.created_by_id AND list_id IS NULL) >= 20 THEN
    RAISE EXCEPTION 'the user has 20 webhooks of the account' USING ERRCODE = 'check_violation', CONSTRAINT = 'webhooks_of_account';
  END IF;
  RETURN new;
END $$;

-- Events of webhooks, and of one user's rows ---------------------------------------------------------------------------------------

-- An event that only one user sees, and what follows from it.
CREATE FUNCTION announce_to_user(of_user bigint, more integer, operation text, subject text, was jsonb, now_is jsonb, actor bigint, request text)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  is_hooked boolean;
  event bigint;
  seen jsonb := coalesce(now_is, was);
BEGIN
  UPDATE users SET own_counter = own_counter + 1, revision = revision + more WHERE id = of_user RETURNING hooked INTO is_hooked;
  IF NOT found THEN RETURN; END IF; -- the user is being deleted
  INSERT INTO events (user_id, operation, subject_type, subject_id, revision, actor_id, request_id, before, after)
  VALUES (of_user, operation, subject, (seen->>'id')::bigint, (seen->>'revision')::bigint, actor, request,
          was - private_columns(), now_is - private_columns()) RETURNING id INTO event;
  IF is_hooked THEN PERFORM enqueue_for_user(of_user, event); END IF;
END $$;

CREATE FUNCTION record_webhook() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  operation text := CASE tg_op WHEN 'INSERT' THEN 'CREATE' ELSE 'UPDATE' END;
BEGIN
  IF new.list_id IS NULL THEN
    PERFORM announce_to_user(new.created_by_id, 0, operation, 'webhook', to_jsonb(old), to_jsonb(new), new.updated_by_id, new.updated_by_request_id);
  ELSE
    PERFORM announce(new.list_id, operation, 'webhook', to_jsonb(old), to_jsonb(new), new.updated_by_id, new.updated_by_request_id);
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION record_webhook_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF old.list_id IS NULL THEN
    PERFORM announce_to_user(old.created_by_id, 0, 'DELETE', 'webhook', to_jsonb(old), NULL, deleted_by(), deleted_in());
  ELSE
    PERFORM announce(old.list_id, 'DELETE', 'webhook', to_jsonb(old), NULL, deleted_by(), deleted_in());
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "00_record" AFTER INSERT ON webhooks FOR EACH ROW EXECUTE FUNCTION record_webhook();
CREATE OR REPLACE TRIGGER "00_record_end" AFTER DELETE ON webhooks FOR EACH ROW EXECUTE FUNCTION record_webhook_end();
SELECT watch_own_changes('webhooks', 'own_change()', 'record_webhook()');

-- A folder, setting or reminder that was made or changed (arguments: subject type, how much the user's own revision grows).
CREATE OR REPLACE FUNCTION record_for_user() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_hooked boolean;
  event bigint;
BEGIN
  IF tg_op = 'INSERT' AND tg_argv[0] = 'reminder' AND current_setting('tandem.records_at_once', true) = 'yes' THEN RETURN NULL; END IF;
  UPDATE users SET own_counter = own_counter + 1, revision = revision + tg_argv[1]::integer WHERE id = new.user_id RETURNING hooked INTO is_hooked;
  IF NOT found THEN RETURN NULL; END IF; -- the user is being deleted
  INSERT INTO events (user_id, operation, subject_type, subject_id, revision, actor_id, request_id, before, after)
  VALUES (new.user_id, CASE tg_op WHEN 'INSERT' THEN 'CREATE' ELSE 'UPDATE' END, tg_argv[0], new.id, new.revision,
          new.updated_by_id, new.updated_by_request_id,
          to_jsonb(old) - '{own_revision,updated_by_id,updated_by_request_id,created_by_device_udid}'::text[],
          to_jsonb(new) - '{own_revision,updated_by_id,updated_by_request_id,created_by_device_udid}'::text[]) RETURNING id INTO event;
  IF is_hooked THEN PERFORM enqueue_for_user(new.user_id, event); END IF;
  RETURN NULL;
END $$;

-- Its end. A reminder that goes with its task, whose event tells all, makes the root grow all the same; one that goes with a
-- list has made it grow when the list was marked, and statements that take away what was in such a list say so.
CREATE OR REPLACE FUNCTION record_end_for_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF tg_argv[0] = 'reminder' AND current_setting('tandem.list_is_gone', true) = 'yes' THEN RETURN NULL; END IF;
  IF tg_argv[0] = 'reminder' AND NOT EXISTS (SELECT FROM tasks WHERE id = (to_jsonb(old)->>'task_id')::bigint) THEN
    UPDATE users SET own_counter = own_counter + 1, revision = revision + tg_argv[1]::integer WHERE id = old.user_id;
    RETURN NULL;
  END IF;
  PERFORM announce_to_user(old.user_id, tg_argv[1]::integer, 'DELETE', tg_argv[0], to_jsonb(old), NULL, deleted_by(), deleted_in());
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION record_list_position() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM announce_to_user(new.id, 0, 'UPDATE', 'list_position', position_before(to_jsonb(old), new.id), to_jsonb(new), new.updated_by_id, new.updated_by_request_id);
  RETURN NULL;
END $$;

-- The user themselves: own_change_of_user() has counted already.
CREATE OR REPLACE FUNCTION record_user() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  event bigint;
BEGIN
  INSERT INTO events (user_id, operation, subject_type, subject_id, revision, actor_id, request_id, before, after)
  VALUES (new.id, 'UPDATE', 'user', new.id, new.revision, new.updated_by_id, new.updated_by_request_id,
          to_jsonb(old) - private_columns(), to_jsonb(new) - private_columns()) RETURNING id INTO event;
  IF new.hooked THEN PERFORM enqueue_for_user(new.id, event); END IF;
  RETURN NULL;
END $$;

-- Records rows of tasks, subtasks, notes or comments that were inserted in this transaction: the same revisions and events, in
-- the order of their ids, as if the triggers had seen them one by one. Tasks that were there before are locked by the caller.
CREATE OR REPLACE FUNCTION record_made(of_table regclass, subject text, made bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  in_task boolean := of_table <> 'tasks'::regclass;
  rows text := format('%s r JOIN tasks t ON t.id = r.%s WHERE r.id = ANY ($1)', of_table, CASE WHEN in_task THEN 'task_id' ELSE 'id' END);
  told bigint;
  hooked_events bigint[];
  hooked_lists bigint[];
BEGIN
  IF in_task THEN
    EXECUTE format('UPDATE tasks SET revision = tasks.revision + n.count FROM (SELECT t.id, count(*) FROM %s GROUP BY 1) n WHERE tasks.id = n.id', rows) USING made;
  END IF;
  EXECUTE format('SELECT FROM lists WHERE id IN (SELECT t.list_id FROM %s) ORDER BY id FOR NO KEY UPDATE', rows) USING made;
  -- Behind the lock, so that it sees every webhook that was made before.
  EXECUTE format('
    WITH made AS MATERIALIZED (
      SELECT t.list_id, r.id, r.revision, r.updated_by_id, r.updated_by_request_id, to_jsonb(r) - private_columns() AS shown FROM %s),
    listed AS (
      UPDATE lists SET revision = lists.revision + n.count FROM (SELECT list_id, count(*) FROM made GROUP BY 1) n
      WHERE lists.id = n.list_id AND lists.deleted_at IS NULL RETURNING lists.id, lists.revision - n.count AS revision, lists.hooked),
    told AS (
      INSERT INTO events (list_id, list_revision, operation, subject_type, subject_id, revision, actor_id, request_id, after)
      SELECT m.list_id, l.revision + row_number() OVER (PARTITION BY m.list_id ORDER BY m.id), ''CREATE'', $2, m.id, m.revision,
        m.updated_by_id, m.updated_by_request_id, m.shown
      FROM made m JOIN listed l ON l.id = m.list_id ORDER BY m.list_id, m.id RETURNING id, list_id)
    SELECT count(*), array_agg(e.id ORDER BY e.id) FILTER (WHERE l.hooked), array_agg(e.list_id ORDER BY e.id) FILTER (WHERE l.hooked)
    FROM told e JOIN listed l ON l.id = e.list_id', rows) INTO told, hooked_events, hooked_lists USING made, subject;
  PERFORM enqueue_deliveries(h.list_id, h.id) FROM unnest(hooked_lists, hooked_events) h(list_id, id);
  IF told < cardinality(made) THEN RAISE foreign_key_violation USING message = 'the list is gone'; END IF;
END $$;

-- The same for reminders, which are below their user.
CREATE OR REPLACE FUNCTION record_made_reminders(made bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  hooked_events bigint[];
  hooked_users bigint[];
BEGIN
  WITH mine AS (SELECT user_id, count(*) FROM reminders WHERE id = ANY (made) GROUP BY 1)
  UPDATE users SET own_counter = own_counter + mine.count, revision = revision + mine.count FROM mine WHERE users.id = mine.user_id;
  WITH told AS (
    INSERT INTO events (user_id, operation, subject_type, subject_id, revision, actor_id, request_id, after)
    SELECT user_id, 'CREATE', 'reminder', id, revision, updated_by_id, updated_by_request_id, to_jsonb(r) - private_columns()
    FROM reminders r WHERE id = ANY (made) ORDER BY id RETURNING id, user_id)
  SELECT array_agg(told.id ORDER BY told.id), array_agg(told.user_id ORDER BY told.id) INTO hooked_events, hooked_users
    FROM told JOIN users u ON u.id = told.user_id AND u.hooked;
  PERFORM enqueue_for_user(h.user_id, h.id) FROM unnest(hooked_users, hooked_events) h(user_id, id);
END $$;
