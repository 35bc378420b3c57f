-- Corrections that a second administrator has to approve, because they change what an approved batch pays beyond a bound.
-- The digest covers exactly the requested changes of that version of the payslip.
create table correction_approval (
  company_id uuid not null,
  approval_id uuid not null,
  salary_id uuid not null,
  batch_id uuid not null,
  from_version integer not null,
  digest bytea not null check (length(digest) = 32),
  approved_at timestamptz,
  primary key (company_id, approval_id),
  foreign key (company_id, approval_id) references approval (company_id, id) on delete cascade,
  foreign key (company_id, salary_id) references payslip (company_id, id) on delete cascade
);
create index correction_approval_batch on correction_approval (company_id, batch_id);
create index correction_approval_of on correction_approval (company_id, salary_id);
alter table correction_approval enable row level security;
alter table correction_approval force row level security;
create policy one_company on correction_approval using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);
