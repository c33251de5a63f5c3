-- The same of files, in a migration of its own: no table is kept from its readers while another is waited for.
ALTER TABLE files ADD CONSTRAINT local_created_at_range
  CHECK (local_created_at BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999+00') NOT VALID;
