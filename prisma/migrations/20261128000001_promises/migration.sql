-- What the database promises about rows, whoever writes them: limits, revisions that bubble up the tree, and one event for
-- each change, in the transaction that makes it.
--
-- Lock order, everywhere: row -> its task -> its list (two lists by id) -> folders -> users (by id).

-- Limits (the last line; the types of the schema refuse first and say what would be right) ------------------------------------

ALTER TABLE users ADD CONSTRAINT name_length CHECK (char_length(name) BETWEEN 1 AND 255);
ALTER TABLE lists ADD CONSTRAINT title_length CHECK (char_length(title) BETWEEN 1 AND 255);
ALTER TABLE lists ADD CONSTRAINT list_type_known CHECK (list_type IN ('inbox', 'list'));
ALTER TABLE tasks ADD CONSTRAINT title_length CHECK (char_length(title) BETWEEN 1 AND 255);
ALTER TABLE tasks ADD CONSTRAINT recurrence_pair CHECK ((recurrence_type IS NULL) = (recurrence_count IS NULL));
ALTER TABLE tasks ADD CONSTRAINT recurrence_type_known CHECK (recurrence_type IN ('day', 'week', 'month', 'year'));
ALTER TABLE tasks ADD CONSTRAINT recurrence_count_range CHECK (recurrence_count >= 1);
ALTER TABLE tasks ADD CONSTRAINT completed_since CHECK (completed = (completed_at IS NOT NULL));
ALTER TABLE subtasks ADD CONSTRAINT title_length CHECK (char_length(title) BETWEEN 1 AND 255);
ALTER TABLE subtasks ADD CONSTRAINT completed_since CHECK (completed = (completed_at IS NOT NULL));
ALTER TABLE folders ADD CONSTRAINT title_length CHECK (char_length(title) BETWEEN 1 AND 255);
ALTER TABLE memberships ADD CONSTRAINT state_known CHECK (state IN ('pending', 'accepted'));
ALTER TABLE memberships ADD CONSTRAINT owner_accepted CHECK (state = 'accepted' OR NOT owner);
ALTER TABLE webhooks ADD CONSTRAINT url_length CHECK (char_length(url) BETWEEN 1 AND 255);
ALTER TABLE applications ADD CONSTRAINT dialect_known CHECK (dialect IN ('spec', 'wunderlist'));
ALTER TABLE events ADD CONSTRAINT one_audience CHECK ((list_id IS NULL) <> (user_id IS NULL));
ALTER TABLE events ADD CONSTRAINT operation_known CHECK (operation IN ('CREATE', 'UPDATE', 'DELETE'));
CREATE UNIQUE INDEX one_owner ON memberships (list_id) WHERE owner;
CREATE UNIQUE INDEX one_inbox ON lists (owner_id) WHERE list_type = 'inbox';

-- A bump changes no indexed column: room on the page keeps it there (HOT).
ALTER TABLE tasks SET (fillfactor = 90);
ALTER TABLE lists SET (fillfactor = 80);
ALTER TABLE users SET (fillfactor = 80);

-- Revisions -------------------------------------------------------------------------------------------------------------------

-- A bump names `revision`, an own change never does: the WHEN clauses below tell them apart without a call.
CREATE FUNCTION own_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.revision := old.revision + 1;
  new.own_revision := new.revision;
  RETURN new;
END $$;

CREATE FUNCTION own_change_of_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.revision := old.revision + 1;
  new.own_revision := new.revision;
  new.own_counter := old.own_counter + 1;
  RETURN new;
END $$;

-- A due date set by hand is the anchor of what follows; the first completion of an occurrence is the one that recurs.
CREATE FUNCTION own_change_of_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.revision := old.revision + 1;
  new.own_revision := new.revision;
  IF new.due_date IS DISTINCT FROM old.due_date THEN new.recurrence_anchor := NULL; END IF;
  IF new.completed AND NOT old.completed AND new.recurrence_type IS NOT NULL THEN new.recurred := true; END IF;
  RETURN new;
END $$;

-- Events ----------------------------------------------------------------------------------------------------------------------

