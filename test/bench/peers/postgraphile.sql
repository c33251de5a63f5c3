-- What somebody who works with PostGraphile would write so that a list grows with its tasks.
create function raise_list() returns trigger language plpgsql as $$
begin
  update lists set revision = revision + 1 where id = new.list_id;
  return new;
end $$;
create trigger raise_list after insert or update on tasks for each row execute function raise_list();
