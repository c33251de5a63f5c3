-- Quotas are settings of the sessions of nodes: tandem.quota_tasks, tandem.quota_lists and tandem.quota_files_bytes. Where one is not
-- set, its triggers are not called. What a user has is what would go with them: the lists that they own with their tasks, and
-- their files.

CREATE FUNCTION tasks_of_owner(owner bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT count(*) FROM lists l JOIN tasks t ON t.list_id = l.id WHERE l.owner_id = owner AND l.deleted_at IS NULL
$$;

CREATE FUNCTION lists_of_owner(owner bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT count(*) FROM lists l WHERE l.owner_id = owner AND l.list_type = 'list' AND l.deleted_at IS NULL
$$;

-- What is being uploaded counts with the size that was announced.
CREATE FUNCTION file_bytes_of_user(owner bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT sum(f.file_size) FROM files f WHERE f.user_id = owner), 0)::bigint
    + coalesce((SELECT sum(u.file_size) FROM uploads u WHERE u.user_id = owner AND u.used_at IS NULL), 0)::bigint
$$;

-- Called behind a statement, when its rows are there, and once for each owner, however many rows it has. Far from the quota nobody
-- waits; near it the writers of one owner take turns, and each sees what those before it have committed.
CREATE FUNCTION hold_quota(quota text, owner bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  near constant bigint := CASE quota WHEN 'quota_files_bytes' THEN 9223372036854775807 ELSE 1000 END;
  most constant bigint := current_setting('tandem.' || quota)::bigint;
  looked_at constant text := quota || ' ' || owner || ' ' || statement_timestamp();
  used bigint;
BEGIN
  IF current_setting('tandem.looked_at', true) = looked_at THEN RETURN; END IF;
  FOR turn IN 1..2 LOOP
    used := CASE quota WHEN 'quota_tasks' THEN tasks_of_owner(owner) WHEN 'quota_lists' THEN lists_of_owner(owner)
      ELSE file_bytes_of_user(owner) END;
    EXIT WHEN turn = 2 OR most - used >= near;
    PERFORM pg_advisory_xact_lock(hashtextextended(quota || ' of ' || owner, 0));
  END LOOP;
  IF used > most THEN
    RAISE EXCEPTION 'a quota is reached' USING ERRCODE = 'check_violation', CONSTRAINT = quota, DETAIL = used || ' of ' || most;
  END IF;
  PERFORM set_config('tandem.looked_at', looked_at, true);
END $$;

-- For a task that is new in a list: made, or moved from another one, which may be the same owner's.
CREATE FUNCTION hold_quota_of_tasks(into_list bigint, from_list bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  owner constant bigint := (SELECT l.owner_id FROM lists l WHERE l.id = into_list);
BEGIN
  IF owner IS DISTINCT FROM (SELECT l.owner_id FROM lists l WHERE l.id = from_list) THEN
    PERFORM hold_quota('quota_tasks', owner);
  END IF;
END $$;

CREATE FUNCTION hold_quota_of_lists() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM hold_quota('quota_lists', new.owner_id);
  RETURN NULL;
END $$;

CREATE FUNCTION hold_quota_of_files() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM hold_quota('quota_files_bytes', new.user_id);
  RETURN NULL;
END $$;

-- In the trigger that is there for every task: one more would cost each insert more than asking for a setting does. Before the list is
-- locked, so that those who wait for their turn hold nothing that others need.
CREATE OR REPLACE FUNCTION record_task() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  listed bigint;
  is_hooked boolean;
  event bigint;
BEGIN
  IF NOT (char_length(new.title) BETWEEN 1 AND 255 AND new.completed = (new.completed_at IS NOT NULL)
      AND CASE WHEN new.recurrence_type IS NULL THEN new.recurrence_count IS NULL
               ELSE new.recurrence_type IN ('day', 'week', 'month', 'year') AND new.recurrence_count IS NOT NULL AND new.recurrence_count >= 1 END) THEN
    PERFORM refuse_row('tasks', CASE
      WHEN char_length(new.title) NOT BETWEEN 1 AND 255 THEN 'title_length'
      WHEN (new.recurrence_type IS NULL) <> (new.recurrence_count IS NULL) THEN 'recurrence_pair'
      WHEN new.recurrence_type NOT IN ('day', 'week', 'month', 'year') THEN 'recurrence_type_known'
      WHEN new.recurrence_count < 1 THEN 'recurrence_count_range'
      ELSE 'completed_since' END);
  END IF;
  -- What a trigger makes itself, the next task of one that recurs, is never refused: completing a task must not fail.
  IF tg_op = 'INSERT' AND current_setting('tandem.quota_tasks', true) <> '' AND pg_trigger_depth() = 1 THEN
    PERFORM hold_quota_of_tasks(new.list_id, NULL);
  END IF;
  IF tg_op = 'INSERT' AND current_setting('tandem.records_at_once', true) = 'yes' THEN RETURN NULL; END IF;
  IF tg_op = 'UPDATE' AND new.list_id <> old.list_id THEN
    IF current_setting('tandem.quota_tasks', true) <> '' THEN PERFORM hold_quota_of_tasks(new.list_id, old.list_id); END IF;
    -- A deletion there, a creation here, and neither shows the other list; both locked in the order of their ids.
    PERFORM FROM lists WHERE id IN (old.list_id, new.list_id) ORDER BY id FOR NO KEY UPDATE;
    IF EXISTS (SELECT FROM lists WHERE id = old.list_id AND deleted_at IS NOT NULL) THEN
      RAISE foreign_key_violation USING message = 'the list is gone';
    END IF;
    PERFORM announce(old.list_id, 'DELETE', 'task', to_jsonb(old), NULL, new.updated_by_id, new.updated_by_request_id);
    PERFORM announce(new.list_id, 'CREATE', 'task', NULL, to_jsonb(new), new.updated_by_id, new.updated_by_request_id);
  ELSE
    UPDATE lists SET revision = revision + 1 WHERE id = new.list_id AND deleted_at IS NULL RETURNING revision, hooked INTO listed, is_hooked;
    IF NOT found THEN RAISE foreign_key_violation USING message = 'the list is gone'; END IF;
    INSERT INTO events (list_id, list_revision, operation, subject_type, subject_id, revision, actor_id, request_id, before, after)
    VALUES (new.list_id, listed, CASE tg_op WHEN 'INSERT' THEN 'CREATE' ELSE 'UPDATE' END, 'task', new.id, new.revision,
            new.updated_by_id, new.updated_by_request_id,
            to_jsonb(old) - '{own_revision,updated_by_id,updated_by_request_id,recurrence_anchor,recurred}'::text[],
            to_jsonb(new) - '{own_revision,updated_by_id,updated_by_request_id,recurrence_anchor,recurred}'::text[]) RETURNING id INTO event;
    IF is_hooked THEN PERFORM enqueue_deliveries(new.list_id, event); END IF;
  END IF;
  IF new.recurred AND tg_op = 'UPDATE' AND NOT old.recurred THEN PERFORM recur(new); END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "000_quota" AFTER INSERT ON lists FOR EACH ROW
  WHEN (new.list_type = 'list' AND current_setting('tandem.quota_lists', true) <> '') EXECUTE FUNCTION hold_quota_of_lists();
CREATE TRIGGER "000_quota" AFTER INSERT ON uploads FOR EACH ROW
  WHEN (current_setting('tandem.quota_files_bytes', true) <> '') EXECUTE FUNCTION hold_quota_of_files();
