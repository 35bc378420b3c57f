-- Owners: sheet (sheet_row), slip (feedback). Rows of one person that become one payslip: each but the first names the row that it is combined into.
alter table sheet_row add column part_of integer;
-- A question may be about a line of one of those rows: `c3@12`.
alter table feedback drop constraint feedback_line_check;
alter table feedback add constraint feedback_line_check check (line ~ '^(c[0-9]{1,4}(@[0-9]{1,9})?)?$');