-- What an event shows of a row: never these.
CREATE FUNCTION private_columns() RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT '{own_revision,updated_by_id,updated_by_request_id,own_counter,password_hash,verified_at,secret,recurrence_anchor,recurred,created_by_device_udid}'::text[]
$$;

-- Who deletes: a deleted row cannot say it, so the statement leaves it in a setting of its transaction. '' is what such a
-- setting leaves behind.
CREATE FUNCTION deleted_by() RETURNS bigint LANGUAGE sql STABLE AS $$ SELECT nullif(current_setting('tandem.actor_id', true), '')::bigint $$;
CREATE FUNCTION deleted_in() RETURNS text LANGUAGE sql STABLE AS $$ SELECT nullif(current_setting('tandem.request_id', true), '') $$;

-- Bumps the list under its row lock; the event carries that number: no gaps, and a list's events commit in their order.
CREATE FUNCTION announce(in_list bigint, operation text, subject text, was jsonb, now_is jsonb, actor bigint, request text)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  listed bigint;
  seen jsonb := coalesce(now_is, was);
BEGIN
  UPDATE lists SET revision = revision + 1 WHERE id = in_list RETURNING revision INTO listed;
  IF NOT found AND operation = 'DELETE' THEN RETURN; END IF; -- the list is being deleted and has its own, last event
  IF NOT found THEN RAISE foreign_key_violation USING message = 'the list is gone'; END IF;
  INSERT INTO events (list_id, list_revision, operation, subject_type, subject_id, revision, actor_id, request_id, before, after)
  VALUES (in_list, listed, operation, subject, (seen->>'id')::bigint, (seen->>'revision')::bigint, actor, request,
          was - private_columns(), now_is - private_columns());
END $$;

-- The same for what only one user sees. The counter is his root's; `bubbles` also bumps the user (§9: user > setting, reminder).
CREATE FUNCTION announce_to(to_user bigint, bubbles boolean, operation text, subject text, was jsonb, now_is jsonb, actor bigint, request text)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  seen jsonb := coalesce(now_is, was);
BEGIN
  IF bubbles THEN
    UPDATE users SET own_counter = own_counter + 1, revision = revision + 1 WHERE id = to_user;
  ELSE
    UPDATE users SET own_counter = own_counter + 1 WHERE id = to_user;
  END IF;
  IF NOT found THEN RETURN; END IF; -- the user is being deleted
  INSERT INTO events (user_id, operation, subject_type, subject_id, revision, actor_id, request_id, before, after)
  VALUES (to_user, operation, subject, (seen->>'id')::bigint, (seen->>'revision')::bigint, actor, request,
          was - private_columns(), now_is - private_columns());
END $$;

-- Rows with a list_id: task, membership, webhook (argument: subject type).
CREATE FUNCTION record_in_list() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF tg_op = 'INSERT' THEN
    PERFORM announce(new.list_id, 'CREATE', tg_argv[0], NULL, to_jsonb(new), new.updated_by_id, new.updated_by_request_id);
  ELSIF tg_op = 'DELETE' THEN
    PERFORM announce(old.list_id, 'DELETE', tg_argv[0], to_jsonb(old), NULL, deleted_by(), deleted_in());
  ELSIF new.list_id = old.list_id THEN
    PERFORM announce(new.list_id, 'UPDATE', tg_argv[0], to_jsonb(old), to_jsonb(new), new.updated_by_id, new.updated_by_request_id);
  ELSE -- a move: a deletion there, a creation here, and neither shows the other list; both locked in the order of their ids
    PERFORM FROM lists WHERE id IN (old.list_id, new.list_id) ORDER BY id FOR NO KEY UPDATE;
    PERFORM announce(old.list_id, 'DELETE', tg_argv[0], to_jsonb(old), NULL, new.updated_by_id, new.updated_by_request_id);
    PERFORM announce(new.list_id, 'CREATE', tg_argv[0], NULL, to_jsonb(new), new.updated_by_id, new.updated_by_request_id);
  END IF;
  RETURN NULL;
END $$;

