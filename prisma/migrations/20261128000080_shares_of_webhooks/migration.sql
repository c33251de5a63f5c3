-- One maker's webhooks are bounded in number, and in the places that their deliveries take at one time.

-- Every webhook proves anew that it answers in time.
ALTER TABLE webhook_endpoints ADD COLUMN maker_id BIGINT, ADD COLUMN is_prompt BOOLEAN NOT NULL DEFAULT false;
UPDATE webhook_endpoints e SET maker_id = w.created_by_id FROM webhooks w WHERE w.id = e.webhook_id;

CREATE FUNCTION name_maker() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.maker_id := (SELECT created_by_id FROM webhooks WHERE id = new.webhook_id);
  RETURN new;
END $$;

CREATE TRIGGER "00_name_maker" BEFORE INSERT ON webhook_endpoints FOR EACH ROW EXECUTE FUNCTION name_maker();

-- CreateIndex
CREATE INDEX "webhooks_created_by_id_idx" ON "webhooks"("created_by_id");

-- Those who make webhooks of one list, or one user's, take turns, so that each sees what the one before has made.
CREATE FUNCTION limit_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('webhooks of list ' || new.list_id, 0));
  IF (SELECT count(*) FROM webhooks WHERE list_id = new.list_id) >= 20 THEN
    RAISE EXCEPTION 'the list has 20 webhooks' USING ERRCODE = 'check_violation', CONSTRAINT = 'webhooks_of_list';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('webhooks of user ' || new.created_by_id, 0));
  IF (SELECT count(*) FROM webhooks WHERE created_by_id = new.created_by_id) >= 100 THEN
    RAISE EXCEPTION 'the user has made 100 webhooks' USING ERRCODE = 'check_violation', CONSTRAINT = 'webhooks_of_user';
  END IF;
  RETURN new;
END $$;

CREATE TRIGGER "00_limit" BEFORE INSERT ON webhooks FOR EACH ROW EXECUTE FUNCTION limit_webhooks();
