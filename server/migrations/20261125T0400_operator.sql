-- Owner: runtime. Whoever runs the server: an account kind of its own, in no company, with sessions and a log of its own. These rows are seen by a transaction of
-- that kind only (app.operator), and such a transaction sees of companies what follows below, and nothing else.
create table operator (
  id uuid primary key,
  name text not null unique,
  password_hash text not null,
  -- Sealed; asked for at every sign-in. `ready_at`: since it was shown to be on somebody's phone.
  totp bytea not null,
  totp_step bigint not null default 0,
  made_with bytea not null,
  ready_at timestamptz,
  ended_at timestamptz,
  created_at timestamptz not null
);
-- A key makes one operator: that of the environment, and those by which operators invite others.
create unique index operator_made_with on operator (made_with) where ready_at is not null;
create table operator_invite (
  id uuid primary key,
  key_hash bytea not null unique,
  by_id uuid not null references operator (id),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create table operator_session (
  id uuid primary key,
  operator_id uuid not null references operator (id),
  token_hash bytea not null unique,
  cookie_hash bytea not null,
  created_at timestamptz not null,
  seen_at timestamptz not null,
  ended_at timestamptz
);
create index operator_session_of on operator_session (operator_id) where ended_at is null;
create table operator_line (
  id uuid primary key,
  at timestamptz not null,
  operator_id uuid,
  name text not null,
  call text not null,
  outcome text not null,
  about jsonb not null,
  address text not null,
  request_id text not null
);
create index operator_line_newest on operator_line (at desc, id desc);

comment on table operator is 'outside: whoever runs the server; seen by a transaction of that kind only';
comment on table operator_invite is 'outside: whoever runs the server; seen by a transaction of that kind only';
comment on table operator_session is 'outside: whoever runs the server; seen by a transaction of that kind only';
comment on table operator_line is 'outside: whoever runs the server; seen by a transaction of that kind only';

-- Owner: company. What is asked for products from a day on, and what is told to everybody. Everybody may read both; operators write them.
create table price (
  id uuid primary key,
  product_id text not null,
  price_fen bigint not null check (price_fen > 0),
  from_at timestamptz not null,
  by_name text not null
);
comment on table price is 'outside: what products cost here, for all companies alike';
create index price_of on price (product_id, from_at desc);
create table news (
  id uuid primary key,
  kind text not null,
  title text not null,
  summary text not null,
  paragraphs text[] not null,
  published_at timestamptz not null,
  withdrawn_at timestamptz,
  by_name text not null
);
comment on table news is 'outside: what whoever runs the server tells all companies';
create index news_newest on news (published_at desc, id desc);

do $$
declare
  t text;
begin
  foreach t in array array['operator', 'operator_invite', 'operator_session', 'operator_line'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy operator on %I using (current_setting(''app.operator'', true) = ''yes'')', t);
  end loop;
  foreach t in array array['company', 'pay_order', 'payment', 'invoice', 'invoice_order'] loop
    execute format('create policy operator on %I for select using (current_setting(''app.operator'', true) = ''yes'')', t);
  end loop;
end $$;
-- Written, never changed.
revoke update, delete on operator_line from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'xinhan_app') then
    revoke update, delete on operator_line from xinhan_app;
  end if;
end $$;
