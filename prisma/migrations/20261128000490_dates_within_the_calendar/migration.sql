-- Instants that people give are of the years 1 to 9999, as four digits can say, wherever they come from. Recurrence held the next task's due
-- date to that, and not its reminders, which go as far: one that would leave the calendar is left out.
ALTER TABLE reminders ADD CONSTRAINT reminder_date_range
  CHECK (date BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999+00') NOT VALID;

CREATE OR REPLACE FUNCTION recur(done tasks) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  today date := (done.completed_at AT TIME ZONE 'UTC')::date;
  due date := coalesce(done.due_date, today);
  anchor date := coalesce(done.recurrence_anchor, due);
  next date := next_due(due, anchor, done.recurrence_type, done.recurrence_count, today);
  successor tasks := done;
BEGIN
  IF next IS NULL THEN RETURN; END IF;
  successor.id := nextval('tasks_id_seq');
  successor.created_at := now();
  successor.created_by_id := coalesce(done.completed_by_id, done.created_by_id);
  successor.created_by_request_id := NULL;
  successor.due_date := next;
  successor.recurrence_anchor := anchor;
  successor.completed := false;
  successor.completed_at := NULL;
  successor.completed_by_id := NULL;
  successor.recurred := false;
  successor.revision := 1;
  successor.own_revision := 1;
  INSERT INTO tasks VALUES (successor.*);
  INSERT INTO subtasks (task_id, title, created_by_id, updated_by_id, updated_by_request_id)
  SELECT successor.id, title, created_by_id, done.updated_by_id, done.updated_by_request_id FROM subtasks WHERE task_id = done.id ORDER BY id;
  INSERT INTO reminders (task_id, user_id, date, created_by_device_udid, updated_by_id, updated_by_request_id)
  SELECT successor.id, user_id, date + make_interval(days => next - due), created_by_device_udid, done.updated_by_id, done.updated_by_request_id
  FROM reminders WHERE task_id = done.id AND date + make_interval(days => next - due) <= '9999-12-31 23:59:59.999+00' ORDER BY user_id, id;
END $$;
