-- What is stored beyond the calendar goes to its edge, where its owner can read, change and delete it. The update is told as any is.
UPDATE reminders SET date = least(greatest(date, '0001-01-01 00:00:00+00'), '9999-12-31 23:59:59.999+00')
  WHERE date NOT BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999+00';
UPDATE files SET local_created_at = least(greatest(local_created_at, '0001-01-01 00:00:00+00'), '9999-12-31 23:59:59.999+00')
  WHERE local_created_at NOT BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999+00';

-- Events that have told of such a reminder, or tell of this repair, are read for as long as they are kept.
UPDATE events SET
    before = CASE WHEN before->>'date' ~ '^\d{5}' THEN jsonb_set(before, '{date}', '"9999-12-31T23:59:59.999+00:00"') ELSE before END,
    after = CASE WHEN after->>'date' ~ '^\d{5}' THEN jsonb_set(after, '{date}', '"9999-12-31T23:59:59.999+00:00"') ELSE after END
  WHERE subject_type = 'reminder' AND (before->>'date' ~ '^\d{5}' OR after->>'date' ~ '^\d{5}');

ALTER TABLE reminders VALIDATE CONSTRAINT reminder_date_range;
ALTER TABLE files VALIDATE CONSTRAINT local_created_at_range;