-- Rows with a task_id: subtask, note, comment. Bumps the task, then its list; one event.
CREATE FUNCTION record_in_task() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  in_list bigint;
BEGIN
  UPDATE tasks SET revision = revision + 1 WHERE id = coalesce(new.task_id, old.task_id) RETURNING list_id INTO in_list;
  IF tg_op = 'DELETE' THEN -- without a task: it is being deleted itself and has its own event
    IF in_list IS NOT NULL THEN
      PERFORM announce(in_list, 'DELETE', tg_argv[0], to_jsonb(old), NULL, deleted_by(), deleted_in());
    END IF;
  ELSIF in_list IS NULL THEN
    RAISE foreign_key_violation USING message = 'the task is gone';
  ELSIF tg_op = 'INSERT' THEN
    PERFORM announce(in_list, 'CREATE', tg_argv[0], NULL, to_jsonb(new), new.updated_by_id, new.updated_by_request_id);
  ELSE
    PERFORM announce(in_list, 'UPDATE', tg_argv[0], to_jsonb(old), to_jsonb(new), new.updated_by_id, new.updated_by_request_id);
  END IF;
  RETURN NULL;
END $$;

-- Rows with a user_id that only he sees: folder, setting, reminder (arguments: subject type, whether the user bumps).
CREATE FUNCTION record_for_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF tg_op = 'INSERT' THEN
    PERFORM announce_to(new.user_id, tg_argv[1]::boolean, 'CREATE', tg_argv[0], NULL, to_jsonb(new), new.updated_by_id, new.updated_by_request_id);
  ELSIF tg_op = 'DELETE' AND tg_argv[0] = 'reminder' AND NOT EXISTS (SELECT FROM tasks WHERE id = (to_jsonb(old)->>'task_id')::bigint) THEN
    -- it goes with its task, whose event tells all; his root grows all the same
    UPDATE users SET own_counter = own_counter + 1, revision = revision + 1 WHERE id = old.user_id;
  ELSIF tg_op = 'DELETE' THEN
    PERFORM announce_to(old.user_id, tg_argv[1]::boolean, 'DELETE', tg_argv[0], to_jsonb(old), NULL, deleted_by(), deleted_in());
  ELSE
    PERFORM announce_to(new.user_id, tg_argv[1]::boolean, 'UPDATE', tg_argv[0], to_jsonb(old), to_jsonb(new), new.updated_by_id, new.updated_by_request_id);
  END IF;
  RETURN NULL;
END $$;

-- The user himself: own_change_of_user() has counted already.
CREATE FUNCTION record_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (user_id, operation, subject_type, subject_id, revision, actor_id, request_id, before, after)
  VALUES (new.id, 'UPDATE', 'user', new.id, new.revision, new.updated_by_id, new.updated_by_request_id,
          to_jsonb(old) - private_columns(), to_jsonb(new) - private_columns());
  RETURN NULL;
END $$;

-- The list itself: own_change() has set its number already.
CREATE FUNCTION record_list() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (list_id, list_revision, operation, subject_type, subject_id, revision, actor_id, request_id, before, after)
  VALUES (new.id, new.revision, CASE tg_op WHEN 'INSERT' THEN 'CREATE' ELSE 'UPDATE' END, 'list', new.id, new.revision,
          new.updated_by_id, new.updated_by_request_id,
          CASE WHEN tg_op = 'UPDATE' THEN to_jsonb(old) - private_columns() END, to_jsonb(new) - private_columns());
  RETURN NULL;
END $$;

-- Its end: the last event, before the cascade. Everyone who had it keeps its revision, + 1, in his own counter, so that no
-- root falls; it leaves every folder.
CREATE FUNCTION record_list_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (list_id, list_revision, operation, subject_type, subject_id, revision, actor_id, request_id, before)
  VALUES (old.id, old.revision + 1, 'DELETE', 'list', old.id, old.revision, deleted_by(), deleted_in(), to_jsonb(old) - private_columns());
  PERFORM FROM folders f JOIN memberships m ON m.user_id = f.user_id
    WHERE m.list_id = old.id AND old.id = ANY (f.list_ids) ORDER BY f.id FOR UPDATE OF f;
  WITH had AS MATERIALIZED (
    SELECT u.id FROM users u JOIN memberships m ON m.user_id = u.id WHERE m.list_id = old.id ORDER BY u.id FOR NO KEY UPDATE OF u)
  UPDATE users SET own_counter = own_counter + old.revision + 1 FROM had WHERE users.id = had.id;
  UPDATE folders f SET list_ids = array_remove(f.list_ids, old.id), updated_at = now(), updated_by_id = deleted_by(), updated_by_request_id = deleted_in()
    FROM memberships m WHERE m.user_id = f.user_id AND m.list_id = old.id AND old.id = ANY (f.list_ids);
  RETURN old;
