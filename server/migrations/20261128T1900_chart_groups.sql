-- Owner: chart. Into which groups the people of a month were divided when somebody was first told sums of it who may not open slips, sealed: whoever is
-- moved to another department later stays where he was counted, or two sums of before and after would be his pay.
create table chart_groups (
  company_id uuid not null references company (id),
  month text not null,
  -- Sealed.
  groups bytea not null,
  primary key (company_id, month)
);
alter table chart_groups enable row level security;
alter table chart_groups force row level security;
create policy one_company on chart_groups using (company_id = nullif(current_setting('app.company', true), '')::uuid);
