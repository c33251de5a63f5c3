-- A list is in at most one folder of a user: what comes into one leaves the others, whoever writes.

-- Writers of one user's folders take turns, or two folders that take the same list in at once would not see each other.
-- A statement takes its turn before it locks a folder; the trigger takes it again, for a writer that did not.
CREATE FUNCTION take_turn_with_folders_of(owner bigint) RETURNS void LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock(hashtextextended('folders of ' || owner, 0))
$$;

CREATE FUNCTION leave_other_folders() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM take_turn_with_folders_of(new.user_id);
  UPDATE folders f SET
    list_ids = (SELECT coalesce(array_agg(l.id ORDER BY l.place), '{}') FROM unnest(f.list_ids) WITH ORDINALITY AS l(id, place) WHERE l.id <> ALL (new.list_ids)),
    updated_at = now(), updated_by_id = new.updated_by_id, updated_by_request_id = new.updated_by_request_id
  WHERE f.user_id = new.user_id AND f.id <> new.id AND f.list_ids && new.list_ids;
  RETURN NULL;
END $$;

-- "00_leave" comes before "00_record": all folders are locked before the user is counted, as the lock order wants it.
CREATE TRIGGER "00_leave_others" AFTER INSERT ON folders FOR EACH ROW WHEN (new.list_ids <> '{}') EXECUTE FUNCTION leave_other_folders();
CREATE TRIGGER "00_leave_others_change" AFTER UPDATE ON folders FOR EACH ROW WHEN (NOT new.list_ids <@ old.list_ids) EXECUTE FUNCTION leave_other_folders();