END $$;

-- A membership's end: the list leaves his folders, and its revision stays in his root. Runs after the record, so the list is
-- locked and counted. On the list's own end nothing is left to find.
CREATE FUNCTION leave_list() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE folders SET list_ids = array_remove(list_ids, old.list_id), updated_at = now(), updated_by_id = deleted_by(), updated_by_request_id = deleted_in()
    WHERE user_id = old.user_id AND old.list_id = ANY (list_ids);
  UPDATE users SET own_counter = own_counter + l.revision + 1 FROM lists l WHERE users.id = old.user_id AND l.id = old.list_id;
  RETURN NULL;
END $$;

-- Positions are written at first change: what was there before is the empty order at revision 1.
CREATE FUNCTION position_before(old_row jsonb, id bigint) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(old_row, jsonb_build_object('id', id, 'values', '[]'::jsonb, 'revision', 1))
$$;

CREATE FUNCTION record_list_position() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM announce_to(new.id, false, 'UPDATE', 'list_position', position_before(to_jsonb(old), new.id), to_jsonb(new), new.updated_by_id, new.updated_by_request_id);
  RETURN NULL;
END $$;

CREATE FUNCTION record_task_position() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM announce(new.id, 'UPDATE', 'task_position', position_before(to_jsonb(old), new.id), to_jsonb(new), new.updated_by_id, new.updated_by_request_id);
  RETURN NULL;
END $$;

CREATE FUNCTION record_subtask_position() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  in_list bigint;
BEGIN
  UPDATE tasks SET revision = revision + 1 WHERE id = new.id RETURNING list_id INTO in_list;
  IF in_list IS NULL THEN RAISE foreign_key_violation USING message = 'the task is gone'; END IF;
  PERFORM announce(in_list, 'UPDATE', 'subtask_position', position_before(to_jsonb(old), new.id), to_jsonb(new), new.updated_by_id, new.updated_by_request_id);
  RETURN NULL;
END $$;

-- Reading a comment bumps it like a child would: a client that descends from the root finds it, and a writer who holds the
-- comment's revision is not refused for it. The event shows the comment, not who has read it.
CREATE FUNCTION record_read() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  comment jsonb;
  in_list bigint;
  reader bigint := coalesce(new.user_id, old.user_id);
BEGIN
  UPDATE task_comments c SET revision = revision + 1 WHERE id = coalesce(new.comment_id, old.comment_id) RETURNING to_jsonb(c) INTO comment;
  IF NOT found THEN RETURN NULL; END IF; -- the comment is being deleted
  UPDATE tasks SET revision = revision + 1 WHERE id = (comment->>'task_id')::bigint RETURNING list_id INTO in_list;
  PERFORM announce(in_list, 'UPDATE', 'task_comment', jsonb_set(comment, '{revision}', to_jsonb((comment->>'revision')::bigint - 1)), comment,
                   reader, coalesce(new.updated_by_request_id, deleted_in()));
  RETURN NULL;
END $$;

-- A token's end is told to every node in the same stream as everything else; no listener sees this subject type.
CREATE FUNCTION record_revocation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (user_id, operation, subject_type, subject_id, revision) VALUES (old.user_id, 'DELETE', 'access_token', old.id, 1);
  RETURN NULL;
END $$;

-- Recurrence ------------------------------------------------------------------------------------------------------------------

-- The first date after `due` that is a whole number of periods on and not in the past. Months and years count from the
-- anchor, so that a day the month does not have is clamped and comes back. NULL when it would leave the calendar.
CREATE FUNCTION next_due(due date, anchor date, kind text, count integer, today date) RETURNS date LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  days bigint := CASE kind WHEN 'day' THEN count::bigint WHEN 'week' THEN 7 * count::bigint END;
  months bigint := CASE kind WHEN 'month' THEN count::bigint WHEN 'year' THEN 12 * count::bigint END;
  since_anchor bigint;
  periods bigint := 1;
  candidate date;
