-- The own ids that a company's programs give to its employees, departments and batches; deleted with what they name.
create table external_reference (
  company_id uuid not null references company (id),
  id uuid not null,
  external_id text not null,
  member_id uuid,
  department_id uuid,
  batch_id uuid,
  created_at timestamptz not null,
  primary key (company_id, id),
  check (num_nonnulls(member_id, department_id, batch_id) = 1),
  foreign key (company_id, member_id) references member (company_id, id) on delete cascade,
  foreign key (company_id, department_id) references department (company_id, id) on delete cascade,
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade
);
create unique index external_reference_member on external_reference (company_id, member_id) where member_id is not null;
create unique index external_reference_department on external_reference (company_id, department_id) where department_id is not null;
create unique index external_reference_batch on external_reference (company_id, batch_id) where batch_id is not null;
create unique index external_reference_of_member on external_reference (company_id, external_id) where member_id is not null;
create unique index external_reference_of_department on external_reference (company_id, external_id) where department_id is not null;
create unique index external_reference_of_batch on external_reference (company_id, external_id) where batch_id is not null;
alter table external_reference enable row level security;
alter table external_reference force row level security;
create policy one_company on external_reference using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- When the key was last refused, so that a program that keeps trying a dead key leaves one audit log entry a minute.
alter table api_key add column refused_at timestamptz;
