-- Addresses that want no mail about a list, by their digests: whether they have an account does not matter.
CREATE TABLE "unsubscriptions" (
    "list_id" BIGINT NOT NULL,
    "email_hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "unsubscriptions_pkey" PRIMARY KEY ("list_id", "email_hash"),
    CONSTRAINT "unsubscriptions_list_id_fkey" FOREIGN KEY ("list_id") REFERENCES "lists"("id") ON DELETE CASCADE ON UPDATE NO ACTION
);