BEGIN
  IF days IS NOT NULL THEN
    periods := greatest(1, ceil((today - due)::numeric / days));
    candidate := due + (periods * days)::integer;
  ELSE
    since_anchor := (extract(year FROM due) - extract(year FROM anchor)) * 12 + extract(month FROM due) - extract(month FROM anchor);
    periods := greatest(1, ((extract(year FROM today) - extract(year FROM due)) * 12 + extract(month FROM today) - extract(month FROM due))::bigint / months);
    LOOP
      candidate := anchor + make_interval(months => (since_anchor + periods * months)::integer);
      EXIT WHEN candidate >= today AND candidate > due;
      periods := periods + 1;
    END LOOP;
  END IF;
  RETURN CASE WHEN candidate <= '9999-12-31' THEN candidate END;
EXCEPTION WHEN datetime_field_overflow OR numeric_value_out_of_range THEN
  RETURN NULL;
END $$;

-- The next occurrence of a task that has just been completed: same list, title, star, assignee and recurrence; its subtasks
-- open again, its reminders as far from the new due date as from the old.
CREATE FUNCTION recur() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  today date := (new.completed_at AT TIME ZONE 'UTC')::date;
  due date := coalesce(new.due_date, today);
  anchor date := coalesce(new.recurrence_anchor, due);
  next date := next_due(due, anchor, new.recurrence_type, new.recurrence_count, today);
  successor bigint;
BEGIN
  IF next IS NULL THEN RETURN NULL; END IF;
  INSERT INTO tasks (list_id, title, starred, assignee_id, recurrence_type, recurrence_count, due_date, recurrence_anchor,
                     created_by_id, updated_by_id, updated_by_request_id)
  VALUES (new.list_id, new.title, new.starred, new.assignee_id, new.recurrence_type, new.recurrence_count, next, anchor,
          coalesce(new.completed_by_id, new.created_by_id), new.updated_by_id, new.updated_by_request_id)
  RETURNING id INTO successor;
  INSERT INTO subtasks (task_id, title, created_by_id, updated_by_id, updated_by_request_id)
  SELECT successor, title, created_by_id, new.updated_by_id, new.updated_by_request_id FROM subtasks WHERE task_id = new.id ORDER BY id;
  INSERT INTO reminders (task_id, user_id, date, created_by_device_udid, updated_by_id, updated_by_request_id)
  SELECT successor, user_id, date + make_interval(days => next - due), created_by_device_udid, new.updated_by_id, new.updated_by_request_id
  FROM reminders WHERE task_id = new.id ORDER BY user_id, id;
  RETURN NULL;
END $$;

-- An inbox for everybody ------------------------------------------------------------------------------------------------------

CREATE FUNCTION give_inbox() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  inbox bigint;
BEGIN
  INSERT INTO lists (title, list_type, owner_id, created_by_id, updated_by_id, updated_by_request_id)
  VALUES ('inbox', 'inbox', new.id, new.id, new.id, new.updated_by_request_id) RETURNING id INTO inbox;
  INSERT INTO memberships (list_id, user_id, state, owner, created_by_id, updated_by_id, updated_by_request_id)
  VALUES (inbox, new.id, 'accepted', true, new.id, new.id, new.updated_by_request_id);
  RETURN NULL;
END $$;

-- Triggers --------------------------------------------------------------------------------------------------------------------
-- They fire in the order of their names. "00": the bump must come before the foreign keys' own triggers, or eight writers of
-- one list hold its share lock together and every bump makes a multixact.

CREATE TRIGGER "00_give_inbox" AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION give_inbox();
CREATE TRIGGER own_change BEFORE UPDATE ON users FOR EACH ROW
  WHEN (new.revision = old.revision AND new.own_counter = old.own_counter) EXECUTE FUNCTION own_change_of_user();
CREATE TRIGGER "00_record_change" AFTER UPDATE ON users FOR EACH ROW WHEN (new.own_revision <> old.own_revision) EXECUTE FUNCTION record_user();

