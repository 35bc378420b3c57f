-- Owner: account. People as the installation knows them, before a company is chosen.

create table account (
  id uuid primary key,
  mobile text not null unique check (mobile ~ '^1[0-9]{10}$'),
  password_hash text,
  created_at timestamptz not null default now(),
  -- Raised by every change of password or phone: older sessions end.
  epoch integer not null default 0
);
comment on table account is 'outside: one person may belong to several companies';

create table session (
  id uuid primary key,
  -- SHA-256 of the two halves: the header token and the HttpOnly cookie. Both are needed.
  token_hash bytea not null unique,
  cookie_hash bytea not null,
  account_id uuid not null references account (id) on delete cascade,
  company_id uuid,
  epoch integer not null,
  device text not null default '',
  created_at timestamptz not null,
  seen_at timestamptz not null,
  expires_at timestamptz not null,
  -- Until when slips that need a view password may be read.
  view_until timestamptz,
  -- Why it ended before its time: signed_out, password, left, transferred.
  ended text
);
create index session_account on session (account_id);
comment on table session is 'outside: asked for before the company is known';

create table challenge (
  id uuid primary key,
  mobile text not null,
  purpose text not null,
  code_hash bytea not null,
  tries integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index challenge_mobile on challenge (mobile, created_at);
comment on table challenge is 'outside: codes sent by SMS belong to a phone, not to a company';

create table grant_token (
  token_hash bytea primary key,
  mobile text not null,
  purpose text not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
comment on table grant_token is 'outside: what a checked code is exchanged for';

create table attempt (
  key text not null,
  window_start timestamptz not null,
  count integer not null default 0,
  primary key (key, window_start)
);
comment on table attempt is 'outside: limits on tries, by phone and address, shared by all nodes';

create table master_key_check (
  id integer primary key default 1 check (id = 1),
  sealed bytea not null
);
comment on table master_key_check is 'outside: tells at boot whether the master key is the one this database was written with';
