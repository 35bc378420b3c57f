-- Owner: member. A roster on its way to becoming people: read, planned, carried out, and for a day how to take it back. What it says of people
-- is sealed. `shown`: the plan that the administrator has seen; another one is shown first. `held_until`: somebody is at work on it.
create table member_import (
  company_id uuid not null references company (id),
  id uuid not null,
  account_id uuid not null references account (id) on delete cascade,
  stage text not null check (stage in ('waiting', 'reading', 'planned', 'applying', 'done', 'undone')),
  done integer not null default 0,
  total integer not null default 0,
  held_until timestamptz,
  file_id uuid,
  -- Sealed: the name of the file.
  named bytea not null,
  -- Sealed: what was read, what was answered, what would become of each row, what stood there before.
  read bytea,
  answers bytea,
  plan bytea,
  undo bytea,
  shown text,
  -- Numbers only.
  result jsonb,
  created_at timestamptz not null,
  applied_at timestamptz,
  primary key (company_id, id)
);
create index member_import_of on member_import (company_id, account_id, created_at);

-- What somebody said the columns of one header are for: letters and roles, no words of the sheet.
create table roster_recipe (
  company_id uuid not null references company (id),
  id uuid not null,
  -- Keyed, of the normalised header.
  fingerprint text not null,
  roles jsonb not null,
  used_at timestamptz not null,
  primary key (company_id, id),
  unique (company_id, fingerprint)
);

do $$
declare
  t text;
begin
  foreach t in array array['member_import', 'roster_recipe'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format(
      'create policy one_company on %I using (company_id = nullif(current_setting(''app.company'', true), '''')::uuid)', t);
  end loop;
end $$;
