-- With a user go his lists and what anybody put into them, each with an event of its own for its members; what he put into
-- lists of others goes by its foreign key. By its name this trigger runs before those of the foreign keys, so that the
-- memberships, by which members are told, are still there.
CREATE FUNCTION delete_lists_of_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM lists WHERE owner_id = old.id;
  RETURN NULL;
END $$;

CREATE TRIGGER "00_lists" AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION delete_lists_of_user();
