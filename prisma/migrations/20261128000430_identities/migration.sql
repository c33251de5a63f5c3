-- Who somebody is to an OpenID provider. A table of its own, so that no event and no snapshot of a user tells of it.
CREATE TABLE "identities" (
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "user_id" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "identities_pkey" PRIMARY KEY ("issuer", "subject"),
    CONSTRAINT "identities_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION
);

CREATE INDEX "identities_user_id_idx" ON "identities"("user_id");

-- A browser that is away at the provider.
CREATE TABLE "identity_requests" (
    "state_hash" BYTEA NOT NULL,
    "browser_hash" BYTEA NOT NULL,
    "next" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "identity_requests_pkey" PRIMARY KEY ("state_hash")
);

CREATE INDEX "identity_requests_expires_at_idx" ON "identity_requests"("expires_at");

-- Somebody who came back, and of whose address the provider does not say that it is theirs.
CREATE TABLE "pending_identities" (
    "token_hash" BYTEA NOT NULL,
    "browser_hash" BYTEA NOT NULL,
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "id_token" TEXT NOT NULL,
    "mailed_hash" BYTEA,
    "next" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "pending_identities_pkey" PRIMARY KEY ("token_hash")
);

CREATE UNIQUE INDEX "pending_identities_mailed_hash_key" ON "pending_identities"("mailed_hash");
CREATE INDEX "pending_identities_expires_at_idx" ON "pending_identities"("expires_at");

-- What the provider is told when a session ends that began there.
CREATE TABLE "session_identities" (
    "session_id" BIGINT NOT NULL,
    "issuer" TEXT NOT NULL,
    "id_token" TEXT NOT NULL,

    CONSTRAINT "session_identities_pkey" PRIMARY KEY ("session_id"),
    CONSTRAINT "session_identities_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE NO ACTION
);
