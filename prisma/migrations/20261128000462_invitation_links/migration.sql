-- Links with which people sign up whom somebody here invites, and what goes by such a link until there is an account.
CREATE TABLE "invitation_links" (
    "id" BIGSERIAL NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "maker_id" BIGINT,
    "email" TEXT,
    "list_id" BIGINT,
    "uses" INTEGER NOT NULL,
    "used" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "invitation_links_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "used_at_most" CHECK ("used" BETWEEN 0 AND "uses"),
    CONSTRAINT "invitation_links_maker_id_fkey" FOREIGN KEY ("maker_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT "invitation_links_list_id_fkey" FOREIGN KEY ("list_id") REFERENCES "lists"("id") ON DELETE CASCADE ON UPDATE NO ACTION
);

CREATE UNIQUE INDEX "invitation_links_token_hash_key" ON "invitation_links"("token_hash");
CREATE INDEX "invitation_links_maker_id_idx" ON "invitation_links"("maker_id");
CREATE INDEX "invitation_links_list_id_idx" ON "invitation_links"("list_id");
CREATE INDEX "invitation_links_expires_at_idx" ON "invitation_links"("expires_at");

ALTER TABLE "mailed_links" ADD COLUMN "invitation_hash" BYTEA;
ALTER TABLE "identity_requests" ADD COLUMN "invitation_hash" BYTEA;
ALTER TABLE "pending_identities" ADD COLUMN "invitation_hash" BYTEA;
