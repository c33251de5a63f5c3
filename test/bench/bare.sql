-- The same rows without anything that Tandem promises about them: no trigger, no check, no event.
do $$ declare t record; begin
  for t in select c.relname, g.tgname from pg_trigger g join pg_class c on c.oid = g.tgrelid where not g.tgisinternal loop
    execute format('drop trigger %I on %I', t.tgname, t.relname);
  end loop;
  for t in select c.relname, k.conname from pg_constraint k join pg_class c on c.oid = k.conrelid where k.contype = 'c' loop
    execute format('alter table %I drop constraint %I', t.relname, t.conname);
  end loop;
end $$;
