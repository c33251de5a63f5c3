-- Under a lock that neither readers nor writers wait for.
ALTER TABLE reminders VALIDATE CONSTRAINT reminder_date_range;
ALTER TABLE files VALIDATE CONSTRAINT local_created_at_range;
