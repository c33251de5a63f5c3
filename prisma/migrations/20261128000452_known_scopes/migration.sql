-- The checks of scopes hold for every row since then; rows of before are looked through here, in a transaction of its own, while tables are
-- read and written to as ever.
ALTER TABLE applications VALIDATE CONSTRAINT known_scopes;
ALTER TABLE authorization_codes VALIDATE CONSTRAINT known_scopes;
ALTER TABLE refresh_tokens VALIDATE CONSTRAINT known_scopes;
ALTER TABLE access_tokens VALIDATE CONSTRAINT known_scopes;
