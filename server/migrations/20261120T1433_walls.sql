-- Row-level security: every table of a company shows one company's rows, the one the transaction was opened for. Forced, so that it
-- holds for the tables' owner too.

do $$
declare
  t text;
begin
  foreach t in array array[
    'company_key', 'department', 'member', 'member_department', 'admin', 'admin_department', 'agency_link', 'sms_entry', 'notice', 'file',
    'file_chunk', 'audit_line', 'once_key', 'title', 'title_share', 'batch', 'sheet_row', 'wizard', 'plan', 'salary', 'salary_change', 'delivery',
    'feedback', 'feedback_message', 'export_job', 'suggestion'
  ] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format(
      'create policy one_company on %I using (company_id = nullif(current_setting(''app.company'', true), '''')::uuid)', t);
  end loop;
end $$;

create policy one_company on company using (id = nullif(current_setting('app.company', true), '')::uuid);

-- A person sees his own rows in every company, and nothing else: so a sign-in finds the companies one may choose.
-- app.mobile is set only after a code sent to that phone was checked.
create policy own_rows on member for select using (
  account_id = nullif(current_setting('app.account', true), '')::uuid
  or mobile = nullif(current_setting('app.mobile', true), '')
);
create policy own_rows on admin for select using (account_id = nullif(current_setting('app.account', true), '')::uuid);

create policy own_companies on company for select using (
  id in (select company_id from member where account_id = nullif(current_setting('app.account', true), '')::uuid)
  or id in (select company_id from admin where account_id = nullif(current_setting('app.account', true), '')::uuid)
);

-- The machine room may list the companies (to resume their work after a restart), nothing of theirs.
create policy machine on company for select using (current_setting('app.machine', true) = 'yes');

-- Evidence is written, never changed.
revoke update, delete on audit_line from public;
revoke update, delete on salary_change from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'xinhan_app') then
    revoke update, delete on audit_line, salary_change from xinhan_app;
  end if;
end $$;
