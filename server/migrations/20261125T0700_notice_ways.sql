-- Owner: desk. Until when a notice waits to be told outside of the desk too (by chat or mail); set: it was, or need not be.
alter table notice add column told_at timestamptz;
alter table notice add constraint notice_kind_check check (kind in ('failed', 'sent', 'feedback', 'unviewed', 'approval', 'join', 'phone', 'role', 'security', 'service'));
update notice set told_at = created_at;
create index notice_untold on notice (company_id, created_at) where told_at is null;
create policy machine on notice for select using (current_setting('app.machine', true) = 'yes');

-- Owner: account. How an administrator wants to hear of what happened, where he said something else than what is usual (domain/account/notice/telling.ts).
create table notice_way (
  company_id uuid not null,
  admin_id uuid not null,
  kind text not null check (kind in ('failed', 'sent', 'feedback', 'unviewed', 'approval', 'join', 'phone', 'role', 'security', 'service')),
  chat boolean not null,
  mail boolean not null,
  primary key (company_id, admin_id, kind),
  foreign key (company_id, admin_id) references admin (company_id, id) on delete cascade
);
alter table notice_way enable row level security;
alter table notice_way force row level security;
create policy one_company on notice_way using (company_id = nullif(current_setting('app.company', true), '')::uuid);

-- Owner: runtime. Messages about nothing that has rows of its own leave by mail as well.
alter table message drop constraint message_channel_check;
alter table message add constraint message_channel_check check (channel in ('platform', 'sms', 'email'));
