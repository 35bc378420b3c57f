-- How long a company stores each kind of data, in months; null: for ever. The lower bounds are also in
-- server/contract/retention/retention.ts, with the law that sets them.
create table retention_rule (
  company_id uuid primary key references company (id),
  audit_log_months integer check (audit_log_months >= 36),
  sign_in_log_months integer check (sign_in_log_months >= 6),
  sheet_file_months integer check (sheet_file_months >= 24),
  export_file_months integer check (export_file_months >= 1),
  -- During a dispute or an inspection nothing is deleted.
  legal_hold boolean not null default false,
  hold_reason text not null default '',
  revision integer not null default 0
);
alter table retention_rule enable row level security;
alter table retention_rule force row level security;
create policy one_company on retention_rule using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- What was deleted by these rules: append-only.
create table retention_run (
  company_id uuid not null references company (id),
  id uuid not null,
  at timestamptz not null,
  kind text not null check (kind in ('audit_log', 'sign_in_log', 'sheet_file', 'export_file')),
  -- The rule that applied, and the time before which the data was.
  months integer not null,
  before timestamptz not null,
  count integer not null check (count > 0),
  primary key (company_id, id)
);
alter table retention_run enable row level security;
alter table retention_run force row level security;
create policy one_company on retention_run using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);
revoke update, delete on retention_run from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'xinhan_app') then
    revoke update, delete on retention_run from xinhan_app;
  end if;
end $$;

-- Where the chain of a log begins after its oldest entries were deleted. The keyed hash proves that the application did
-- it by a rule: without it the verification names the entries as missing.
alter table audit_log_head
  add column cut_seq bigint not null default 0,
  add column cut_hash bytea not null default '',
  add column cut_mac bytea not null default '';

-- The application may not delete log entries itself. These functions delete the oldest of the company of the
-- transaction, and never below the lower bound, whatever their caller asks for.
create function delete_old_audit_log_entries(before timestamptz, max_count integer)
  returns table (cut_seq bigint, cut_hash bytea, deleted integer)
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  company uuid := NULLIF(current_setting('app.company', true), '')::uuid;
  cutoff timestamptz := least(before, now() - interval '36 months');
  first_kept bigint;
begin
  -- The end of the chain is always kept.
  select coalesce(min(seq) filter (where at >= cutoff), max(seq)), min(seq) + max_count into first_kept, cut_seq
    from audit_log_entry where company_id = company and seq is not null;
  cut_seq := least(first_kept, cut_seq) - 1;
  select hash into cut_hash from audit_log_entry where company_id = company and seq = cut_seq;
  delete from audit_log_entry where company_id = company and seq <= cut_seq;
  get diagnostics deleted = row_count;
  return next;
end $$;
comment on function delete_old_audit_log_entries(timestamptz, integer) is 'outside: deletes only old entries of the company of the transaction';

create function delete_old_sign_in_log_entries(before timestamptz, max_count integer) returns integer
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  deleted integer;
begin
  delete from sign_in_log_entry where id in (
    select id from sign_in_log_entry
      where company_id = NULLIF(current_setting('app.company', true), '')::uuid
        and at < least(before, now() - interval '6 months')
      order by at limit max_count);
  get diagnostics deleted = row_count;
  return deleted;
end $$;
comment on function delete_old_sign_in_log_entries(timestamptz, integer) is 'outside: deletes only old entries of the company of the transaction';
create index sign_in_log_entry_company on sign_in_log_entry (company_id, at);
