-- Re-wrapping the master key: the check value of the former key while some keys are still wrapped by it, else null.
alter table master_key_check add column previous_sealed bytea;

-- The installation's own key. Without a row it derives from the master key; with the first re-wrapping it is stored,
-- wrapped by the master key, so that it stays the same under every later one.
create table installation_key (
  id integer default 1 primary key check (id = 1),
  wrapped bytea not null
);
comment on table installation_key is 'outside: the wrapped key of the installation, for data that belongs to no company';

-- A further key of a company is used only when every server has had the time to load it.
alter table company_key add column usable_from timestamptz not null default now();

-- Keys that will be destroyed, with the time in which that can be aborted. Rows are never deleted.
create table key_destruction (
  id uuid primary key,
  -- Without a reference: these rows are on every node, those of a company on one.
  company_id uuid not null,
  company_name text not null,
  reason text not null,
  requested_at timestamptz not null,
  due_at timestamptz not null check (due_at >= requested_at + interval '7 days'),
  aborted_at timestamptz,
  destroyed_at timestamptz,
  check (aborted_at is null or destroyed_at is null)
);
create unique index key_destruction_planned on key_destruction (company_id) where aborted_at is null;
create index key_destruction_company on key_destruction (company_id);
comment on table key_destruction is 'outside: the operator; visible to operator transactions only';
alter table key_destruction enable row level security;
alter table key_destruction force row level security;
create policy operator on key_destruction using (current_setting('app.operator'::text, true) = 'yes'::text);

-- When the keys of the company were destroyed: its pay data cannot be read any more, and no job works on it.
alter table company add column key_destroyed_at timestamptz;

-- The application cannot delete keys itself. This function deletes those of one company whose destruction is due.
create function destroy_company_key(destruction uuid, at timestamptz) returns boolean
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  doomed uuid;
begin
  update key_destruction set destroyed_at = at
    where id = destruction and due_at <= least(at, now()) and aborted_at is null and destroyed_at is null
    returning company_id into doomed;
  if doomed is null then
    return false;
  end if;
  perform set_config('app.company', doomed::text, true);
  delete from company_key where company_id = doomed;
  update company set key_destroyed_at = at where id = doomed;
  perform set_config('app.company', '', true);
  return true;
end $$;
comment on function destroy_company_key(uuid, timestamptz) is 'outside: deletes only keys whose destruction was planned by an operator and is due';

revoke delete on company_key, key_destruction, installation_key from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'xinhan_app') then
    revoke delete on company_key, key_destruction, installation_key from xinhan_app;
  end if;
end $$;
