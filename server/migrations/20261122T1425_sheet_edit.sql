-- Owner: sheet. What somebody corrected in a sheet by hand, with what stood there before: it can be taken back until the sheet is another one, and
-- stays as evidence afterwards. `changed` is sealed.
create table sheet_edit (
  company_id uuid not null references company (id),
  id uuid not null,
  batch_id uuid not null,
  admin_id uuid,
  kind text not null check (kind in ('edit', 'swap')),
  changed bytea not null,
  at timestamptz not null,
  -- Of one transaction several may come: their order.
  place bigint generated always as identity,
  may_undo boolean not null default true,
  undone_at timestamptz,
  primary key (company_id, id),
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade
);
create index sheet_edit_last on sheet_edit (company_id, batch_id, place desc) where may_undo;

alter table sheet_edit enable row level security;
alter table sheet_edit force row level security;
create policy one_company on sheet_edit using (company_id = nullif(current_setting('app.company', true), '')::uuid);
