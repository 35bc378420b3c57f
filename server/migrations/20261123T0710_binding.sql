-- Owner: binding. A company's own application on a chat platform and the life of that binding (docs/decisions/20261123-binding-a-platform.md).
-- Owner of platform_app: company.
alter table platform_app
  add column mode text not null default 'self_built' check (mode in ('self_built', 'store')),
  -- What the callback address was set up with, sealed; null until somebody has.
  add column callback_token bytea,
  add column callback_key bytea;
-- One company there is one company here. Applications of before this table may differ; new ones may not.
create index platform_app_corp on platform_app (provider, corp_id);

create table binding (
  company_id uuid not null references company (id),
  id uuid not null,
  provider text not null check (provider in ('lark', 'wecom', 'dingtalk')),
  corp_id text not null,
  corp_name text not null default '',
  mode text not null check (mode in ('self_built', 'store')),
  -- Its row of platform_app while it lives.
  app_id uuid,
  -- 0 over · 10 bound · 20 syncing · 30 the sync failed · 40 unbinding was asked for · 50 stopped on the platform.
  status smallint not null check (status in (0, 10, 20, 30, 40, 50)),
  -- As the platform answered last: what is missing, and what may be seen.
  problems jsonb not null default '[]',
  visible jsonb,
  checked_at timestamptz not null,
  heard_at timestamptz,
  approval_no text,
  bound_at timestamptz not null,
  ended_at timestamptz,
  primary key (company_id, id)
);
create unique index binding_alive on binding (company_id) where status <> 0;

-- What became of it and by whom: written, never changed.
create table binding_event (
  company_id uuid not null,
  id uuid not null,
  binding_id uuid not null,
  at timestamptz not null,
  kind text not null check (kind in
    ('bound', 'restored', 'rotated', 'unbind_applied', 'unbind_kept', 'unbound', 'stopped', 'resumed', 'synced', 'sync_held', 'sync_failed', 'combined')),
  -- '' where nobody did it: the clock, or the platform.
  by_name text not null default '',
  -- Numbers and the platform's codes only.
  detail jsonb not null default '{}',
  primary key (company_id, id),
  foreign key (company_id, binding_id) references binding (company_id, id) on delete cascade
);
create index binding_event_of on binding_event (company_id, binding_id, id);

-- One reading of a platform's directory: page by page into platform_staged, compared, and then carried out. `cursor`: what is read next;
-- `revision`: two who go on with it at once cannot both.
create table platform_sync (
  company_id uuid not null,
  id uuid not null,
  binding_id uuid not null,
  mode text not null check (mode in ('full', 'incremental')),
  state text not null check (state in ('reading', 'held', 'applying', 'done', 'failed', 'dropped')),
  held_for text check (held_for in ('first', 'many_left')),
  cursor jsonb not null,
  revision integer not null default 0,
  calls integer not null default 0,
  departments integer not null default 0,
  people integer not null default 0,
  counts jsonb not null default '{}',
  error jsonb,
  by_name text not null default '',
  started_at timestamptz not null,
  ended_at timestamptz,
  primary key (company_id, id),
  foreign key (company_id, binding_id) references binding (company_id, id) on delete cascade
);
create index platform_sync_of on platform_sync (company_id, binding_id, id);
create unique index platform_sync_alive on platform_sync (company_id, binding_id) where state in ('reading', 'held', 'applying');

create table platform_staged (
  company_id uuid not null,
  sync_id uuid not null,
  kind text not null check (kind in ('department', 'person')),
  key text not null,
  said jsonb not null,
  -- Departments in whose lists somebody stood.
  places text[] not null default '{}',
  verdict text check (verdict in ('new', 'changed', 'left', 'back', 'same')),
  fields text[] not null default '{}',
  primary key (company_id, sync_id, kind, key),
  foreign key (company_id, sync_id) references platform_sync (company_id, id) on delete cascade
);
create index platform_staged_verdict on platform_staged (company_id, sync_id, verdict, key) where kind = 'person';

-- The directory as it was last agreed upon. Outlives a binding: who binds the same company again finds its links.
create table platform_department (
  company_id uuid not null references company (id),
  id uuid not null,
  provider text not null,
  corp_id text not null,
  key text not null,
  parent_key text,
  name text not null default '',
  place integer not null default 0,
  leader_keys text[] not null default '{}',
  -- Of ours; one that was deleted here meanwhile is found again, or made again, by the next reading.
  department_id uuid,
  gone_at timestamptz,
  primary key (company_id, id),
  unique (company_id, provider, corp_id, key)
);
create index platform_department_ours on platform_department (company_id, department_id);

create table platform_person (
  company_id uuid not null references company (id),
  id uuid not null,
  provider text not null,
  corp_id text not null,
  user_id text not null,
  -- As said there; '' where the platform does not tell. Proves nothing about anybody.
  name text not null default '',
  mobile text not null default '',
  employee_no text not null default '',
  said jsonb not null,
  gone_at timestamptz,
  -- Who he is here, and on what grounds: signed in by himself, said by an administrator, or name and number alike.
  member_id uuid,
  linked_by text check (linked_by in ('proved', 'chosen', 'matched')),
  -- What the rules make of him while he is linked to nobody.
  standing text not null default 'new' check (standing in ('same', 'conflict', 'suggested', 'new', 'ignored')),
  why text check (why in ('number', 'phone', 'two', 'duplicate', 'department', 'name')),
  candidates uuid[] not null default '{}',
  primary key (company_id, id),
  unique (company_id, provider, corp_id, user_id)
);
create unique index platform_person_member on platform_person (company_id, provider, corp_id, member_id) where member_id is not null;
create index platform_person_standing on platform_person (company_id, standing, id);

-- What the platforms told our address: kept first, worked on afterwards, for 30 days so that a repeated one is known.
create table platform_event (
  company_id uuid not null references company (id),
  id uuid not null,
  app_id uuid not null,
  key text not null,
  news jsonb not null,
  -- Sealed, for whoever looks for a fault.
  plain bytea not null,
  came_at timestamptz not null,
  -- The reading that began after it and answers it.
  sync_id uuid,
  done_at timestamptz,
  primary key (company_id, id),
  unique (company_id, app_id, key)
);
create index platform_event_open on platform_event (company_id, id) where done_at is null;
create index platform_event_old on platform_event (company_id, came_at);

do $$
declare
  t text;
begin
  foreach t in array array['binding', 'binding_event', 'platform_sync', 'platform_staged', 'platform_department', 'platform_person', 'platform_event'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format(
      'create policy one_company on %I using (company_id = nullif(current_setting(''app.company'', true), '''')::uuid)', t);
  end loop;
end $$;
revoke update, delete on binding_event from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'xinhan_app') then
    revoke update, delete on binding_event from xinhan_app;
  end if;
end $$;

-- Whoever has an application already has been bound to that platform since then.
insert into binding (company_id, id, provider, corp_id, mode, app_id, status, checked_at, bound_at)
select distinct on (platform_app.company_id) platform_app.company_id, platform_app.id, platform_app.provider, platform_app.corp_id, 'self_built', platform_app.id, 10,
  platform_app.created_at, platform_app.created_at
from platform_app join company on company.id = platform_app.company_id and company.provider = platform_app.provider
order by platform_app.company_id, platform_app.created_at;
