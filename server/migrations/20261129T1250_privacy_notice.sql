-- When an employee was shown how the company processes their data (个人信息保护法, article 17), and confirmed to have read it.
create table privacy_notice (
  company_id uuid not null references company (id),
  account_id uuid not null references account (id),
  displayed_at timestamptz not null,
  read_at timestamptz,
  primary key (company_id, account_id)
);
alter table privacy_notice enable row level security;
alter table privacy_notice force row level security;
create policy one_company on privacy_notice using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);
revoke delete on privacy_notice from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'xinhan_app') then
    revoke delete on privacy_notice from xinhan_app;
  end if;
end $$;
