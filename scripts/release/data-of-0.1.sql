-- What a database of 0.1 may hold, for its upgrade to be tried on: written with the tables that there were then. The triggers of
-- then make inboxes, revisions and events of it.
INSERT INTO users (name, email, password_hash, verified_at) VALUES
  ('Ann', 'ann@example.org', '$argon2id$v=19$m=19456,t=2,p=1$dGFuZGVtLW5vYm9keXMtc2FsdA$Zm9yIG5vYm9keSwgYXMgbG9uZyBhcyBhIHJlYWwgb24', now()),
  ('Bob', 'bob@example.org', NULL, now()),
  ('guest', 'guest@example.org', NULL, NULL);
INSERT INTO access_tokens (token_hash, user_id, application_id)
  SELECT sha256('token of ann'), u.id, a.id FROM users u, applications a WHERE u.email = 'ann@example.org' AND a.client_id = 'personal';

INSERT INTO lists (title, owner_id, created_by_id)
  SELECT 'List ' || n, u.id, u.id FROM generate_series(1, 20) n, users u WHERE u.email = 'ann@example.org';
INSERT INTO memberships (list_id, user_id, state, owner, created_by_id)
  SELECT id, owner_id, 'accepted', true, owner_id FROM lists WHERE list_type = 'list';
INSERT INTO memberships (list_id, user_id, state, created_by_id)
  SELECT l.id, u.id, CASE u.email WHEN 'bob@example.org' THEN 'accepted' ELSE 'pending' END, l.owner_id
  FROM lists l, users u WHERE l.title = 'List 1' AND u.email IN ('bob@example.org', 'guest@example.org');
INSERT INTO tasks (list_id, title, starred, due_date, created_by_id)
  SELECT l.id, 'Task ' || n, n % 7 = 0, date '2026-01-01' + n, l.owner_id FROM lists l, generate_series(1, 100) n WHERE l.list_type = 'list';
UPDATE tasks SET completed = true, completed_at = now(), completed_by_id = created_by_id WHERE id % 3 = 0;
INSERT INTO tasks (list_id, title, due_date, recurrence_type, recurrence_count, created_by_id)
  SELECT id, 'Water the plants', date '2026-01-01', 'week', 1, owner_id FROM lists WHERE title = 'List 1';

INSERT INTO subtasks (task_id, title, created_by_id) SELECT id, 'Subtask of ' || id, created_by_id FROM tasks WHERE id % 5 = 0;
INSERT INTO notes (task_id, content, created_by_id) SELECT id, 'Note of ' || id, created_by_id FROM tasks WHERE id % 10 = 0;
INSERT INTO task_comments (task_id, text, created_by_id) SELECT id, 'Comment of ' || id, created_by_id FROM tasks WHERE id % 10 = 0;
INSERT INTO reminders (task_id, user_id, date) SELECT id, created_by_id, now() + interval '1 year' FROM tasks WHERE id % 50 = 0;
INSERT INTO folders (user_id, title, list_ids, created_by_id)
  SELECT u.id, 'Folder', ARRAY(SELECT id FROM lists WHERE list_type = 'list' AND owner_id = u.id ORDER BY id LIMIT 3), u.id FROM users u WHERE u.email = 'ann@example.org';
INSERT INTO settings (user_id, key, value) SELECT id, 'time_zone', 'Europe/Berlin' FROM users WHERE email = 'ann@example.org';
INSERT INTO webhooks (list_id, membership_id, url, processor_type, configuration, secret, created_by_id)
  SELECT l.id, m.id, 'https://hooks.example.org/x', 'generic', '', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', l.owner_id
  FROM lists l JOIN memberships m ON m.list_id = l.id AND m.owner WHERE l.title = 'List 1';
