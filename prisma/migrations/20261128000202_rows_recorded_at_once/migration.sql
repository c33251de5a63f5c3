-- Rows that an import makes are recorded by the batch: one bump of each row above them, and one INSERT of all their events. The
-- writer says so in `tandem.records_at_once`, for its transaction, and calls record_made() for what it has inserted.

-- A task that was made, changed or moved. Its limits are held here, and not by CHECKs.
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

-- A subtask, note or comment that was made or changed. Bumps the task, then its list; one event.
CREATE OR REPLACE FUNCTION record_in_task() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  in_list bigint;
  listed bigint;
  is_hooked boolean;
  event bigint;
BEGIN
  IF tg_op = 'INSERT' AND current_setting('tandem.records_at_once', true) = 'yes' THEN RETURN NULL; END IF;
  UPDATE tasks SET revision = revision + 1 WHERE id = new.task_id RETURNING list_id INTO in_list;
  UPDATE lists SET revision = revision + 1 WHERE id = in_list AND deleted_at IS NULL RETURNING revision, hooked INTO listed, is_hooked;
  IF NOT found THEN RAISE foreign_key_violation USING message = 'the task is gone'; END IF;
  INSERT INTO events (list_id, list_revision, operation, subject_type, subject_id, revision, actor_id, request_id, before, after)
  VALUES (in_list, listed, CASE tg_op WHEN 'INSERT' THEN 'CREATE' ELSE 'UPDATE' END, tg_argv[0], new.id, new.revision,
          new.updated_by_id, new.updated_by_request_id,
          to_jsonb(old) - '{own_revision,updated_by_id,updated_by_request_id}'::text[],
          to_jsonb(new) - '{own_revision,updated_by_id,updated_by_request_id}'::text[]) RETURNING id INTO event;
  IF is_hooked THEN PERFORM enqueue_deliveries(in_list, event); END IF;
  RETURN NULL;
END $$;

-- A folder, setting or reminder that was made or changed (arguments: subject type, how much the user's own revision grows).
CREATE OR REPLACE FUNCTION record_for_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF tg_op = 'INSERT' AND tg_argv[0] = 'reminder' AND current_setting('tandem.records_at_once', true) = 'yes' THEN RETURN NULL; END IF;
  UPDATE users SET own_counter = own_counter + 1, revision = revision + tg_argv[1]::integer WHERE id = new.user_id;
  IF NOT found THEN RETURN NULL; END IF; -- the user is being deleted
  INSERT INTO events (user_id, operation, subject_type, subject_id, revision, actor_id, request_id, before, after)
  VALUES (new.user_id, CASE tg_op WHEN 'INSERT' THEN 'CREATE' ELSE 'UPDATE' END, tg_argv[0], new.id, new.revision,
          new.updated_by_id, new.updated_by_request_id,
          to_jsonb(old) - '{own_revision,updated_by_id,updated_by_request_id,created_by_device_udid}'::text[],
          to_jsonb(new) - '{own_revision,updated_by_id,updated_by_request_id,created_by_device_udid}'::text[]);
  RETURN NULL;
END $$;

-- Records rows of tasks, subtasks, notes or comments that were inserted in this transaction: the same revisions and events, in
-- the order of their ids, as if the triggers had seen them one by one. Tasks that were there before are locked by the caller.
CREATE FUNCTION record_made(of_table regclass, subject text, made bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  in_task boolean := of_table <> 'tasks'::regclass;
  rows text := format('%s r JOIN tasks t ON t.id = r.%s WHERE r.id = ANY ($1)', of_table, CASE WHEN in_task THEN 'task_id' ELSE 'id' END);
  told bigint;
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
      FROM made m JOIN listed l ON l.id = m.list_id ORDER BY m.list_id, m.id RETURNING id, list_id),
    due AS (
      INSERT INTO webhook_deliveries (webhook_id, event_id)
      SELECT w.webhook_id, e.id FROM told e JOIN listed l ON l.id = e.list_id AND l.hooked
        JOIN webhook_endpoints w ON w.list_id = e.list_id AND w.disabled_at IS NULL ORDER BY e.id, w.webhook_id)
    SELECT count(*) FROM told', rows) INTO told USING made, subject;
  IF told < cardinality(made) THEN RAISE foreign_key_violation USING message = 'the list is gone'; END IF;
END $$;

-- The same for reminders, which are below their user.
CREATE FUNCTION record_made_reminders(made bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH mine AS (SELECT user_id, count(*) FROM reminders WHERE id = ANY (made) GROUP BY 1)
  UPDATE users SET own_counter = own_counter + mine.count, revision = revision + mine.count FROM mine WHERE users.id = mine.user_id;
  INSERT INTO events (user_id, operation, subject_type, subject_id, revision, actor_id, request_id, after)
  SELECT user_id, 'CREATE', 'reminder', id, revision, updated_by_id, updated_by_request_id, to_jsonb(r) - private_columns()
  FROM reminders r WHERE id = ANY (made) ORDER BY id;
END $$;
