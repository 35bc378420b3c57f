-- Owner: tax. What people may deduct beside their wages, and the bases of their insurance: sealed like pay. Schemes of insurance are a city's public
-- figures. `version`: whoever saves says which one he has seen.
create table member_deduction (
  company_id uuid not null,
  member_id uuid not null,
  version integer not null,
  -- Sealed: kinds, months, shares, and for which year they were confirmed.
  said bytea not null,
  changed_at timestamptz not null,
  primary key (company_id, member_id),
  foreign key (company_id, member_id) references member (company_id, id) on delete cascade
);

create table member_insurance (
  company_id uuid not null,
  member_id uuid not null,
  version integer not null,
  -- Sealed: by the month from which each holds: city, bases, rates, what he is not enrolled in.
  said bytea not null,
  changed_at timestamptz not null,
  primary key (company_id, member_id),
  foreign key (company_id, member_id) references member (company_id, id) on delete cascade
);

create table insurance_scheme (
  company_id uuid not null references company (id),
  id uuid not null,
  city text not null,
  -- Months as 2026-07, both included; null: no end is known.
  valid_from text not null check (valid_from ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
  valid_to text check (valid_to ~ '^[0-9]{4}-(0[1-9]|1[0-2])$' and valid_to >= valid_from),
  version integer not null,
  document text not null,
  -- Rates, bounds and rounding, an item each.
  items jsonb not null,
  -- The last month of a locked period that was reckoned with it: from then on it is not changed, only replaced.
  used_through text,
  -- By a newer version of the same months.
  replaced_by uuid,
  changed_at timestamptz not null,
  by_name text not null,
  primary key (company_id, id),
  foreign key (company_id, replaced_by) references insurance_scheme (company_id, id) deferrable initially deferred
);
create index insurance_scheme_now on insurance_scheme (company_id, city, valid_from) where replaced_by is null;

do $$
declare
  t text;
begin
  foreach t in array array['member_deduction', 'member_insurance', 'insurance_scheme'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format(
      'create policy one_company on %I using (company_id = nullif(current_setting(''app.company'', true), '''')::uuid)', t);
  end loop;
end $$;
