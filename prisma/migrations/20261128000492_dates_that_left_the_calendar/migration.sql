-- What is stored beyond the calendar goes to its edge, where its owner can read, change and delete it. The update is told as any is.
-- Only reminders can be: nothing else copies an instant to a later date.
UPDATE reminders SET date = least(greatest(date, '0001-01-01 00:00:00+00'), '9999-12-31 23:59:59.999+00')
  WHERE date NOT BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999+00';