CREATE TRIGGER "00_revoked" AFTER UPDATE ON access_tokens FOR EACH ROW
  WHEN (new.revoked_at IS NOT NULL AND old.revoked_at IS NULL) EXECUTE FUNCTION record_revocation();
CREATE TRIGGER "00_revoked_end" AFTER DELETE ON access_tokens FOR EACH ROW EXECUTE FUNCTION record_revocation();

CREATE TRIGGER own_change BEFORE UPDATE ON lists FOR EACH ROW WHEN (new.revision = old.revision) EXECUTE FUNCTION own_change();
CREATE TRIGGER "00_record" AFTER INSERT ON lists FOR EACH ROW EXECUTE FUNCTION record_list();
CREATE TRIGGER "00_record_change" AFTER UPDATE ON lists FOR EACH ROW WHEN (new.own_revision <> old.own_revision) EXECUTE FUNCTION record_list();
CREATE TRIGGER "00_record_end" BEFORE DELETE ON lists FOR EACH ROW EXECUTE FUNCTION record_list_end();

CREATE TRIGGER own_change BEFORE UPDATE ON memberships FOR EACH ROW WHEN (new.revision = old.revision) EXECUTE FUNCTION own_change();
-- The owner's is made with the list, which must show revision 1.
CREATE TRIGGER "00_record" AFTER INSERT ON memberships FOR EACH ROW WHEN (NOT new.owner) EXECUTE FUNCTION record_in_list('membership');
CREATE TRIGGER "00_record_change" AFTER UPDATE ON memberships FOR EACH ROW WHEN (new.own_revision <> old.own_revision) EXECUTE FUNCTION record_in_list('membership');
CREATE TRIGGER "00_record_end" AFTER DELETE ON memberships FOR EACH ROW EXECUTE FUNCTION record_in_list('membership');
CREATE TRIGGER "01_leave_list" AFTER DELETE ON memberships FOR EACH ROW EXECUTE FUNCTION leave_list();

CREATE TRIGGER own_change BEFORE UPDATE ON tasks FOR EACH ROW WHEN (new.revision = old.revision) EXECUTE FUNCTION own_change_of_task();
CREATE TRIGGER "00_record" AFTER INSERT OR DELETE ON tasks FOR EACH ROW EXECUTE FUNCTION record_in_list('task');
CREATE TRIGGER "00_record_change" AFTER UPDATE ON tasks FOR EACH ROW WHEN (new.own_revision <> old.own_revision) EXECUTE FUNCTION record_in_list('task');
CREATE TRIGGER "01_recur" AFTER UPDATE ON tasks FOR EACH ROW WHEN (new.recurred AND NOT old.recurred) EXECUTE FUNCTION recur();

CREATE TRIGGER own_change BEFORE UPDATE ON subtasks FOR EACH ROW WHEN (new.revision = old.revision) EXECUTE FUNCTION own_change();
CREATE TRIGGER "00_record" AFTER INSERT OR DELETE ON subtasks FOR EACH ROW EXECUTE FUNCTION record_in_task('subtask');
CREATE TRIGGER "00_record_change" AFTER UPDATE ON subtasks FOR EACH ROW WHEN (new.own_revision <> old.own_revision) EXECUTE FUNCTION record_in_task('subtask');

CREATE TRIGGER own_change BEFORE UPDATE ON notes FOR EACH ROW WHEN (new.revision = old.revision) EXECUTE FUNCTION own_change();
CREATE TRIGGER "00_record" AFTER INSERT OR DELETE ON notes FOR EACH ROW EXECUTE FUNCTION record_in_task('note');
CREATE TRIGGER "00_record_change" AFTER UPDATE ON notes FOR EACH ROW WHEN (new.own_revision <> old.own_revision) EXECUTE FUNCTION record_in_task('note');

CREATE TRIGGER own_change BEFORE UPDATE ON task_comments FOR EACH ROW WHEN (new.revision = old.revision) EXECUTE FUNCTION own_change();
CREATE TRIGGER "00_record" AFTER INSERT OR DELETE ON task_comments FOR EACH ROW EXECUTE FUNCTION record_in_task('task_comment');
CREATE TRIGGER "00_record_change" AFTER UPDATE ON task_comments FOR EACH ROW WHEN (new.own_revision <> old.own_revision) EXECUTE FUNCTION record_in_task('task_comment');
CREATE TRIGGER "00_record" AFTER INSERT OR DELETE ON comment_reads FOR EACH ROW EXECUTE FUNCTION record_read();

