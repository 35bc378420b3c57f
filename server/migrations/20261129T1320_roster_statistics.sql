-- Updates the statistics of the roster's tables after an import of many people. Until autovacuum has analyzed them, the
-- planner takes them for small and compares every person with every other one. Only the owner of a table can run
-- `analyze`, hence `security definer`.
create function analyze_roster() returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  analyze member (company_id, id, status, account_id);
  analyze member_department (company_id, member_id, department_id);
  analyze department (company_id, id, parent_id);
end $$;
comment on function analyze_roster() is 'outside: lets the planner count how rows are spread; reads out and changes nothing';
