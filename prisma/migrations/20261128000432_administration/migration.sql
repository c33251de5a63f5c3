-- Users who see how the service is doing. A table of its own, so that no event and no snapshot of a user tells of it.
CREATE TABLE "administrators" (
    "user_id" BIGINT NOT NULL,
    "promoted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "administrators_pkey" PRIMARY KEY ("user_id"),
    CONSTRAINT "administrators_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION
);

-- What operators have done. It names users in words, for it outlives them.
CREATE TABLE "administrative_acts" (
    "id" BIGSERIAL NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor" TEXT NOT NULL,
    "act" TEXT NOT NULL,
    "subject" TEXT NOT NULL,

    CONSTRAINT "administrative_acts_pkey" PRIMARY KEY ("id")
);

CREATE FUNCTION refuse_change_of_act() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the log of administrative acts is only added to';
END $$;

CREATE TRIGGER only_added_to BEFORE UPDATE OR DELETE OR TRUNCATE ON administrative_acts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_act();
