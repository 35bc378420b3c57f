-- Owner: invite. Who came by the company's picture and is on no roster: a to-do of those who keep it, until he is taken in or refused; then the row is
-- gone, and the evidence of the decision is the audit's.
create table join_request (
  company_id uuid not null references company (id),
  id uuid not null,
  name text not null,
  -- Proven by a code.
  mobile text not null,
  created_at timestamptz not null,
  primary key (company_id, id),
  unique (company_id, mobile)
);

alter table join_request enable row level security;
alter table join_request force row level security;
create policy one_company on join_request using (company_id = nullif(current_setting('app.company', true), '')::uuid);
