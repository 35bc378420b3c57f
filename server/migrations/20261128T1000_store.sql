-- Owners: runtime (platform_suite, platform_install, platform_install_told), binding (platform_install_ask). Our applications of the platforms' stores: their tickets, who installed them, who is about to (docs/decisions/20261123-store-applications.md).
create table platform_suite (
  provider text not null check (provider in ('lark', 'wecom', 'dingtalk')),
  suite_id text not null,
  -- Sealed with the installation's key.
  ticket bytea not null,
  -- When the platform made it: an older one that comes later is none.
  pushed_at timestamptz not null,
  primary key (provider, suite_id)
);
comment on table platform_suite is 'outside: the newest ticket of an application of the store, which is of all companies';

create table platform_install (
  provider text not null check (provider in ('lark', 'wecom', 'dingtalk')),
  suite_id text not null,
  -- As the platform names the company.
  corp_id text not null,
  corp_name text not null default '',
  agent_id text not null default '',
  -- WeCom's permanent code while nobody has claimed it, sealed with the installation's key; then it is the company's.
  secret bytea,
  -- Whom the platform calls administrators there.
  installers text[] not null default '{}',
  -- The company here; null: it waits to be claimed.
  claimed_by uuid,
  came_at timestamptz not null,
  primary key (provider, suite_id, corp_id)
);
comment on table platform_install is 'outside: told by the platform, before it is known whose it is';

create table platform_install_told (
  provider text not null,
  suite_id text not null,
  key text not null,
  came_at timestamptz not null,
  primary key (provider, suite_id, key)
);
create index platform_install_told_old on platform_install_told (came_at);
comment on table platform_install_told is 'outside: what was told of installations, so that a repeated one is known';

-- An administrator went to the platform to install, or to prove who he is there: good once, for him alone.
create table platform_install_ask (
  company_id uuid not null references company (id),
  state_hash bytea not null,
  account_id uuid not null,
  provider text not null check (provider in ('lark', 'wecom', 'dingtalk')),
  how text not null check (how in ('install', 'claim')),
  expires_at timestamptz not null,
  primary key (company_id, state_hash)
);
alter table platform_install_ask enable row level security;
alter table platform_install_ask force row level security;
create policy one_company on platform_install_ask using (company_id = nullif(current_setting('app.company', true), '')::uuid);
