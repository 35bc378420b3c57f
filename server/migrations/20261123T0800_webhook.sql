-- Owner: company. Where a company's own systems are told what happens to slips; never an amount, a kind of pay, a name or a phone.
create table webhook (
  company_id uuid not null references company (id),
  id uuid not null,
  -- Sealed: the address may carry a token of its own.
  url bytea not null,
  -- Sealed: 24 to 64 bytes; while one is being replaced, both sign.
  secret bytea not null,
  former_secret bytea,
  former_until timestamptz,
  events text[] not null,
  status text not null default 'active' check (status in ('active', 'paused', 'gone')),
  -- Since when nothing has been taken any more.
  failing_since timestamptz,
  created_at timestamptz not null,
  primary key (company_id, id)
);

create table webhook_event (
  company_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  event text not null,
  -- Null: a trial of the address.
  salary_id uuid,
  batch_id uuid,
  at timestamptz not null,
  status text not null default 'waiting' check (status in ('waiting', 'leased', 'taken', 'failed')),
  tries integer not null default 0,
  due_at timestamptz not null,
  lease_until timestamptz,
  -- What came back: a status of HTTP, or a word for why nothing did.
  answer text,
  done_at timestamptz,
  primary key (company_id, id),
  foreign key (company_id, webhook_id) references webhook (company_id, id) on delete cascade
);
create index webhook_event_due on webhook_event (due_at) where status in ('waiting', 'leased');
create index webhook_event_of on webhook_event (company_id, webhook_id, at desc);

do $$
declare
  t text;
begin
  foreach t in array array['webhook', 'webhook_event'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format(
      'create policy one_company on %I using (company_id = nullif(current_setting(''app.company'', true), '''')::uuid)', t);
  end loop;
end $$;
-- Jobs ask which companies have something waiting. Nothing in these rows says more than that.
create policy machine on webhook_event for select using (current_setting('app.machine', true) = 'yes');
