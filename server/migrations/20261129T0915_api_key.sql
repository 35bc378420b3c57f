-- API keys of the programs of a company. The key names its company, so that it is looked up below the policy.
create table api_key (
  company_id uuid not null references company (id),
  id uuid not null,
  name text not null,
  -- SHA-256 of the key, which has 256 random bits and is stored nowhere, and its last four characters.
  hash bytea not null,
  hint text not null,
  scopes text[] not null,
  -- IP addresses and networks that may use the key. Empty: all.
  addresses text[] not null default '{}',
  -- The key acts with at most the powers of this administrator, whose name is the one at the time of creation.
  account_id uuid not null references account (id) on delete cascade,
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  primary key (company_id, id),
  unique (company_id, hash)
);
alter table api_key enable row level security;
alter table api_key force row level security;
create policy one_company on api_key using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);
