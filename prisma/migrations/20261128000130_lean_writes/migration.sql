-- What a write costs beside its row, made less: one function for each event of a table, with nothing called in between;
-- triggers that name their columns, for a WHEN or a CHECK is parsed from its text by every statement that touches the table;
-- and no look for webhooks where a list has none.
--
-- Nothing here reads or rewrites a table, but for the lists that have webhooks.

ALTER TABLE lists
  ADD COLUMN hooked boolean NOT NULL DEFAULT false,  -- whether a webhook is told of the list; the webhooks' triggers keep it
  ADD COLUMN deleted_at timestamptz(3);              -- deleted for everybody: what was in it is taken away bit by bit
CREATE INDEX lists_deleted_at_idx ON lists (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE OR REPLACE FUNCTION private_columns() RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT '{own_revision,updated_by_id,updated_by_request_id,own_counter,password_hash,verified_at,secret,recurrence_anchor,recurred,created_by_device_udid,hooked,deleted_at}'::text[]
$$;

-- Webhooks ---------------------------------------------------------------------------------------------------------------------

DROP TRIGGER IF EXISTS "00_enqueue_deliveries" ON events;
DROP FUNCTION enqueue_deliveries();

-- One delivery for each webhook of a list, under the lock of the list, so that a list's deliveries are due in the order of its
-- revisions. Called where the list is `hooked`.
CREATE FUNCTION enqueue_deliveries(of_list bigint, of_event bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_deliveries (webhook_id, event_id)
  SELECT webhook_id, of_event FROM webhook_endpoints WHERE list_id = of_list AND disabled_at IS NULL ORDER BY webhook_id;
END $$;

-- Always written, also where it is set: who has just taken it back under the lock of the list must be waited for.
CREATE OR REPLACE FUNCTION open_endpoint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE lists SET hooked = true WHERE id = new.list_id;
  INSERT INTO webhook_endpoints (webhook_id, list_id, url, configuration, secret)
  VALUES (new.id, new.list_id, new.url, new.configuration, new.secret);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION close_endpoint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM lists WHERE id = old.list_id AND deleted_at IS NULL) THEN RETURN NULL; END IF;
  DELETE FROM webhook_endpoints WHERE webhook_id = old.id;
  UPDATE lists SET hooked = EXISTS (SELECT FROM webhook_endpoints WHERE list_id = old.list_id) WHERE id = old.list_id;
  RETURN NULL;
END $$;

-- Events of a list's rows ------------------------------------------------------------------------------------------------------
-- Each bumps the list under its row lock, and the event carries that number: no gaps, and a list's events commit in their
-- order. A list that is marked as deleted is gone: what is deleted in it is part of its own, last event, and nothing else may
-- happen in it.

CREATE OR REPLACE FUNCTION announce(in_list bigint, operation text, subject text, was jsonb, now_is jsonb, actor bigint, request text)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  listed bigint;
  is_hooked boolean;
  event bigint;
  seen jsonb := coalesce(now_is, was);
BEGIN
  UPDATE lists SET revision = revision + 1 WHERE id = in_list AND deleted_at IS NULL RETURNING revision, hooked INTO listed, is_hooked;
  IF NOT found AND operation = 'DELETE' THEN RETURN; END IF;
  IF NOT found THEN RAISE foreign_key_violation USING message = 'the list is gone'; END IF;
  INSERT INTO events (list_id, list_revision, operation, subject_type, subject_id, revision, actor_id, request_id, before, after)
  VALUES (in_list, listed, operation, subject, (seen->>'id')::bigint, (seen->>'revision')::bigint, actor, request,
          was - private_columns(), now_is - private_columns()) RETURNING id INTO event;
  IF is_hooked THEN PERFORM enqueue_deliveries(in_list, event); END IF;
END $$;

-- A task that was made, changed or moved. Its limits are held here, and not by CHECKs.
CREATE FUNCTION record_task() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- The last line of what a row may hold, as a CHECK of that name would tell it.
CREATE FUNCTION refuse_row(of_table text, limit_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE check_violation USING
    message = format('new row for relation "%s" violates check constraint "%s"', of_table, limit_name), constraint = limit_name, table = of_table;
END $$;

-- A membership or a webhook (argument: subject type).
CREATE OR REPLACE FUNCTION record_in_list() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM announce(new.list_id, CASE tg_op WHEN 'INSERT' THEN 'CREATE' ELSE 'UPDATE' END, tg_argv[0], to_jsonb(old), to_jsonb(new),
                   new.updated_by_id, new.updated_by_request_id);
  RETURN NULL;
END $$;

-- The end of a task, a membership or a webhook.
CREATE FUNCTION record_end_in_list() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  listed bigint;
  is_hooked boolean;
  event bigint;
BEGIN
  UPDATE lists SET revision = revision + 1 WHERE id = old.list_id AND deleted_at IS NULL RETURNING revision, hooked INTO listed, is_hooked;
  IF NOT found THEN RETURN NULL; END IF;
  INSERT INTO events (list_id, list_revision, operation, subject_type, subject_id, revision, actor_id, request_id, before)
  VALUES (old.list_id, listed, 'DELETE', tg_argv[0], old.id, old.revision, deleted_by(), deleted_in(), to_jsonb(old) - private_columns())
  RETURNING id INTO event;
  IF is_hooked THEN PERFORM enqueue_deliveries(old.list_id, event); END IF;
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

-- Its end; with its task it has no event.
CREATE FUNCTION record_end_in_task() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  in_list bigint;
  listed bigint;
  is_hooked boolean;
  event bigint;
BEGIN
  UPDATE tasks SET revision = revision + 1 WHERE id = old.task_id RETURNING list_id INTO in_list;
  IF NOT found THEN RETURN NULL; END IF;
  UPDATE lists SET revision = revision + 1 WHERE id = in_list AND deleted_at IS NULL RETURNING revision, hooked INTO listed, is_hooked;
  IF NOT found THEN RETURN NULL; END IF;
  INSERT INTO events (list_id, list_revision, operation, subject_type, subject_id, revision, actor_id, request_id, before)
  VALUES (in_list, listed, 'DELETE', tg_argv[0], old.id, old.revision, deleted_by(), deleted_in(), to_jsonb(old) - private_columns())
  RETURNING id INTO event;
  IF is_hooked THEN PERFORM enqueue_deliveries(in_list, event); END IF;
  RETURN NULL;
END $$;

-- The same for a file, whose answers show the list too. Where its bytes lie is nobody's business.
CREATE OR REPLACE FUNCTION record_file() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  in_list bigint;
  listed bigint;
  is_hooked boolean;
  event bigint;
  place jsonb;
BEGIN
  UPDATE tasks SET revision = revision + 1 WHERE id = coalesce(new.task_id, old.task_id) RETURNING list_id INTO in_list;
  UPDATE lists SET revision = revision + 1 WHERE id = in_list AND deleted_at IS NULL RETURNING revision, hooked INTO listed, is_hooked;
  IF NOT found AND tg_op = 'DELETE' THEN RETURN NULL; END IF;
  IF NOT found THEN RAISE foreign_key_violation USING message = 'the task is gone'; END IF;
  place := jsonb_build_object('list_id', in_list);
  INSERT INTO events (list_id, list_revision, operation, subject_type, subject_id, revision, actor_id, request_id, before, after)
  VALUES (in_list, listed, CASE tg_op WHEN 'INSERT' THEN 'CREATE' ELSE tg_op END, 'file', coalesce(new.id, old.id), coalesce(new.revision, old.revision),
          CASE tg_op WHEN 'DELETE' THEN deleted_by() ELSE new.updated_by_id END, CASE tg_op WHEN 'DELETE' THEN deleted_in() ELSE new.updated_by_request_id END,
          to_jsonb(old) - '{own_revision,updated_by_id,updated_by_request_id,storage_key}'::text[] || place,
          to_jsonb(new) - '{own_revision,updated_by_id,updated_by_request_id,storage_key}'::text[] || place) RETURNING id INTO event;
  IF is_hooked THEN PERFORM enqueue_deliveries(in_list, event); END IF;
  RETURN NULL;
END $$;

-- The order of a list's tasks. Positions are written at first change: what was there before is the empty order at revision 1.
CREATE OR REPLACE FUNCTION record_task_position() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  listed bigint;
  is_hooked boolean;
  event bigint;
BEGIN
  UPDATE lists SET revision = revision + 1 WHERE id = new.id AND deleted_at IS NULL RETURNING revision, hooked INTO listed, is_hooked;
  IF NOT found THEN RAISE foreign_key_violation USING message = 'the list is gone'; END IF;
  INSERT INTO events (list_id, list_revision, operation, subject_type, subject_id, revision, actor_id, request_id, before, after)
  VALUES (new.id, listed, 'UPDATE', 'task_position', new.id, new.revision, new.updated_by_id, new.updated_by_request_id,
          position_before(to_jsonb(old), new.id) - private_columns(), to_jsonb(new) - private_columns()) RETURNING id INTO event;
  IF is_hooked THEN PERFORM enqueue_deliveries(new.id, event); END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION record_subtask_position() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  in_list bigint;
  listed bigint;
  is_hooked boolean;
  event bigint;
BEGIN
  UPDATE tasks SET revision = revision + 1 WHERE id = new.id RETURNING list_id INTO in_list;
  UPDATE lists SET revision = revision + 1 WHERE id = in_list AND deleted_at IS NULL RETURNING revision, hooked INTO listed, is_hooked;
  IF NOT found THEN RAISE foreign_key_violation USING message = 'the task is gone'; END IF;
  INSERT INTO events (list_id, list_revision, operation, subject_type, subject_id, revision, actor_id, request_id, before, after)
  VALUES (in_list, listed, 'UPDATE', 'subtask_position', new.id, new.revision, new.updated_by_id, new.updated_by_request_id,
          position_before(to_jsonb(old), new.id) - private_columns(), to_jsonb(new) - private_columns()) RETURNING id INTO event;
  IF is_hooked THEN PERFORM enqueue_deliveries(in_list, event); END IF;
  RETURN NULL;
END $$;

-- Reading a comment bumps it like a child would. A mark that goes with its reader tells nothing where the list is gone.
CREATE OR REPLACE FUNCTION record_read() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  comment jsonb;
  in_list bigint;
  reader bigint := coalesce(new.user_id, old.user_id);
BEGIN
  UPDATE task_comments c SET revision = revision + 1 WHERE id = coalesce(new.comment_id, old.comment_id) RETURNING to_jsonb(c) INTO comment;
  IF NOT found THEN RETURN NULL; END IF; -- the comment is being deleted
  UPDATE tasks SET revision = revision + 1 WHERE id = (comment->>'task_id')::bigint RETURNING list_id INTO in_list;
  IF tg_op = 'DELETE' AND NOT EXISTS (SELECT FROM lists WHERE id = in_list AND deleted_at IS NULL) THEN RETURN NULL; END IF;
  PERFORM announce(in_list, 'UPDATE', 'task_comment', jsonb_set(comment, '{revision}', to_jsonb((comment->>'revision')::bigint - 1)), comment,
                   reader, coalesce(new.updated_by_request_id, deleted_in()));
  RETURN NULL;
END $$;

-- Events of one user's rows ----------------------------------------------------------------------------------------------------

-- A folder, setting or reminder that was made or changed (arguments: subject type, how much the user's own revision grows).
CREATE OR REPLACE FUNCTION record_for_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users SET own_counter = own_counter + 1, revision = revision + tg_argv[1]::integer WHERE id = new.user_id;
  IF NOT found THEN RETURN NULL; END IF; -- the user is being deleted
  INSERT INTO events (user_id, operation, subject_type, subject_id, revision, actor_id, request_id, before, after)
  VALUES (new.user_id, CASE tg_op WHEN 'INSERT' THEN 'CREATE' ELSE 'UPDATE' END, tg_argv[0], new.id, new.revision,
          new.updated_by_id, new.updated_by_request_id,
          to_jsonb(old) - '{own_revision,updated_by_id,updated_by_request_id,created_by_device_udid}'::text[],
          to_jsonb(new) - '{own_revision,updated_by_id,updated_by_request_id,created_by_device_udid}'::text[]);
  RETURN NULL;
END $$;

-- Its end. A reminder that goes with its task, whose event tells all, makes the root grow all the same; one that goes with a
-- list has made it grow when the list was marked, and statements that take away what was in such a list say so.
CREATE FUNCTION record_end_for_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF tg_argv[0] = 'reminder' AND current_setting('tandem.list_is_gone', true) = 'yes' THEN RETURN NULL; END IF;
  UPDATE users SET own_counter = own_counter + 1, revision = revision + tg_argv[1]::integer WHERE id = old.user_id;
  IF NOT found THEN RETURN NULL; END IF;
  IF tg_argv[0] = 'reminder' AND NOT EXISTS (SELECT FROM tasks WHERE id = (to_jsonb(old)->>'task_id')::bigint) THEN RETURN NULL; END IF;
  INSERT INTO events (user_id, operation, subject_type, subject_id, revision, actor_id, request_id, before)
  VALUES (old.user_id, 'DELETE', tg_argv[0], old.id, old.revision, deleted_by(), deleted_in(), to_jsonb(old) - private_columns());
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION record_list_position() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users SET own_counter = own_counter + 1 WHERE id = new.id;
  IF NOT found THEN RETURN NULL; END IF;
  INSERT INTO events (user_id, operation, subject_type, subject_id, revision, actor_id, request_id, before, after)
  VALUES (new.id, 'UPDATE', 'list_position', new.id, new.revision, new.updated_by_id, new.updated_by_request_id,
          position_before(to_jsonb(old), new.id) - private_columns(), to_jsonb(new) - private_columns());
  RETURN NULL;
END $$;

-- The list itself ----------------------------------------------------------------------------------------------------------------

-- own_change() has set its number already. Its limits are held here, and not by CHECKs, which each bump would pay for.
CREATE OR REPLACE FUNCTION record_list() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  event bigint;
BEGIN
  IF char_length(new.title) NOT BETWEEN 1 AND 255 THEN PERFORM refuse_row('lists', 'title_length'); END IF;
  IF new.list_type NOT IN ('inbox', 'list') THEN PERFORM refuse_row('lists', 'list_type_known'); END IF;
  INSERT INTO events (list_id, list_revision, operation, subject_type, subject_id, revision, actor_id, request_id, before, after)
  VALUES (new.id, new.revision, CASE tg_op WHEN 'INSERT' THEN 'CREATE' ELSE 'UPDATE' END, 'list', new.id, new.revision,
          new.updated_by_id, new.updated_by_request_id, to_jsonb(old) - private_columns(), to_jsonb(new) - private_columns()) RETURNING id INTO event;
  IF new.hooked THEN PERFORM enqueue_deliveries(new.id, event); END IF;
  RETURN NULL;
END $$;

-- Its end: its last event, which says whom it was open to. Everybody who had it keeps its revision, + 1, in their own counter,
-- so that no root falls; it leaves every folder. A list ends when it is marked as deleted: by then nothing of it is to be seen
-- or changed, for access is by membership, and what remains is taken away later. Or its row is deleted, with all that hangs
-- on it.
CREATE OR REPLACE FUNCTION record_list_end() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  event bigint;
  is_marked boolean := tg_op = 'UPDATE';
BEGIN
  IF old.deleted_at IS NOT NULL THEN RETURN old; END IF;
  INSERT INTO events (list_id, list_revision, operation, subject_type, subject_id, revision, actor_id, request_id, before)
  VALUES (old.id, old.revision + 1, 'DELETE', 'list', old.id, old.revision, deleted_by(), deleted_in(),
          to_jsonb(old) - private_columns() || jsonb_build_object('member_ids',
            (SELECT coalesce(jsonb_agg(m.user_id ORDER BY m.user_id), '[]') FROM memberships m WHERE m.list_id = old.id))) RETURNING id INTO event;
  IF old.hooked THEN PERFORM enqueue_deliveries(old.id, event); END IF;
  PERFORM FROM folders f JOIN memberships m ON m.user_id = f.user_id
    WHERE m.list_id = old.id AND old.id = ANY (f.list_ids) ORDER BY f.id FOR UPDATE OF f;
  -- Reminders that hang on a deleted row count for themselves. Theirs are looked through, and not the tasks, which may be many.
  WITH had AS MATERIALIZED (
    SELECT u.id FROM users u JOIN memberships m ON m.user_id = u.id WHERE m.list_id = old.id ORDER BY u.id FOR NO KEY UPDATE OF u)
  UPDATE users SET own_counter = own_counter + old.revision + 1, revision = revision + CASE WHEN is_marked AND EXISTS (
      SELECT FROM reminders r WHERE r.user_id = users.id AND (SELECT t.list_id FROM tasks t WHERE t.id = r.task_id) = old.id) THEN 1 ELSE 0 END
    FROM had WHERE users.id = had.id;
  UPDATE folders f SET list_ids = array_remove(f.list_ids, old.id), updated_at = now(), updated_by_id = deleted_by(), updated_by_request_id = deleted_in()
    FROM memberships m WHERE m.user_id = f.user_id AND m.list_id = old.id AND old.id = ANY (f.list_ids);
  IF is_marked THEN
    DELETE FROM calendar_feeds WHERE list_id = old.id;
    DELETE FROM webhooks WHERE list_id = old.id;
    DELETE FROM memberships WHERE list_id = old.id;
  END IF;
  RETURN old;
END $$;

CREATE OR REPLACE FUNCTION leave_list() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE folders SET list_ids = array_remove(list_ids, old.list_id), updated_at = now(), updated_by_id = deleted_by(), updated_by_request_id = deleted_in()
    WHERE user_id = old.user_id AND old.list_id = ANY (list_ids);
  UPDATE users SET own_counter = own_counter + l.revision + 1 FROM lists l WHERE users.id = old.user_id AND l.id = old.list_id AND l.deleted_at IS NULL;
  RETURN NULL;
END $$;

-- With a user go their lists, each with an event of its own for its members.
CREATE OR REPLACE FUNCTION delete_lists_of_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE lists SET deleted_at = clock_timestamp() WHERE owner_id = old.id AND deleted_at IS NULL;
  RETURN NULL;
END $$;

-- Recurrence, called for the task that has just been completed -------------------------------------------------------------------

DROP TRIGGER "01_recur" ON tasks;
DROP FUNCTION recur();
CREATE FUNCTION recur(done tasks) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  today date := (done.completed_at AT TIME ZONE 'UTC')::date;
  due date := coalesce(done.due_date, today);
  anchor date := coalesce(done.recurrence_anchor, due);
  next date := next_due(due, anchor, done.recurrence_type, done.recurrence_count, today);
  successor bigint;
BEGIN
  IF next IS NULL THEN RETURN; END IF;
  INSERT INTO tasks (list_id, title, starred, assignee_id, recurrence_type, recurrence_count, due_date, recurrence_anchor,
                     created_by_id, updated_by_id, updated_by_request_id)
  VALUES (done.list_id, done.title, done.starred, done.assignee_id, done.recurrence_type, done.recurrence_count, next, anchor,
          coalesce(done.completed_by_id, done.created_by_id), done.updated_by_id, done.updated_by_request_id)
  RETURNING id INTO successor;
  INSERT INTO subtasks (task_id, title, created_by_id, updated_by_id, updated_by_request_id)
  SELECT successor, title, created_by_id, done.updated_by_id, done.updated_by_request_id FROM subtasks WHERE task_id = done.id ORDER BY id;
  INSERT INTO reminders (task_id, user_id, date, created_by_device_udid, updated_by_id, updated_by_request_id)
  SELECT successor, user_id, date + make_interval(days => next - due), created_by_device_udid, done.updated_by_id, done.updated_by_request_id
  FROM reminders WHERE task_id = done.id ORDER BY user_id, id;
END $$;

-- Limits that the functions above hold -------------------------------------------------------------------------------------------

ALTER TABLE tasks DROP CONSTRAINT title_length, DROP CONSTRAINT recurrence_pair, DROP CONSTRAINT recurrence_type_known,
  DROP CONSTRAINT recurrence_count_range, DROP CONSTRAINT completed_since;
ALTER TABLE lists DROP CONSTRAINT title_length, DROP CONSTRAINT list_type_known;

-- Triggers -----------------------------------------------------------------------------------------------------------------------

-- The columns whose change is a row's own. A bump names `revision` alone, and so fires no trigger of these. A column that is
-- added to such a table has to be added to its triggers: run watch_own_changes() again.
CREATE FUNCTION own_columns(of_table regclass) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
  WHERE attrelid = of_table AND attnum > 0 AND NOT attisdropped AND attname <> ALL ('{id,revision,own_revision,own_counter,hooked,deleted_at}')
$$;

-- Lets own changes of a table be counted by one function and recorded by another.
CREATE FUNCTION watch_own_changes(of_table regclass, count_by text, record_by text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE OR REPLACE TRIGGER own_change BEFORE UPDATE OF %s ON %s FOR EACH ROW EXECUTE FUNCTION %s', own_columns(of_table), of_table, count_by);
  EXECUTE format('CREATE OR REPLACE TRIGGER "00_record_change" AFTER UPDATE OF %s ON %s FOR EACH ROW EXECUTE FUNCTION %s', own_columns(of_table), of_table, record_by);
END $$;

SELECT watch_own_changes('users', 'own_change_of_user()', 'record_user()');
SELECT watch_own_changes('lists', 'own_change()', 'record_list()');
SELECT watch_own_changes('memberships', 'own_change()', 'record_in_list(''membership'')');
SELECT watch_own_changes('webhooks', 'own_change()', 'record_in_list(''webhook'')');
SELECT watch_own_changes('tasks', 'own_change_of_task()', 'record_task()');
SELECT watch_own_changes('subtasks', 'own_change()', 'record_in_task(''subtask'')');
SELECT watch_own_changes('notes', 'own_change()', 'record_in_task(''note'')');
SELECT watch_own_changes('task_comments', 'own_change()', 'record_in_task(''task_comment'')');
SELECT watch_own_changes('files', 'own_change()', 'record_file()');
SELECT watch_own_changes('reminders', 'own_change()', 'record_for_user(''reminder'', ''1'')');
SELECT watch_own_changes('folders', 'own_change()', 'record_for_user(''folder'', ''0'')');
SELECT watch_own_changes('settings', 'own_change()', 'record_for_user(''setting'', ''1'')');
SELECT watch_own_changes('list_positions', 'own_change()', 'record_list_position()');
SELECT watch_own_changes('task_positions', 'own_change()', 'record_task_position()');
SELECT watch_own_changes('subtask_positions', 'own_change()', 'record_subtask_position()');

CREATE OR REPLACE TRIGGER "00_record_end" BEFORE DELETE ON lists FOR EACH ROW EXECUTE FUNCTION record_list_end();
CREATE TRIGGER "00_record_mark" AFTER UPDATE OF deleted_at ON lists FOR EACH ROW EXECUTE FUNCTION record_list_end();
CREATE OR REPLACE TRIGGER "00_record_end" AFTER DELETE ON memberships FOR EACH ROW EXECUTE FUNCTION record_end_in_list('membership');
CREATE OR REPLACE TRIGGER "00_record" AFTER INSERT ON webhooks FOR EACH ROW EXECUTE FUNCTION record_in_list('webhook');
CREATE TRIGGER "00_record_end" AFTER DELETE ON webhooks FOR EACH ROW EXECUTE FUNCTION record_end_in_list('webhook');
CREATE OR REPLACE TRIGGER "00_record" AFTER INSERT ON tasks FOR EACH ROW EXECUTE FUNCTION record_task();
CREATE TRIGGER "00_record_end" AFTER DELETE ON tasks FOR EACH ROW EXECUTE FUNCTION record_end_in_list('task');
CREATE OR REPLACE TRIGGER "00_record" AFTER INSERT ON subtasks FOR EACH ROW EXECUTE FUNCTION record_in_task('subtask');
CREATE TRIGGER "00_record_end" AFTER DELETE ON subtasks FOR EACH ROW EXECUTE FUNCTION record_end_in_task('subtask');
CREATE OR REPLACE TRIGGER "00_record" AFTER INSERT ON notes FOR EACH ROW EXECUTE FUNCTION record_in_task('note');
CREATE TRIGGER "00_record_end" AFTER DELETE ON notes FOR EACH ROW EXECUTE FUNCTION record_end_in_task('note');
CREATE OR REPLACE TRIGGER "00_record" AFTER INSERT ON task_comments FOR EACH ROW EXECUTE FUNCTION record_in_task('task_comment');
CREATE TRIGGER "00_record_end" AFTER DELETE ON task_comments FOR EACH ROW EXECUTE FUNCTION record_end_in_task('task_comment');
CREATE OR REPLACE TRIGGER "00_record" AFTER INSERT ON reminders FOR EACH ROW EXECUTE FUNCTION record_for_user('reminder', '1');
CREATE TRIGGER "00_record_end" AFTER DELETE ON reminders FOR EACH ROW EXECUTE FUNCTION record_end_for_user('reminder', '1');
CREATE OR REPLACE TRIGGER "00_record" AFTER INSERT ON folders FOR EACH ROW EXECUTE FUNCTION record_for_user('folder', '0');
CREATE TRIGGER "00_record_end" AFTER DELETE ON folders FOR EACH ROW EXECUTE FUNCTION record_end_for_user('folder', '0');
CREATE OR REPLACE TRIGGER "00_record" AFTER INSERT ON settings FOR EACH ROW EXECUTE FUNCTION record_for_user('setting', '1');
CREATE TRIGGER "00_record_end" AFTER DELETE ON settings FOR EACH ROW EXECUTE FUNCTION record_end_for_user('setting', '1');

-- Now that it is no own change of theirs.
UPDATE lists SET hooked = true WHERE id IN (SELECT list_id FROM webhook_endpoints);

DROP FUNCTION announce_to(bigint, boolean, text, text, jsonb, jsonb, bigint, text);
