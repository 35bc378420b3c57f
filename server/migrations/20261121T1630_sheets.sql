-- Any wage sheet: what is remembered of it, how it is drawn, how far an upload is. Owner: sheet.

-- A recipe: what the columns of one kind of sheet are for, and how its slips look. Learned with every sheet; named ones are templates.
create table template (
  company_id uuid not null references company (id),
  id uuid not null,
  owner_id uuid not null,
  -- Null while nobody has named it.
  name text,
  -- Keyed, of the normalised header.
  fingerprint text not null,
  -- Labels, roles, kinds and the formula: words of a header, no figures.
  recipe jsonb not null,
  layout jsonb not null default '{}',
  -- The pay run in which it was used last.
  title_id uuid,
  used_at timestamptz not null,
  created_at timestamptz not null,
  primary key (company_id, id),
  unique (company_id, owner_id, fingerprint),
  unique (company_id, owner_id, name),
  foreign key (company_id, owner_id) references admin (company_id, id) on delete cascade
);
create index template_used on template (company_id, owner_id, used_at desc);

alter table batch
  -- The recipe that was taken over or learned.
  add column template_id uuid,
  -- Sealed: what the drawing needs beside the rows of people (other rows as they stand, merges, hidden rows).
  add column drawing bytea;

-- How far an upload is, for the page that waits for it; swept after a day.
create table upload_progress (
  company_id uuid not null references company (id),
  id uuid not null,
  account_id uuid not null references account (id) on delete cascade,
  stage text not null check (stage in ('waiting', 'reading', 'keeping', 'done')),
  done integer not null default 0,
  total integer not null default 0,
  sheet text not null default '',
  labels text[] not null default '{}',
  updated_at timestamptz not null,
  primary key (company_id, id)
);

do $$
declare
  t text;
begin
  foreach t in array array['template', 'upload_progress'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format(
      'create policy one_company on %I using (company_id = nullif(current_setting(''app.company'', true), '''')::uuid)', t);
  end loop;
end $$;
