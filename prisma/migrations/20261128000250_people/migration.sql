-- Who keeps a copy is told when somebody changes their name or picture whom they share a list with. Such events are few, and are
-- looked for without knowing whose they are.
CREATE INDEX events_of_people_idx ON events (xid) WHERE subject_type = 'user';
