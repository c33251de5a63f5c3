-- The addresses to which invitations were sent, for those who sent them: what the invited user is called now must not show.
CREATE TABLE "invited_addresses" (
    "membership_id" BIGINT NOT NULL,
    "email" TEXT NOT NULL,

    CONSTRAINT "invited_addresses_pkey" PRIMARY KEY ("membership_id"),
    CONSTRAINT "invited_addresses_membership_id_fkey" FOREIGN KEY ("membership_id") REFERENCES "memberships"("id") ON DELETE CASCADE ON UPDATE NO ACTION
);
