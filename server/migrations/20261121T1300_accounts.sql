-- Owners: account (account, session, device, challenge, grant_token, recovery_code, platform_identity, bind_token, login_state), role (admin),
-- company (company, platform_app), approval (approval), invite (invite), desk (notice).

-- The person, wherever he works. The roster's name stays the roster's: slips are matched by it; this one is only shown.
alter table account
  add column display_name text not null default '',
  add column avatar bytea,
  -- The second factor: sealed secret (master key). `totp_on` since when it is asked for; null while it is only being set up.
  add column totp bytea,
  add column totp_on timestamptz,
  -- The last time step that was accepted: a code is good once.
  add column totp_step bigint not null default 0;

-- Ten codes for the day when the phone is lost; each is good once.
create table recovery_code (
  account_id uuid not null references account (id) on delete cascade,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (account_id, code_hash)
);
comment on table recovery_code is 'outside: belongs to a person, not to a company';

alter table session
  -- Came in through a company's chat platform, whose administrators decide who is who there: it opens that company and no other.
  add column sole boolean not null default false,
  -- How long it may lie idle: by what one is in this company.
  add column idle_s integer not null default 1800,
  add column address text not null default '';
-- Whoever signs in anew in the same browser leaves no older session behind.
create index session_cookie on session (cookie_hash);

-- A browser in which somebody has signed in before: it is not held up by others who guess at his password.
create table device (
  id uuid primary key,
  account_id uuid not null references account (id) on delete cascade,
  -- Of the browser's own cookie. Several people may use one browser.
  secret_hash bytea not null,
  created_at timestamptz not null,
  seen_at timestamptz not null,
  unique (account_id, secret_hash)
);
comment on table device is 'outside: known before the company is';

-- A code, and the token it is exchanged for, are good in the browser that asked for them.
alter table challenge add column browser_hash bytea;
alter table grant_token
  add column browser_hash bytea,
  -- For whom, where an account is known; for a sign-in that waits for its second factor also where to, and of which epoch.
  add column account_id uuid references account (id) on delete cascade,
  add column epoch integer,
  add column company_id uuid;

-- Every try with its own time: a limit holds for any hour, not for the hours of the clock.
alter table attempt rename column window_start to at;

-- Administrators ------------------------------------------------------------------------------------------------------------

alter table admin add column trial_closed_at timestamptz;
alter table company add column trial_until timestamptz;

-- One person is one row of a roster, whatever phones he had.
create unique index member_one_account on member (company_id, account_id) where status <> 'left';

create table approval (
  company_id uuid not null references company (id),
  id uuid not null,
  -- 128 random bits: nobody finds another's by counting.
  approval_no text not null,
  kind text not null check (kind in ('wage_transfer', 'unbind', 'join_agency', 'send')),
  applicant_id uuid not null,
  -- The administrator who wishes to hand over, and the person who is to take over.
  admin_id uuid,
  member_id uuid,
  -- Whose account that person's row was when he was named: it may be given another phone while the application waits.
  account_id uuid,
  status smallint not null default 0 check (status in (0, 1, 2, 3)),
  reason text not null default '',
  created_at timestamptz not null,
  decided_at timestamptz,
  decided_by uuid,
  primary key (company_id, id),
  unique (company_id, approval_no),
  foreign key (company_id, applicant_id) references admin (company_id, id) on delete cascade,
  foreign key (company_id, member_id) references member (company_id, id)
);
-- One open wish of a kind a person.
create unique index approval_open on approval (company_id, applicant_id, kind) where status = 0;
create index approval_newest on approval (company_id, created_at desc, id);

-- Invites -----------------------------------------------------------------------------------------------------------------------

-- A personal invite: 128 random bits, kept as a hash, once, 72 hours, for one phone.
create table invite (
  company_id uuid not null references company (id),
  id uuid not null,
  code_hash bytea not null unique,
  -- Sealed, and only until its message has left.
  code bytea,
  channel text not null check (channel in ('sms', 'platform')),
  member_id uuid not null,
  -- The phone he had when he was invited: an invite does not follow him to another one.
  mobile text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (company_id, id),
  foreign key (company_id, member_id) references member (company_id, id) on delete cascade
);
create index invite_member on invite (company_id, member_id);

-- The company's join code (QR) follows from its key, this number and the month: nothing of it is kept. A new number makes a new code.
alter table company add column join_generation integer not null default 0;

-- Notices that were on the desk when he looked: the red dot goes out, what is unread stays marked.
alter table notice add column seen_at timestamptz;

-- Chat platforms -----------------------------------------------------------------------------------------------------------------

-- The company's own application on a chat platform, by which its people sign in.
create table platform_app (
  company_id uuid not null references company (id),
  id uuid not null,
  provider text not null check (provider in ('lark', 'wecom', 'dingtalk')),
  corp_id text not null,
  app_id text not null,
  agent_id text not null default '',
  -- Sealed with the company's key.
  secret bytea not null,
  created_at timestamptz not null,
  primary key (company_id, id),
  unique (provider, corp_id, app_id)
);

create table platform_identity (
  provider text not null,
  corp_id text not null,
  user_id text not null,
  account_id uuid not null references account (id) on delete cascade,
  created_at timestamptz not null,
  primary key (provider, corp_id, user_id)
);
create index platform_identity_account on platform_identity (account_id);
comment on table platform_identity is 'outside: asked for before the company is known';

create table bind_token (
  token_hash bytea primary key,
  provider text not null,
  corp_id text not null,
  user_id text not null,
  -- The row of platform_app by which he came.
  app_id uuid not null,
  -- The phone that a code has proven already; only its account's password is still missing.
  mobile text,
  browser_hash bytea not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
comment on table bind_token is 'outside: a platform user nobody knows yet';

-- Written when it comes back, not when it goes out: what is in it is signed, and a visit to the sign-in page leaves no row.
create table login_state (
  state_hash bytea primary key,
  expires_at timestamptz not null
);
create index login_state_over on login_state (expires_at);
comment on table login_state is 'outside: a platform''s answer is taken once';

do $$
declare
  t text;
begin
  foreach t in array array['approval', 'invite', 'platform_app'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format(
      'create policy one_company on %I using (company_id = nullif(current_setting(''app.company'', true), '''')::uuid)', t);
  end loop;
end $$;

-- A sign-in through a platform names its application, not our company. The secret is sealed with the company's key.
create policy machine on platform_app for select using (current_setting('app.machine', true) = 'yes');
