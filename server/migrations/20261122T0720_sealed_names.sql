-- What somebody typed about a pay run can tell pay as well (离职补偿, 张三-补发.xlsx, a note beside a line): titles, file names, templates with
-- their headings, arrangements and notices are sealed from here on. Only the application holds the keys: what is there keeps its bytes, is
-- read as what it is, and is sealed by the next start, a piece at a time (`company/seal-old.ts`). Owners as before.

-- Owner: sheet. The index is keyed, of month and name; null until the next start has sealed the row.
alter table title drop constraint title_company_id_owner_id_name_month_key;
alter table title alter column name type bytea using convert_to(name, 'UTF8');
alter table title add column name_index bytea, add unique (company_id, owner_id, month, name_index);

alter table template drop constraint template_company_id_owner_id_name_key;
alter table template
  alter column layout drop default,
  alter column name type bytea using convert_to(name, 'UTF8'),
  alter column recipe type bytea using convert_to(recipe::text, 'UTF8'),
  alter column layout type bytea using convert_to(layout::text, 'UTF8'),
  add column name_index bytea,
  add unique (company_id, owner_id, name_index);

alter table batch
  alter column layout drop default,
  alter column file_name type bytea using convert_to(file_name, 'UTF8'),
  alter column layout type bytea using convert_to(layout::text, 'UTF8');

-- Of uploads under way: the names of a sheet and of its columns. Whoever waits for one asks again.
delete from upload_progress;
alter table upload_progress drop column sheet, drop column labels, add column named bytea not null;

-- Owner: desk.
alter table file alter column name type bytea using convert_to(name, 'UTF8');
alter table notice alter column text type bytea using convert_to(text, 'UTF8');

-- Owner: company.
create table sealed_since (
  what text primary key,
  done_at timestamptz not null
);
comment on table sealed_since is 'outside: what the application has sealed of a time before, once for all companies';
