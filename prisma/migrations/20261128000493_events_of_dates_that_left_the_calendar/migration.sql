-- Events that have told of such a reminder, or tell of its repair, are read for as long as they are kept. All are of one user's rows,
-- which have an index; and by now no row of a user is locked.
UPDATE events SET
    before = CASE WHEN before->>'date' ~ '^\d{5}' THEN jsonb_set(before, '{date}', '"9999-12-31T23:59:59.999+00:00"') ELSE before END,
    after = CASE WHEN after->>'date' ~ '^\d{5}' THEN jsonb_set(after, '{date}', '"9999-12-31T23:59:59.999+00:00"') ELSE after END
  WHERE user_id IS NOT NULL AND subject_type = 'reminder' AND (before->>'date' ~ '^\d{5}' OR after->>'date' ~ '^\d{5}');
