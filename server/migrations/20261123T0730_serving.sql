-- Owner: role. An agency that asks to serve this company, serves it, or did. One row an agency: it asks again in the same row. `until`: its last day.
create table agency_service (
  company_id uuid not null references company (id),
  id uuid not null,
  agency_id uuid not null,
  agency_name text not null,
  status text not null check (status in ('waiting', 'active', 'refused', 'ended')),
  scope_all boolean not null default false,
  department_ids uuid[] not null default '{}',
  until date,
  applied_at timestamptz not null,
  decided_at timestamptz,
  ended_at timestamptz,
  primary key (company_id, id),
  unique (company_id, agency_id)
);
alter table agency_service enable row level security;
alter table agency_service force row level security;
create policy one_company on agency_service using (company_id = nullif(current_setting('app.company', true), '')::uuid);

-- A seat: the row of an administrator who works here for an agency, until that day. It opens by a session of that agency only.
alter table admin add column agency_id uuid, add column serves_until date;
create index admin_agency on admin (company_id, agency_id) where agency_id is not null;

-- Owner: account. Whoever came in from an agency: the agency that he came from.
alter table session add column agency_id uuid;

-- Owner: agency. What was asked for stands here under the name that was typed, whether such a company is known or not.
alter table agency_link alter column served_company_id drop not null;
