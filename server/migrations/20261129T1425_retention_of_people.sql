-- Retention of payslips and of the data of terminated members. The lower bounds are also in
-- server/contract/retention/retention.ts, with the law that sets them.
alter table retention_rule
  add column payslip_months integer check (payslip_months >= 24),
  add column terminated_member_months integer check (terminated_member_months >= 72);
alter table retention_run drop constraint retention_run_kind_check;
alter table retention_run add constraint retention_run_kind_check
  check (kind in ('audit_log', 'sign_in_log', 'sheet_file', 'export_file', 'payslip', 'terminated_member'));

-- Deletes the oldest pay run with its wage sheet, payslips, feedback, corrections and receipts; returns the number of
-- payslips. A pay run with open feedback, or with a payslip that was corrected since, is kept.
create function delete_oldest_payslips(before timestamptz) returns integer
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  company uuid := NULLIF(current_setting('app.company', true), '')::uuid;
  cutoff timestamptz := least(before, now() - interval '24 months');
  oldest uuid;
  sheet_file uuid;
  deleted integer;
begin
  select id, file_id into oldest, sheet_file from batch
    where company_id = company and status in ('sent', 'withdrawn') and sent_at < cutoff and updated_at < cutoff
      and exists (select from payslip where payslip.company_id = company and payslip.batch_id = batch.id)
      and not exists (select from payslip where payslip.company_id = company and payslip.batch_id = batch.id
        and (has_feedback or corrected_at >= cutoff))
    order by sent_at limit 1 for update;
  if oldest is null then return 0; end if;
  delete from payslip_change where company_id = company and batch_id = oldest;
  delete from feedback where company_id = company and batch_id = oldest;
  delete from receipt where company_id = company
    and salary_id in (select id from payslip where company_id = company and batch_id = oldest);
  delete from payslip where company_id = company and batch_id = oldest;
  get diagnostics deleted = row_count;
  delete from batch where company_id = company and id = oldest;
  delete from file where company_id = company and file.id = sheet_file;
  return deleted;
end $$;
comment on function delete_oldest_payslips(timestamptz) is 'outside: deletes only an old pay run of the company of the transaction';

-- Deletes what is stored of terminated members besides their name, phone, employment period, payslips and tax results.
create function delete_terminated_member_data(before timestamptz, max_count integer) returns integer
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  company uuid := NULLIF(current_setting('app.company', true), '')::uuid;
  cutoff date := (least(before, now() - interval '72 months') at time zone 'Asia/Shanghai')::date;
  ids uuid[];
begin
  ids := array(select id from member
    where company_id = company and status = 'left'
      and coalesce(left_on, (left_at at time zone 'Asia/Shanghai')::date) < cutoff
      and (private is not null or id_card_index is not null or bank_account_index is not null or email <> ''
        or former_mobile is not null or platform_user_id is not null
        or exists (select from member_insurance where company_id = company and member_id = member.id)
        or exists (select from member_deduction where company_id = company and member_id = member.id)
        or exists (select from member_event where company_id = company and member_id = member.id)
        or exists (select from invite where company_id = company and member_id = member.id))
    limit max_count for update);
  delete from member_insurance where company_id = company and member_id = any(ids);
  delete from member_deduction where company_id = company and member_id = any(ids);
  delete from member_event where company_id = company and member_id = any(ids);
  delete from invite where company_id = company and member_id = any(ids);
  update member set private = null, id_card_index = null, bank_account_index = null, email = '', former_mobile = null,
      platform_user_id = null
    where company_id = company and id = any(ids);
  return cardinality(ids);
end $$;
comment on function delete_terminated_member_data(timestamptz, integer) is 'outside: deletes only data of members of the company of the transaction';

-- Deletes what no law demands of one terminated member, at once; `remaining` is the sealed identity card number, which the
-- tax office may ask for. Returns whether there was such a member.
create function erase_member_data(target uuid, remaining bytea) returns boolean
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  company uuid := NULLIF(current_setting('app.company', true), '')::uuid;
begin
  update member set private = remaining, bank_account_index = null, email = '', former_mobile = null, platform_user_id = null
    where company_id = company and id = target and status = 'left';
  if not found then return false; end if;
  delete from invite where company_id = company and member_id = target;
  return true;
end $$;
comment on function erase_member_data(uuid, bytea) is 'outside: deletes only data of a member of the company of the transaction';
