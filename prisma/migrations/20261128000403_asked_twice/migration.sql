-- Somebody may be invited twice, by id and by address, until they accept one of the two: a webhook of their account is told once.
CREATE OR REPLACE FUNCTION enqueue_deliveries(of_list bigint, of_event bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  e events;
  kind text;
  audience bigint;
BEGIN
  SELECT * INTO e FROM events WHERE id = of_event;
  kind := event_kind(e.operation, e.subject_type, e.before, e.after);
  WITH heard AS (
    SELECT p FROM webhook_endpoints p WHERE p.list_id = of_list
    UNION ALL
    SELECT p FROM (
      SELECT DISTINCT m.user_id FROM memberships m
      WHERE m.list_id = of_list AND (m.state = 'accepted' OR e.subject_type IN ('list', 'membership'))) m
    JOIN webhook_endpoints p ON p.maker_id = m.user_id AND p.list_id IS NULL
    UNION ALL
    -- Who has just left is told that, and the owner of a new list may have no membership yet.
    SELECT p FROM webhook_endpoints p WHERE p.list_id IS NULL AND p.maker_id = CASE
      WHEN e.subject_type = 'membership' AND e.operation = 'DELETE' THEN (e.before->>'user_id')::bigint
      WHEN e.subject_type = 'list' AND e.operation = 'CREATE' THEN (e.after->>'owner_id')::bigint END
      AND NOT EXISTS (SELECT FROM memberships m WHERE m.list_id = of_list AND m.user_id = p.maker_id)),
  told AS (
    INSERT INTO webhook_deliveries (webhook_id, event_id, snapshot)
    SELECT (p).webhook_id, of_event, pg_current_snapshot() FROM heard WHERE is_told(p, kind) ORDER BY (p).webhook_id)
  SELECT count(*) INTO audience FROM heard;
  IF audience = 0 THEN UPDATE lists SET hooked = false WHERE id = of_list; END IF;
END $$;
