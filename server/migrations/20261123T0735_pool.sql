-- Owner: company. What a company has paid for beforehand, as a double-entry ledger in whole pieces. A move takes from one side what it gives to another, so
-- that the entries of each sum to nothing; what stands on `stock` is what the company may still use, and `company.sms_left` is that sum, held at
-- or above zero by the database.
create table pool_move (
  company_id uuid not null references company (id),
  id uuid not null,
  resource text not null check (resource in ('sms')),
  kind text not null check (kind in ('opening', 'given', 'bought', 'used', 'unused', 'returned')),
  count integer not null check (count > 0),
  -- The occasion: the same one moves only once.
  why text not null,
  ref uuid not null,
  by_name text not null default '',
  account_id uuid,
  batch_id uuid,
  order_no text,
  purpose text not null default '',
  created_at timestamptz not null,
  primary key (company_id, id),
  unique (company_id, resource, why, ref)
);
create index pool_move_newest on pool_move (company_id, resource, created_at desc, id desc);

create table pool_entry (
  company_id uuid not null,
  id uuid not null,
  move_id uuid not null,
  side text not null check (side in ('stock', 'used', 'seller', 'gift')),
  amount integer not null check (amount <> 0),
  primary key (company_id, id),
  unique (company_id, move_id, side),
  foreign key (company_id, move_id) references pool_move (company_id, id)
);

alter table company no force row level security;
alter table sms_entry no force row level security;
-- What was booked before.
insert into pool_move (company_id, id, resource, kind, count, why, ref, created_at)
select company_id, id, 'sms',
  case when change < 0 then 'used' when why = 'trial' then 'given' when why = 'bought' then 'bought' else 'unused' end,
  abs(change), why, coalesce(ref, id), created_at
from sms_entry where change <> 0;
-- What stood there without having been booked.
insert into pool_move (company_id, id, resource, kind, count, why, ref, created_at)
select company.id, gen_random_uuid(), 'sms', case when gap > 0 then 'opening' else 'used' end, abs(gap), 'opening', company.id, company.created_at
from company
join lateral (
  select sms_left - coalesce((select sum(change) from sms_entry where sms_entry.company_id = company.id), 0)::integer as gap) as missing on true
where gap <> 0;
insert into pool_entry (company_id, id, move_id, side, amount)
select company_id, gen_random_uuid(), id, 'stock', case when kind = 'used' then -count else count end from pool_move
union all
select company_id, gen_random_uuid(), id,
  case kind when 'used' then 'used' when 'unused' then 'used' when 'bought' then 'seller' else 'gift' end,
  case when kind = 'used' then count else -count end
from pool_move;
alter table company force row level security;
drop table sms_entry;

do $$
declare
  t text;
begin
  foreach t in array array['pool_move', 'pool_entry'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format(
      'create policy one_company on %I using (company_id = nullif(current_setting(''app.company'', true), '''')::uuid)', t);
  end loop;
end $$;
-- Written, never changed.
revoke update, delete on pool_move, pool_entry from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'xinhan_app') then
    revoke update, delete on pool_move, pool_entry from xinhan_app;
  end if;
end $$;
