-- The next task of one that recurs is held by the quota too: where there is no room, completing is refused, and the task stays open with
-- its recurrence. And only those whose quota it is are told how much they have: a member of their list is not.
DROP FUNCTION hold_quota_of_tasks(bigint, bigint);
DROP FUNCTION hold_quota(text, bigint);

CREATE FUNCTION hold_quota(quota text, owner bigint, writer bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  near constant bigint := CASE quota WHEN 'quota_files_bytes' THEN 9223372036854775807 ELSE 1000 END;
  most constant bigint := current_setting('tandem.' || quota)::bigint;
  looked_at constant text := quota || ' ' || owner || ' ' || statement_timestamp();
  used bigint;
BEGIN
  -- What a statement inserts is all there when the first of its rows is looked at; what triggers insert comes one by one.
  IF pg_trigger_depth() <= 1 AND current_setting('tandem.looked_at', true) = looked_at THEN RETURN; END IF;
  FOR turn IN 1..2 LOOP
    used := CASE quota WHEN 'quota_tasks' THEN tasks_of_owner(owner) WHEN 'quota_lists' THEN lists_of_owner(owner)
      ELSE file_bytes_of_user(owner) END;
    EXIT WHEN turn = 2 OR most - used >= near;
    PERFORM pg_advisory_xact_lock(hashtextextended(quota || ' of ' || owner, 0));
  END LOOP;
  IF used > most THEN
    RAISE EXCEPTION 'a quota is reached' USING ERRCODE = 'check_violation', CONSTRAINT = quota,
      DETAIL = CASE WHEN writer IS DISTINCT FROM owner THEN 'of another user' ELSE used || ' of ' || most END;
  END IF;
  PERFORM set_config('tandem.looked_at', looked_at, true);
END $$;

-- For a task that is new in a list: made, or moved from another one, which may be the same owner's.
CREATE FUNCTION hold_quota_of_tasks(into_list bigint, from_list bigint, writer bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  owner constant bigint := (SELECT l.owner_id FROM lists l WHERE l.id = into_list);
BEGIN
  IF owner IS DISTINCT FROM (SELECT l.owner_id FROM lists l WHERE l.id = from_list) THEN
    PERFORM hold_quota('quota_tasks', owner, writer);
  END IF;
END $$;

CREATE OR REPLACE FUNCTION hold_quota_of_lists() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM hold_quota('quota_lists', new.owner_id, new.owner_id);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION hold_quota_of_files() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM hold_quota('quota_files_bytes', new.user_id, new.user_id);
  RETURN NULL;
END $$;

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
  IF tg_op = 'INSERT' AND current_setting('tandem.records_at_once', true) = 'yes' THEN RETURN NULL; END IF;
  IF tg_op = 'UPDATE' AND new.list_id <> old.list_id THEN
    -- A deletion there, a creation here, and neither shows the other list; both locked in the order of their ids.
    PERFORM FROM lists WHERE id IN (old.list_id, new.list_id) ORDER BY id FOR NO KEY UPDATE;
    IF EXISTS (SELECT FROM lists WHERE id = old.list_id AND deleted_at IS NOT NULL) THEN
      RAISE foreign_key_violation USING message = 'the list is gone';
    END IF;
    IF current_setting('tandem.quota_tasks', true) <> '' THEN PERFORM hold_quota_of_tasks(new.list_id, old.list_id, new.updated_by_id); END IF;
    PERFORM announce(old.list_id, 'DELETE', 'task', to_jsonb(old), NULL, new.updated_by_id, new.updated_by_request_id);
    PERFORM announce(new.list_id, 'CREATE', 'task', NULL, to_jsonb(new), new.updated_by_id, new.updated_by_request_id);
  ELSE
    UPDATE lists SET revision = revision + 1 WHERE id = new.list_id AND deleted_at IS NULL RETURNING revision, hooked INTO listed, is_hooked;
    IF NOT found THEN RAISE foreign_key_violation USING message = 'the list is gone'; END IF;
    IF tg_op = 'INSERT' AND current_setting('tandem.quota_tasks', true) <> '' THEN
      PERFORM hold_quota_of_tasks(new.list_id, NULL, new.updated_by_id);
    END IF;
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

CREATE OR REPLACE FUNCTION record_made(of_table regclass, subject text, made bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  in_task boolean := of_table <> 'tasks'::regclass;
  rows text := format('%s r JOIN tasks t ON t.id = r.%s WHERE r.id = ANY ($1)', of_table, CASE WHEN in_task THEN 'task_id' ELSE 'id' END);
  told bigint;
  in_list bigint;
  writer bigint;
  hooked_events bigint[];
  hooked_lists bigint[];
BEGIN
  IF in_task THEN
    EXECUTE format('UPDATE tasks SET revision = tasks.revision + n.count FROM (SELECT t.id, count(*) FROM %s GROUP BY 1) n WHERE tasks.id = n.id', rows) USING made;
  END IF;
  EXECUTE format('SELECT FROM lists WHERE id IN (SELECT t.list_id FROM %s) ORDER BY id FOR NO KEY UPDATE', rows) USING made;
  IF NOT in_task AND current_setting('tandem.quota_tasks', true) <> '' THEN
    FOR in_list, writer IN SELECT list_id, min(updated_by_id) FROM tasks WHERE id = ANY (made) GROUP BY list_id ORDER BY list_id LOOP
      PERFORM hold_quota_of_tasks(in_list, NULL, writer);
    END LOOP;
  END IF;
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