CREATE TRIGGER own_change BEFORE UPDATE ON reminders FOR EACH ROW WHEN (new.revision = old.revision) EXECUTE FUNCTION own_change();
CREATE TRIGGER "00_record" AFTER INSERT OR DELETE ON reminders FOR EACH ROW EXECUTE FUNCTION record_for_user('reminder', 'true');
CREATE TRIGGER "00_record_change" AFTER UPDATE ON reminders FOR EACH ROW WHEN (new.own_revision <> old.own_revision) EXECUTE FUNCTION record_for_user('reminder', 'true');

CREATE TRIGGER own_change BEFORE UPDATE ON folders FOR EACH ROW WHEN (new.revision = old.revision) EXECUTE FUNCTION own_change();
CREATE TRIGGER "00_record" AFTER INSERT OR DELETE ON folders FOR EACH ROW EXECUTE FUNCTION record_for_user('folder', 'false');
CREATE TRIGGER "00_record_change" AFTER UPDATE ON folders FOR EACH ROW WHEN (new.own_revision <> old.own_revision) EXECUTE FUNCTION record_for_user('folder', 'false');

CREATE TRIGGER own_change BEFORE UPDATE ON settings FOR EACH ROW WHEN (new.revision = old.revision) EXECUTE FUNCTION own_change();
CREATE TRIGGER "00_record" AFTER INSERT OR DELETE ON settings FOR EACH ROW EXECUTE FUNCTION record_for_user('setting', 'true');
CREATE TRIGGER "00_record_change" AFTER UPDATE ON settings FOR EACH ROW WHEN (new.own_revision <> old.own_revision) EXECUTE FUNCTION record_for_user('setting', 'true');

CREATE TRIGGER own_change BEFORE UPDATE ON webhooks FOR EACH ROW WHEN (new.revision = old.revision) EXECUTE FUNCTION own_change();
CREATE TRIGGER "00_record" AFTER INSERT OR DELETE ON webhooks FOR EACH ROW EXECUTE FUNCTION record_in_list('webhook');
CREATE TRIGGER "00_record_change" AFTER UPDATE ON webhooks FOR EACH ROW WHEN (new.own_revision <> old.own_revision) EXECUTE FUNCTION record_in_list('webhook');

CREATE TRIGGER own_change BEFORE UPDATE ON list_positions FOR EACH ROW WHEN (new.revision = old.revision) EXECUTE FUNCTION own_change();
CREATE TRIGGER "00_record" AFTER INSERT ON list_positions FOR EACH ROW EXECUTE FUNCTION record_list_position();
CREATE TRIGGER "00_record_change" AFTER UPDATE ON list_positions FOR EACH ROW WHEN (new.own_revision <> old.own_revision) EXECUTE FUNCTION record_list_position();
CREATE TRIGGER own_change BEFORE UPDATE ON task_positions FOR EACH ROW WHEN (new.revision = old.revision) EXECUTE FUNCTION own_change();
CREATE TRIGGER "00_record" AFTER INSERT ON task_positions FOR EACH ROW EXECUTE FUNCTION record_task_position();
CREATE TRIGGER "00_record_change" AFTER UPDATE ON task_positions FOR EACH ROW WHEN (new.own_revision <> old.own_revision) EXECUTE FUNCTION record_task_position();
CREATE TRIGGER own_change BEFORE UPDATE ON subtask_positions FOR EACH ROW WHEN (new.revision = old.revision) EXECUTE FUNCTION own_change();
CREATE TRIGGER "00_record" AFTER INSERT ON subtask_positions FOR EACH ROW EXECUTE FUNCTION record_subtask_position();
CREATE TRIGGER "00_record_change" AFTER UPDATE ON subtask_positions FOR EACH ROW WHEN (new.own_revision <> old.own_revision) EXECUTE FUNCTION record_subtask_position();
