-- Owner: member. The last day of whoever has left; null: the day on which he was marked so (`left_at`).
alter table member add column left_on date;

-- A person sees his own rows of before as well: whoever has left may read his slips for as long as the company says.
drop policy own_rows on member;
create policy own_rows on member for select using (
  account_id = nullif(current_setting('app.account', true), '')::uuid
  or former_account = nullif(current_setting('app.account', true), '')::uuid
  or mobile = nullif(current_setting('app.mobile', true), '')
);
create index member_former_account on member (former_account) where former_account is not null;

-- Owner: member. What was done to somebody in the roster, and who has looked at what is sealed: written, never changed. Goes with him when an import
-- that brought him is taken back.
create table member_event (
  company_id uuid not null,
  id uuid not null,
  member_id uuid not null,
  at timestamptz not null,
  kind text not null check (kind in ('changed', 'left', 'looked', 'undone')),
  by_name text not null,
  account_id uuid,
  -- Sealed: what was changed, from what to what; of an identity card only that.
  detail bytea,
  primary key (company_id, id),
  foreign key (company_id, member_id) references member (company_id, id) on delete cascade
);
create index member_event_of on member_event (company_id, member_id, id);

alter table member_event enable row level security;
alter table member_event force row level security;
create policy one_company on member_event using (company_id = nullif(current_setting('app.company', true), '')::uuid);
revoke update, delete on member_event from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'xinhan_app') then
    revoke update, delete on member_event from xinhan_app;
  end if;
end $$;
