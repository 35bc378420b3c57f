-- Owner: chart. What the slips of a batch came to, person by person and part by part, sealed; `stamp` says of which slips, in which versions:
-- another one means that it is made anew.
create table chart_figures (
  company_id uuid not null,
  batch_id uuid not null,
  stamp text not null,
  -- Sealed.
  figures bytea not null,
  primary key (company_id, batch_id),
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade
);

-- A year that somebody asked for as a sheet. As whom he asked: what he may see then and now decides whether he gets it.
create table chart_export (
  company_id uuid not null references company (id),
  id uuid not null,
  account_id uuid not null,
  admin_id uuid not null,
  year integer not null,
  power text[] not null,
  scope_all boolean not null,
  scope_ids uuid[] not null,
  -- The pay runs that are in the file, once it is made.
  batch_ids uuid[] not null default '{}',
  progress integer not null default 0,
  file_id uuid,
  failed text,
  created_at timestamptz not null,
  primary key (company_id, id)
);
create index chart_export_asked on chart_export (company_id, account_id, created_at);
create index chart_export_file on chart_export (company_id, file_id);

do $$
declare
  t text;
begin
  foreach t in array array['chart_figures', 'chart_export'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format(
      'create policy one_company on %I using (company_id = nullif(current_setting(''app.company'', true), '''')::uuid)', t);
  end loop;
end $$;
