-- Owner: sheet. The names of a batch's rows in one sealed piece, made by the first search for one: opening every row for each search of a
-- sheet of a hundred thousand took seconds. It goes when a row's cells change.
create table sheet_names (
  company_id uuid not null,
  id uuid not null,
  -- The columns that said the names.
  by_columns text not null,
  sealed bytea not null,
  primary key (company_id, id),
  foreign key (company_id, id) references batch (company_id, id) on delete cascade
);
alter table sheet_names enable row level security;
alter table sheet_names force row level security;
create policy one_company on sheet_names using (company_id = nullif(current_setting('app.company', true), '')::uuid);
