-- Owner: tax. A month of withholding of a company. `sources`: pay runs that were taken, ids and counts only. `run_id`: one computing; people who bear
-- it are done, so that it goes on where it was stopped or broke off. `locks`: how often it was locked; `rests_on`: the earlier months of the year by
-- their `locks` when it was computed, so that it is known when one of them says something else since then.
create table tax_period (
  company_id uuid not null references company (id),
  id uuid not null,
  month text not null check (month ~ '^20[0-9]{2}-(0[1-9]|1[0-2])$'),
  status text not null check (status in ('draft', 'computing', 'stopped', 'computed', 'locked')),
  run_id uuid,
  locks integer not null default 0,
  rests_on jsonb not null default '{}',
  sources jsonb not null default '[]',
  -- Sealed: what the month came to.
  totals bytea,
  created_at timestamptz not null,
  computed_at timestamptz,
  locked_at timestamptz,
  locked_by text,
  primary key (company_id, id),
  unique (company_id, month)
);

-- One person in it. Sealed: what went in, and what came out.
create table tax_income (
  company_id uuid not null,
  id uuid not null,
  period_id uuid not null,
  member_id uuid not null,
  income bytea not null,
  result bytea,
  run_id uuid,
  primary key (company_id, id),
  unique (company_id, period_id, member_id),
  foreign key (company_id, period_id) references tax_period (company_id, id) on delete cascade,
  foreign key (company_id, member_id) references member (company_id, id) on delete cascade
);
create index tax_income_member on tax_income (company_id, member_id);

-- What is said of a person for a whole tax year. Sealed.
create table tax_year (
  company_id uuid not null,
  id uuid not null,
  member_id uuid not null,
  year integer not null,
  facts bytea not null,
  primary key (company_id, id),
  unique (company_id, member_id, year),
  foreign key (company_id, member_id) references member (company_id, id) on delete cascade
);

-- Who began, locked and opened a month, and why: written, never changed.
create table tax_period_event (
  company_id uuid not null,
  id uuid not null,
  period_id uuid not null,
  at timestamptz not null,
  kind text not null check (kind in ('created', 'locked', 'reopened')),
  by_name text not null,
  account_id uuid,
  -- Sealed.
  reason bytea,
  primary key (company_id, id),
  foreign key (company_id, period_id) references tax_period (company_id, id) on delete cascade
);
create index tax_period_event_of on tax_period_event (company_id, period_id, id);

do $$
declare
  t text;
begin
  foreach t in array array['tax_period', 'tax_income', 'tax_year', 'tax_period_event'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format(
      'create policy one_company on %I using (company_id = nullif(current_setting(''app.company'', true), '''')::uuid)', t);
  end loop;
end $$;
revoke update, delete on tax_period_event from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'xinhan_app') then
    revoke update, delete on tax_period_event from xinhan_app;
  end if;
end $$;
