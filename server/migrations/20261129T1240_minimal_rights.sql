-- What is written once is never rewritten by the application: prices apply from a time on, and order numbers come from
-- payment providers. A key is lost for good with its row.
revoke update, delete on price, order_lookup from public;
revoke delete on announcement, payment_statement, company_key, master_key_check from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'xinhan_app') then
    revoke update, delete on price, order_lookup from xinhan_app;
    revoke delete on announcement, payment_statement, company_key, master_key_check from xinhan_app;
  end if;
end $$;

-- Without it, a temporary table would be found before the real one.
alter function count_again() set search_path = public, pg_temp;
