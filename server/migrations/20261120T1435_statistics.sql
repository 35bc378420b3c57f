-- Owner: runtime. A sheet of ten thousand rows arrives at once, in tables that were empty a minute ago. Until autovacuum has counted
-- them the planner takes every table for small and reads all of it where one row is meant. Only a table's owner may have it counted.
create function count_again() returns void language plpgsql security definer set search_path = public as $$
begin
  analyze salary (company_id, id, batch_id, member_id, status);
  analyze delivery (company_id, id, batch_id, salary_id, status, purpose);
end $$;
comment on function count_again() is 'outside: lets the planner count how rows are spread; reads out and changes nothing';
