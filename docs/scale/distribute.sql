-- Spreads the tables over the nodes of a Citus cluster, by company (docs/scale.md). Run by the owner on the coordinator, with the server stopped:
--
--     psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -f docs/scale/distribute.sql
--
-- May be run again after every migration: what is placed already stays where it is. One transaction; if it fails nothing has happened.

-- Where each table belongs. `column` is what it is spread by; null: a copy of the whole table on every node.
create or replace temporary view spread as
select c.oid, c.relname as name,
  case
    when obj_description(c.oid, 'pg_class') ~ '^(outside|everywhere):' then null
    when c.relname = 'company' then 'id'
    else 'company_id'
  end as "column"
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'public' and c.relkind = 'r' and c.relname not like 'schema\_%'
  and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e');

do $$
declare
  one record;
  reference text;
  dropped text[] := '{}';
begin
  if not exists (select from pg_extension where extname = 'citus') then
    raise exception 'this database has no Citus: create extension citus, and add its nodes';
  end if;
  -- Whom a transaction may see is set inside it (app.company and others) and must hold on every node it reaches.
  execute format('alter database %I set citus.propagate_set_commands to ''local''', current_database());
  set local citus.multi_shard_modify_mode to 'sequential';

  create or replace temporary view unplaced as
  select * from spread
  where not exists (select from pg_dist_partition d where d.logicalrelid = spread.oid and (d.partmethod = 'h' or d.repmodel = 't'));

  -- A table that is spread cannot be referred to by one that is not yet: references go first and come back at the end.
  for one in
    select conrelid::regclass as called, conname, pg_get_constraintdef(k.oid) as says
    from pg_constraint k join unplaced on unplaced.oid = k.conrelid
    where k.contype = 'f'
  loop
    dropped := dropped || format('alter table %s add constraint %I %s', one.called, one.conname, one.says);
    execute format('alter table %s drop constraint %I', one.called, one.conname);
  end loop;

  for one in select * from unplaced order by "column" is not null, name <> 'company', name loop
    if one."column" is null then
      perform create_reference_table(one.name::text);
    elsif one.name = 'company' then
      perform create_distributed_table('company', 'id', colocate_with => 'none');
    else
      perform create_distributed_table(one.name::text, one."column", colocate_with => 'company');
    end if;
  end loop;

  foreach reference in array dropped loop
    execute reference;
  end loop;
end $$;
