-- Owner: runtime. The ledger of messages about nothing that has rows of its own: notices, codes, invitations (docs/decisions/20261122-one-post-office.md).
-- Those that belong to no company stand under the id of nobody (all zeros), hence no reference to company.
create table message (
  company_id uuid not null,
  id uuid not null,
  -- The lot, and the job that works it off.
  kind text not null,
  -- What it says: a kind of contract/messages.ts.
  purpose text not null,
  about uuid not null,
  channel text not null check (channel in ('platform', 'sms')),
  pieces smallint not null default 1 check (pieces > 0),
  -- Sealed: to whom and what. Gone as soon as nothing can be tried any more.
  letter bytea,
  status text not null default 'queued' check (status in ('queued', 'leased', 'accepted', 'failed', 'unknown', 'cancelled')),
  attempts integer not null default 0,
  lease_by uuid,
  lease_until timestamptz,
  due_at timestamptz not null,
  -- Later it is not handed over any more.
  expires_at timestamptz,
  provider_ref text,
  code text,
  message text,
  created_at timestamptz not null,
  done_at timestamptz,
  primary key (company_id, id)
);
create index message_open on message (company_id, kind, due_at) where status in ('queued', 'leased');

alter table message enable row level security;
alter table message force row level security;
create policy one_company on message using (company_id = nullif(current_setting('app.company', true), '')::uuid);
