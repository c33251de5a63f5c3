-- Invitations whose mail has not been sent. Written in the invitation's own transaction, so that what is rolled back mails nobody.
CREATE TABLE "invitation_mails" (
    "membership_id" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "invitation_mails_pkey" PRIMARY KEY ("membership_id"),
    CONSTRAINT "invitation_mails_membership_id_fkey" FOREIGN KEY ("membership_id") REFERENCES "memberships"("id") ON DELETE CASCADE ON UPDATE NO ACTION
);

CREATE FUNCTION mail_invitation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO invitation_mails (membership_id) VALUES (NEW.id);
  RETURN NULL;
END $$;

CREATE TRIGGER mail_invitation AFTER INSERT ON memberships FOR EACH ROW WHEN (NEW.state = 'pending') EXECUTE FUNCTION mail_invitation();
