-- Owners: sheet (title, title_share, batch, sheet_row, wizard), slip (plan, salary, salary_change, delivery, feedback, feedback_message, export_job).
-- No amount stands in a plain column: what a sheet says is sealed with the company's key.

create table title (
  company_id uuid not null references company (id),
  id uuid not null,
  owner_id uuid not null,
  name text not null,
  month text not null check (month ~ '^[0-9]{4}-[0-9]{2}$'),
  kind text not null default 'monthly' check (kind in ('monthly', 'bonus', 'other')),
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  unique (company_id, owner_id, name, month),
  foreign key (company_id, owner_id) references admin (company_id, id)
);

create table title_share (
  company_id uuid not null,
  id uuid not null,
  title_id uuid not null,
  admin_id uuid not null,
  rights text not null check (rights in ('view', 'manage')),
  primary key (company_id, id),
  unique (company_id, title_id, admin_id),
  foreign key (company_id, title_id) references title (company_id, id) on delete cascade,
  foreign key (company_id, admin_id) references admin (company_id, id) on delete cascade
);

create table batch (
  company_id uuid not null references company (id),
  id uuid not null,
  owner_id uuid not null,
  title_id uuid,
  status text not null default 'draft' check (status in ('draft', 'checked', 'scheduled', 'sending', 'paused', 'sent', 'withdrawn')),
  file_id uuid,
  file_name text not null,
  file_hash bytea not null,
  fingerprint text not null default '',
  -- Sealed: what was understood of the sheet (columns, grid head), with samples and sums.
  understood bytea not null,
  -- Sealed: {people, gross_fen, tax_fen, net_fen} of the rows that count.
  totals bytea,
  layout jsonb not null default '{}',
  -- Ids of accepted warnings that belong to no row.
  accepted text[] not null default '{}',
  rules jsonb not null default '{}',
  people integer not null default 0,
  scheduled_at timestamptz,
  sent_at timestamptz,
  withdrawn_at timestamptz,
  withdrawn_reason text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (company_id, id),
  foreign key (company_id, owner_id) references admin (company_id, id),
  foreign key (company_id, title_id) references title (company_id, id),
  foreign key (company_id, file_id) references file (company_id, id)
);
create index batch_newest on batch (company_id, created_at desc, id);
create index batch_title on batch (company_id, title_id);
create index batch_status on batch (company_id, status);

-- Rows as the sheet had them, while the batch can still be changed; the sheet is kept beside what was understood of it.
create table sheet_row (
  company_id uuid not null,
  id uuid not null,
  batch_id uuid not null,
  row_no integer not null,
  cells bytea not null,
  -- The person an administrator chose; null lets the roster decide.
  member_id uuid,
  skipped boolean not null default false,
  -- Warnings the administrator has accepted: `kind:column`.
  accepted text[] not null default '{}',
  primary key (company_id, id),
  unique (company_id, batch_id, row_no),
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade
);

-- The unfinished wizard, one an administrator.
create table wizard (
  company_id uuid not null,
  id uuid not null,
  admin_id uuid not null,
  step text not null,
  batch_id uuid not null,
  saved_at timestamptz not null,
  primary key (company_id, id),
  unique (company_id, admin_id),
  foreign key (company_id, admin_id) references admin (company_id, id) on delete cascade,
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade
);

create table plan (
  company_id uuid not null,
  id uuid not null,
  batch_id uuid not null,
  status text not null default 'planned' check (status in ('planned', 'started', 'void')),
  channels text[] not null,
  by_channel jsonb not null,
  sms_needed integer not null default 0,
  scheduled_at timestamptz,
  created_by uuid not null,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade
);

create table salary (
  company_id uuid not null,
  id uuid not null,
  batch_id uuid not null,
  member_id uuid not null,
  row_no integer not null,
  version integer not null default 1,
  status text not null default 'waiting' check (status in ('waiting', 'queued', 'sent', 'viewed', 'confirmed', 'failed', 'withdrawn')),
  has_feedback boolean not null default false,
  channel text not null check (channel in ('platform', 'sms', 'link')),
  -- Sealed: the cells of this version and the net pay.
  cells bytea not null,
  sent_at timestamptz,
  viewed_at timestamptz,
  confirmed_at timestamptz,
  confirmed_version integer,
  -- By the company's rule of so many days, not by the person.
  confirmed_auto boolean not null default false,
  signature bytea,
  corrected_at timestamptz,
  withdrawn_at timestamptz,
  withdrawn_reason text,
  primary key (company_id, id),
  unique (company_id, batch_id, row_no),
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade,
  foreign key (company_id, member_id) references member (company_id, id)
);
create index salary_status on salary (company_id, batch_id, status);
create index salary_member on salary (company_id, member_id);

create table salary_change (
  company_id uuid not null,
  id uuid not null,
  salary_id uuid not null,
  batch_id uuid not null,
  version integer not null,
  by_admin uuid,
  by_name text not null,
  at timestamptz not null,
  column_key text not null,
  column_label text not null,
  -- Sealed: {from, to}.
  change bytea not null,
  reason text not null,
  primary key (company_id, id),
  foreign key (company_id, salary_id) references salary (company_id, id)
);
create index salary_change_of on salary_change (company_id, salary_id);
create index salary_change_batch on salary_change (company_id, batch_id);

-- The ledger of what was asked of the outside world. The unique key makes a second message impossible.
create table delivery (
  company_id uuid not null,
  id uuid not null,
  salary_id uuid not null,
  batch_id uuid not null,
  version integer not null,
  channel text not null check (channel in ('platform', 'sms', 'link')),
  -- slip, corrected, remind-<day>-<n>.
  purpose text not null,
  status text not null default 'queued' check (status in ('queued', 'leased', 'accepted', 'failed', 'unknown', 'cancelled')),
  attempts integer not null default 0,
  lease_by uuid,
  lease_until timestamptz,
  -- Not before (back-off, schedule).
  due_at timestamptz not null,
  provider_ref text,
  code text,
  message text,
  created_at timestamptz not null default now(),
  done_at timestamptz,
  primary key (company_id, id),
  unique (company_id, salary_id, version, channel, purpose),
  foreign key (company_id, salary_id) references salary (company_id, id) on delete cascade
);
create index delivery_open on delivery (company_id, batch_id, due_at) where status in ('queued', 'leased');
create index delivery_batch on delivery (company_id, batch_id, purpose, status);

create table feedback (
  company_id uuid not null,
  id uuid not null,
  salary_id uuid not null,
  batch_id uuid not null,
  member_id uuid not null,
  status text not null default 'open' check (status in ('open', 'resolved')),
  updated_at timestamptz not null,
  primary key (company_id, id),
  unique (company_id, salary_id),
  foreign key (company_id, salary_id) references salary (company_id, id)
);
create table feedback_message (
  company_id uuid not null,
  id uuid not null,
  feedback_id uuid not null,
  from_side text not null check (from_side in ('employee', 'admin')),
  name text not null,
  -- Sealed: people write amounts into their questions.
  content bytea not null,
  at timestamptz not null,
  primary key (company_id, id),
  foreign key (company_id, feedback_id) references feedback (company_id, id) on delete cascade
);
create index feedback_message_of on feedback_message (company_id, feedback_id, id);

create table export_job (
  company_id uuid not null,
  id uuid not null,
  batch_id uuid not null,
  account_id uuid not null,
  what text not null,
  progress integer not null default 0,
  file_id uuid,
  failed text,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade
);
