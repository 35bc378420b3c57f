-- Owner: member. Who leads a department; and where the people of a deleted one went: what was kept for whoever managed it then (a draft,
-- `batch.scope_ids`) is for whoever manages that place now, and not for everybody because nobody manages what is gone.
alter table department
  add column leader_id uuid,
  add foreign key (company_id, leader_id) references member (company_id, id);
create index department_parent on department (company_id, parent_id);
create index department_leader on department (company_id, leader_id) where leader_id is not null;

create table department_gone (
  company_id uuid not null references company (id),
  id uuid not null,
  into_id uuid not null,
  gone_at timestamptz not null,
  primary key (company_id, id),
  foreign key (company_id, into_id) references department (company_id, id)
);
create index department_gone_into on department_gone (company_id, into_id);
alter table department_gone enable row level security;
alter table department_gone force row level security;
create policy one_company on department_gone using (company_id = nullif(current_setting('app.company', true), '')::uuid);
