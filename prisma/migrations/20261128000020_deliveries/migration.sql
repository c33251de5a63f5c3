-- Deliveries to webhooks: one row for each change and each webhook of its list, written in the transaction that makes the
-- change, leased by whichever node has room, and kept as a log for 30 days.

-- CreateTable
CREATE TABLE "webhook_endpoints" (
    "webhook_id" BIGINT NOT NULL,
    "list_id" BIGINT NOT NULL,
    "url" TEXT NOT NULL,
    "configuration" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "former_secret" TEXT,
    "former_secret_until" TIMESTAMPTZ(3),
    "failing_since" TIMESTAMPTZ(3),
    "resting_until" TIMESTAMPTZ(3),
    "disabled_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("webhook_id")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "id" BIGSERIAL NOT NULL,
    "webhook_id" BIGINT NOT NULL,
    "event_id" BIGINT,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) DEFAULT clock_timestamp(),
    "lease" UUID,
    "attempted_at" TIMESTAMPTZ(3),
    "latency_ms" INTEGER,
    "response_code" SMALLINT,
    "fault" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "webhook_endpoints_list_id_idx" ON "webhook_endpoints"("list_id");

-- CreateIndex
CREATE INDEX "webhook_deliveries_webhook_id_id_idx" ON "webhook_deliveries"("webhook_id", "id");

-- CreateIndex
CREATE INDEX "webhook_deliveries_created_at_idx" ON "webhook_deliveries" USING BRIN ("created_at");

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhook_endpoints"("webhook_id") ON DELETE CASCADE ON UPDATE NO ACTION;



-- What waits is a small part of the log: which endpoints have something due, and what comes first at each.
CREATE INDEX webhook_deliveries_due_idx ON webhook_deliveries (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_waiting_idx ON webhook_deliveries (webhook_id, due_at, id) WHERE due_at IS NOT NULL;
-- What is in flight at an endpoint.
CREATE INDEX webhook_deliveries_lease_idx ON webhook_deliveries (webhook_id) WHERE lease IS NOT NULL;

ALTER TABLE webhook_deliveries ADD CONSTRAINT status_known CHECK (status IN ('pending', 'delivered', 'failed'));
ALTER TABLE webhook_deliveries ADD CONSTRAINT due_while_pending CHECK ((due_at IS NOT NULL) = (status = 'pending'));
ALTER TABLE webhook_deliveries ADD CONSTRAINT leased_while_pending CHECK (lease IS NULL OR status = 'pending');

-- An endpoint is what deliveries need of their webhook, kept apart because the last event of a list is delivered when the list
-- and its webhooks are gone. It is written by triggers alone.
CREATE FUNCTION open_endpoint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_endpoints (webhook_id, list_id, url, configuration, secret)
  VALUES (new.id, new.list_id, new.url, new.configuration, new.secret);
  RETURN NULL;
END $$;

-- A secret that is replaced signs for another day, so that its receiver has time to learn the new one.
CREATE FUNCTION change_endpoint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE webhook_endpoints SET url = new.url, configuration = new.configuration, secret = new.secret,
    former_secret = CASE WHEN new.secret = old.secret THEN former_secret ELSE old.secret END,
    former_secret_until = CASE WHEN new.secret = old.secret THEN former_secret_until ELSE now() + interval '24 hours' END
  WHERE webhook_id = new.id;
  RETURN NULL;
END $$;

-- With the webhook, or with the membership of who made it, everything that waits ends. With the list it does not: what
-- happened up to its end is still told.
CREATE FUNCTION close_endpoint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM lists WHERE id = old.list_id) THEN DELETE FROM webhook_endpoints WHERE webhook_id = old.id; END IF;
  RETURN NULL;
END $$;

-- Under the lock of the list, so that a list's deliveries are due in the order of its revisions.
CREATE FUNCTION enqueue_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_deliveries (webhook_id, event_id)
  SELECT webhook_id, new.id FROM webhook_endpoints WHERE list_id = new.list_id AND disabled_at IS NULL ORDER BY webhook_id;
  RETURN NULL;
END $$;

-- Before "00_record", whose event is the first that a new webhook is told.
CREATE TRIGGER "00_open_endpoint" AFTER INSERT ON webhooks FOR EACH ROW EXECUTE FUNCTION open_endpoint();
CREATE TRIGGER "01_change_endpoint" AFTER UPDATE ON webhooks FOR EACH ROW
  WHEN ((new.url, new.configuration, new.secret) IS DISTINCT FROM (old.url, old.configuration, old.secret)) EXECUTE FUNCTION change_endpoint();
-- After "00_record", which locks the list: lists come before endpoints in the order of locks.
CREATE TRIGGER "01_close_endpoint" AFTER DELETE ON webhooks FOR EACH ROW EXECUTE FUNCTION close_endpoint();
CREATE TRIGGER "00_enqueue_deliveries" AFTER INSERT ON events FOR EACH ROW WHEN (new.list_id IS NOT NULL) EXECUTE FUNCTION enqueue_deliveries();

-- Webhooks that are there already.
INSERT INTO webhook_endpoints (webhook_id, list_id, url, configuration, secret) SELECT id, list_id, url, configuration, secret FROM webhooks;
