-- Owner: runtime. What a line of evidence is about: the one slip, batch or person that it names. By it an employee is told who looked at what is his.
-- A column of its own, because an index on what jsonb says is of no use behind row-level security (`->>` is not leakproof).
alter table audit_line add column of_id text
  generated always as (coalesce(about->>'salary_id', about->>'batch_id', about->>'member_id', about->>'id')) stored;
create index audit_line_of on audit_line (company_id, of_id);
