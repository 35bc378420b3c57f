-- Owner: slip. A batch tried out before it is sent: what one person is shown for a day. No slip of anybody's, and counted nowhere.
create table rehearsal (
  company_id uuid not null,
  id uuid not null,
  batch_id uuid not null,
  -- The account that asked, and the one that may open it.
  asked_by uuid not null,
  by_name text not null,
  account_id uuid not null,
  -- Of the roster; null: an administrator who is not employed here.
  member_id uuid,
  -- Whose figures are shown; null: invented ones. Only to the one who asked.
  row_no integer check (row_no is null or asked_by = account_id),
  -- Sealed: the slip as it would look.
  slip bytea not null,
  -- Its messages in the book `message`, by their ids, and by which way.
  message_ids uuid[] not null,
  channels text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  opened_at timestamptz,
  primary key (company_id, id),
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade
);
create index rehearsal_batch on rehearsal (company_id, batch_id, created_at desc);
create index rehearsal_over on rehearsal (company_id, expires_at);
alter table rehearsal enable row level security;
alter table rehearsal force row level security;
create policy one_company on rehearsal using (company_id = nullif(current_setting('app.company', true), '')::uuid);

-- By mail as well.
alter table message drop constraint message_channel_check;
alter table message add constraint message_channel_check check (channel in ('platform', 'sms', 'email'));
