-- What a subscriber who was away is told of lists that are closed to him by now.

-- A list's last event says whom the list was open to: the memberships go with it and make no events of their own. Answers
-- name an event's members one by one, so nobody sees it.
CREATE OR REPLACE FUNCTION record_list_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO events (list_id, list_revision, operation, subject_type, subject_id, revision, actor_id, request_id, before)
  VALUES (old.id, old.revision + 1, 'DELETE', 'list', old.id, old.revision, deleted_by(), deleted_in(),
          to_jsonb(old) - private_columns() || jsonb_build_object('member_ids',
            (SELECT coalesce(jsonb_agg(m.user_id ORDER BY m.user_id), '[]') FROM memberships m WHERE m.list_id = old.id)));
  PERFORM FROM folders f JOIN memberships m ON m.user_id = f.user_id
    WHERE m.list_id = old.id AND old.id = ANY (f.list_ids) ORDER BY f.id FOR UPDATE OF f;
  WITH had AS MATERIALIZED (
    SELECT u.id FROM users u JOIN memberships m ON m.user_id = u.id WHERE m.list_id = old.id ORDER BY u.id FOR NO KEY UPDATE OF u)
  UPDATE users SET own_counter = own_counter + old.revision + 1 FROM had WHERE users.id = had.id;
  UPDATE folders f SET list_ids = array_remove(f.list_ids, old.id), updated_at = now(), updated_by_id = deleted_by(), updated_by_request_id = deleted_in()
    FROM memberships m WHERE m.user_id = f.user_id AND m.list_id = old.id AND old.id = ANY (f.list_ids);
  RETURN old;
END $$;

-- The events that let somebody in or shut him out are looked for without knowing the list. They are few.
CREATE INDEX events_of_member_idx ON events (((coalesce(after, before)->>'user_id')::bigint)) WHERE subject_type = 'membership';
CREATE INDEX events_of_list_end_idx ON events USING gin ((before->'member_ids') jsonb_path_ops) WHERE subject_type = 'list' AND operation = 'DELETE';
