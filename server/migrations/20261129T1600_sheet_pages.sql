-- Owners: sheet (sheet_page, sheet_row). The cells of a sheet's rows are sealed by the page (docs/decisions/20261126-pages-of-a-sheet.md).
create table sheet_page (
  company_id uuid not null,
  id uuid not null,
  batch_id uuid not null,
  -- The cells of some hundred rows, by their number.
  sealed bytea not null,
  primary key (company_id, id),
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade
);
create index sheet_page_batch on sheet_page (company_id, batch_id);
-- What is sealed shrinks no more.
alter table sheet_page alter column sealed set storage external;
alter table sheet_page enable row level security;
alter table sheet_page force row level security;
create policy one_company on sheet_page using (company_id = nullif(current_setting('app.company', true), '')::uuid);

-- A row that was written anew, or before there were pages, has cells of its own.
alter table sheet_row alter column cells drop not null;
alter table sheet_row add column page_id uuid;
alter table sheet_row add constraint sheet_row_stands check ((cells is null) <> (page_id is null));
