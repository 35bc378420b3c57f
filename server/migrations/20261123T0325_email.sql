-- Owner: member. Where somebody reads mail; '' where nobody has said.
alter table member add column email text not null default '';

-- Owner: slip. Mail is a channel like the others.
alter table salary drop constraint salary_channel_check;
alter table salary add constraint salary_channel_check check (channel in ('platform', 'sms', 'email', 'link'));
alter table delivery drop constraint delivery_channel_check;
alter table delivery add constraint delivery_channel_check check (channel in ('platform', 'sms', 'email', 'link'));

-- Owner: company. The mailbox that its people are written to from (docs/decisions/20261123-mail.md).
create table company_mail (
  company_id uuid primary key references company (id),
  host text not null,
  port integer not null check (port between 1 and 65535),
  security text not null check (security in ('tls', 'starttls', 'none')),
  username text not null,
  -- Sealed.
  password bytea not null,
  sender_address text not null,
  sender_name text not null,
  -- When a test message was taken by exactly these; null: not yet, and then nothing leaves by them.
  tested_at timestamptz,
  updated_at timestamptz not null
);
alter table company_mail enable row level security;
alter table company_mail force row level security;
create policy one_company on company_mail using (company_id = nullif(current_setting('app.company', true), '')::uuid);
