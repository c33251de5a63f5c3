-- A public application runs on its users' devices, where no secret can be kept: it has none, and proves by PKCE that a code is its own.
ALTER TABLE applications ALTER COLUMN secret_hash DROP NOT NULL;

-- Whether people may return to an address, $2, that an application has registered, $1: the same, or for a program on their own machine
-- the same at any port of the loopback interface (RFC 8252, section 7.3).
CREATE FUNCTION is_registered(registered text[], uri text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT uri = ANY (registered) OR uri ~ '^http://(127\.0\.0\.1|\[::1\])(:\d{1,5})?([/?]|$)' AND EXISTS (
    SELECT FROM unnest(registered) r
    WHERE regexp_replace(r, '^(http://(?:127\.0\.0\.1|\[::1\])):\d{1,5}(?=[/?]|$)', '\1')
        = regexp_replace(uri, '^(http://(?:127\.0\.0\.1|\[::1\])):\d{1,5}(?=[/?]|$)', '\1'))
$$;
