-- Keys belong to the token that sent them, whose id is part of them by now, and an answer that holds a secret is not kept.
-- Those that are there hold tokens, secrets and addresses of feeds as they read: they go.
DELETE FROM "idempotency_keys";
