-- Owners: sheet (sheet_page, sheet_row). A row of a sheet has a line of its own only where something was decided about it (docs/decisions/20261126-pages-of-a-sheet.md).
-- The numbers of the rows whose cells a page has, from the top.
alter table sheet_page add column numbers integer[];
alter table sheet_page no force row level security;
alter table sheet_row no force row level security;
update sheet_page set numbers = coalesce(
  (select array_agg(row_no order by row_no) from sheet_row
   where sheet_row.company_id = sheet_page.company_id and sheet_row.batch_id = sheet_page.batch_id and sheet_row.page_id = sheet_page.id), '{}');
-- Every row of it was written anew since.
delete from sheet_page where numbers = '{}';
delete from sheet_row where page_id is not null and member_id is null and not skipped and accepted = '{}' and edited = '{}';
alter table sheet_page force row level security;
alter table sheet_row force row level security;
alter table sheet_page alter column numbers set not null;
alter table sheet_page add constraint sheet_page_numbers check (cardinality(numbers) > 0);
alter table sheet_row drop constraint sheet_row_stands;
alter table sheet_row drop column page_id;
