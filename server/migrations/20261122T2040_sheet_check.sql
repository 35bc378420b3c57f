-- Owner: sheet. What became of checking a batch, sealed, by whom it was asked (his scope decides it) and by what it stands on: rows, roster, earlier runs,
-- rules (docs/decisions/20261122-a-check-that-is-kept.md). In pieces, so that a large one is opened without keeping others waiting. Worth nothing but
-- time: whatever is deleted here is worked out anew.
create table sheet_check (
  company_id uuid not null references company (id),
  id uuid not null,
  batch_id uuid not null,
  admin_id uuid not null,
  -- A digest; no other outcome has the same.
  ground text not null,
  part integer not null,
  sealed bytea not null,
  created_at timestamptz not null,
  primary key (company_id, id, part),
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade,
  foreign key (company_id, admin_id) references admin (company_id, id) on delete cascade
);
create index sheet_check_of on sheet_check (company_id, batch_id, admin_id, ground);
-- Sealed is as if by chance: trying to make it smaller only takes time.
alter table sheet_check alter column sealed set storage external;

alter table sheet_check enable row level security;
alter table sheet_check force row level security;
create policy one_company on sheet_check using (company_id = nullif(current_setting('app.company', true), '')::uuid);

-- Owner: slip. Whether a slip counts as pay, and in which version, without opening a page of sealed cells for each.
create index salary_counted on salary (company_id, batch_id, row_no, member_id, version, status);
