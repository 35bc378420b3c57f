-- Owners: company (company, company_key, sms_entry), member (department, member, member_department), role (admin, admin_department),
-- desk (notice, file, file_chunk, ticket), runtime (audit_line, once_key).
-- Every table of a company has the key (company_id, id), so that the same schema shards by company.

create table company (
  id uuid primary key,
  name text not null,
  corp_role smallint not null default 10 check (corp_role in (10, 20)),
  edition smallint not null default 50 check (edition in (50, 53, 60)),
  edition_until timestamptz,
  corp_origin smallint not null default 0,
  provider text check (provider in ('lark', 'wecom', 'dingtalk')),
  sms_left integer not null default 0 check (sms_left >= 0),
  -- Wage settings (contract: setting), without values of anybody.
  setting jsonb not null default '{}',
  created_at timestamptz not null default now()
);
alter table company enable row level security;
alter table company force row level security;
comment on table company is 'the company itself; its own id is its company';

create table company_key (
  company_id uuid not null references company (id),
  id integer not null,
  -- The company's data key, wrapped by the master key.
  wrapped bytea not null,
  created_at timestamptz not null default now(),
  primary key (company_id, id)
);

create table department (
  company_id uuid not null references company (id),
  id uuid not null,
  parent_id uuid,
  name text not null,
  place integer not null default 0,
  source text not null default 'manual',
  primary key (company_id, id),
  foreign key (company_id, parent_id) references department (company_id, id)
);

create table member (
  company_id uuid not null references company (id),
  id uuid not null,
  account_id uuid references account (id),
  name text not null,
  mobile text not null,
  employee_no text not null default '',
  position text not null default '',
  entry_on date,
  status text not null default 'invited' check (status in ('invited', 'active', 'left')),
  source text not null default 'manual',
  platform_user_id text,
  pay_hide boolean not null default false,
  -- Identity card and bank account, one sealed document; id_card_index is a keyed hash, for matching.
  private bytea,
  id_card_index bytea,
  created_at timestamptz not null default now(),
  left_at timestamptz,
  primary key (company_id, id)
);
create unique index member_mobile on member (company_id, mobile) where status <> 'left';
create index member_account on member (account_id);
create index member_any_mobile on member (mobile);
create index member_name on member (company_id, name);

create table member_department (
  company_id uuid not null,
  id uuid not null,
  member_id uuid not null,
  department_id uuid not null,
  primary key (company_id, id),
  unique (company_id, member_id, department_id),
  foreign key (company_id, member_id) references member (company_id, id) on delete cascade,
  foreign key (company_id, department_id) references department (company_id, id)
);
create index member_department_of on member_department (company_id, department_id);

create table admin (
  company_id uuid not null,
  id uuid not null,
  member_id uuid not null,
  account_id uuid not null references account (id),
  power text[] not null check (power <@ array['1', '2', '3', '4']),
  scope_all boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  unique (company_id, member_id),
  foreign key (company_id, member_id) references member (company_id, id)
);
create index admin_account on admin (account_id);

create table admin_department (
  company_id uuid not null,
  id uuid not null,
  admin_id uuid not null,
  department_id uuid not null,
  primary key (company_id, id),
  unique (company_id, admin_id, department_id),
  foreign key (company_id, admin_id) references admin (company_id, id) on delete cascade,
  foreign key (company_id, department_id) references department (company_id, id)
);

create table agency_link (
  company_id uuid not null references company (id),
  id uuid not null,
  served_company_id uuid not null references company (id),
  served_name text not null,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  unique (company_id, served_company_id)
);

create table sms_entry (
  company_id uuid not null references company (id),
  id uuid not null,
  -- Taken (−) for a plan, given back (+) for what failed, bought (+).
  change integer not null,
  why text not null,
  ref uuid,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  unique (company_id, why, ref)
);

create table notice (
  company_id uuid not null,
  id uuid not null,
  admin_id uuid not null,
  kind text not null,
  text text not null,
  batch_id uuid,
  created_at timestamptz not null default now(),
  read_at timestamptz,
  primary key (company_id, id),
  foreign key (company_id, admin_id) references admin (company_id, id) on delete cascade
);
create index notice_of on notice (company_id, admin_id, id);

create table file (
  company_id uuid not null references company (id),
  id uuid not null,
  account_id uuid not null,
  kind text not null,
  name text not null,
  size integer not null,
  sha256 bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  primary key (company_id, id)
);
create table file_chunk (
  company_id uuid not null,
  id uuid not null,
  file_id uuid not null,
  place integer not null,
  sealed bytea not null,
  primary key (company_id, id),
  unique (company_id, file_id, place),
  foreign key (company_id, file_id) references file (company_id, id) on delete cascade
);

-- Owner: account. What administrators wish of the product.
create table suggestion (
  company_id uuid not null references company (id),
  id uuid not null,
  account_id uuid not null,
  contact_name text not null,
  contact_tel text not null,
  type text not null,
  content text not null,
  created_at timestamptz not null,
  primary key (company_id, id)
);

create table ticket (
  token_hash bytea primary key,
  company_id uuid not null,
  file_id uuid not null,
  account_id uuid not null,
  session_id uuid not null,
  expires_at timestamptz not null
);
comment on table ticket is 'outside: a download is a navigation, which names no company';

create table audit_line (
  company_id uuid not null references company (id),
  id uuid not null,
  at timestamptz not null,
  account_id uuid,
  name text not null default '',
  call text not null,
  -- done, or the name of the refusal.
  outcome text not null,
  -- Ids and counts, never values.
  about jsonb not null default '{}',
  address text not null default '',
  request_id text not null default '',
  primary key (company_id, id)
);
create index audit_at on audit_line (company_id, at);

create table once_key (
  company_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  call text not null,
  key text not null,
  body_hash bytea not null,
  -- Sealed: an answer may hold what a sheet says.
  answer bytea,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  unique (company_id, account_id, call, key)
);
