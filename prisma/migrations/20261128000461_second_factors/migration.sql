-- What a user proves beside the password. Tables of their own, so that no event, snapshot or export of a user tells of it.
CREATE TABLE "second_factors" (
    "user_id" BIGINT NOT NULL,
    "secret" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "confirmed_at" TIMESTAMPTZ(3),
    "last_step" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "second_factors_pkey" PRIMARY KEY ("user_id"),
    CONSTRAINT "second_factors_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION
);

-- Those that wait for their first code.
CREATE INDEX "second_factors_waiting_idx" ON "second_factors"("created_at") WHERE "confirmed_at" IS NULL;

CREATE TABLE "recovery_codes" (
    "user_id" BIGINT NOT NULL,
    "code_hash" BYTEA NOT NULL,

    CONSTRAINT "recovery_codes_pkey" PRIMARY KEY ("user_id", "code_hash"),
    CONSTRAINT "recovery_codes_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "second_factors"("user_id") ON DELETE CASCADE ON UPDATE NO ACTION
);

-- A browser whose password was right, and that has not shown its second factor yet.
CREATE TABLE "half_sign_ins" (
    "browser_hash" BYTEA NOT NULL,
    "user_id" BIGINT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "half_sign_ins_pkey" PRIMARY KEY ("browser_hash"),
    CONSTRAINT "half_sign_ins_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE NO ACTION
);

CREATE INDEX "half_sign_ins_user_id_idx" ON "half_sign_ins"("user_id");
CREATE INDEX "half_sign_ins_expires_at_idx" ON "half_sign_ins"("expires_at");
