-- The schema of Xinhan 0.2 as one file. Later changes are migrations of their own, in `YYYYMMDDTHHMM_what.sql` files beside this one.
--
-- Rules that hold for every table here:
-- * A company's table has the key (company_id, id) and forced row-level security; its policy shows the rows of the company for which the
--   transaction was opened (`app.company`). A table that belongs to no company says so in its comment ("outside: …").
-- * Amounts are sealed (bytea) or integer fen; no amount of a payslip stands in a plain column.
-- * Whoever runs a statement is the role xinhan_app, which owns nothing. Logs and ledgers can be added to, never changed.

-- ====================================================================================================
-- Accounts, sessions and sign-in
-- ====================================================================================================

-- Owner: account. People as the installation knows them, before a company is chosen.
create table account (
  id uuid primary key,
  mobile text unique check (mobile ~ '^1[0-9]{10}$'::text),
  password_hash text,
  created_at timestamptz not null default now(),
  -- Raised by every change of password or phone: older sessions end.
  epoch integer not null default 0,
  display_name text not null default '',
  avatar bytea,
  -- The second factor: sealed secret (master key). `totp_on` since when it is asked for; null while it is only being set up.
  totp bytea,
  totp_on timestamptz,
  -- The last time step that was accepted: a code is good once.
  totp_step bigint not null default 0,
  generation integer not null default 1,
  former_mobile text,
  detached_at timestamptz,
  -- When he last showed that he is the same person, by more than the phone.
  verified_at timestamptz,
  -- Owner: account. When somebody came in last: a number that nobody has used for as long as carriers keep it back may be somebody else's now.
  -- Null: not known, which is no doubt. Whoever is here already begins to count today.
  signed_in_at timestamptz
);
-- Owners: account (account, session, device, challenge, grant_token, recovery_code, platform_identity, binding_token, login_state), role (admin),
-- company (company, platform_app), approval (approval), invite (invite), desk (notice).
-- The person, wherever he works. The roster's name stays the roster's: slips are matched by it; this one is only shown.
-- A phone proves that somebody is reached, not who he is (docs/decisions/20261122-holders.md).
-- Accounts are holders of a phone, one after the other. Whose phone has gone to somebody else keeps his account and all that is his,
-- without a phone; the new holder is another account of the next generation and starts with nothing.
create index account_former_mobile on account (former_mobile) where former_mobile is not null;
comment on table account is 'outside: one person may belong to several companies';

-- A browser in which somebody has signed in before: it is not held up by others who guess at his password.
create table device (
  id uuid primary key,
  account_id uuid not null references account (id) on delete cascade,
  -- Of the browser's own cookie. Several people may use one browser.
  secret_hash bytea not null,
  created_at timestamptz not null,
  last_active_at timestamptz not null,
  unique (account_id, secret_hash)
);
comment on table device is 'outside: known before the company is';

create table session (
  id uuid primary key,
  -- SHA-256 of the two halves: the header token and the HttpOnly cookie. Both are needed.
  token_hash bytea not null unique,
  cookie_hash bytea not null,
  account_id uuid not null references account (id) on delete cascade,
  company_id uuid,
  epoch integer not null,
  device text not null default '',
  created_at timestamptz not null,
  last_active_at timestamptz not null,
  expires_at timestamptz not null,
  -- Until when slips that need a view password may be read.
  view_until timestamptz,
  -- Why it ended before its time: signed_out, password, left, transferred.
  ended text,
  -- Came in through a company's chat platform, whose administrators decide who is who there: it opens that company and no other.
  sole boolean not null default false,
  -- How long it may lie idle: by what one is in this company.
  idle_s integer not null default 1800,
  address text not null default '',
  -- Owner: account. Whoever came in from an agency: the agency that he came from.
  agency_id uuid
);
create index session_account on session (account_id);
-- Whoever signs in anew in the same browser leaves no older session behind.
create index session_cookie on session (cookie_hash);
comment on table session is 'outside: asked for before the company is known';

-- Ten codes for the day when the phone is lost; each is good once.
create table recovery_code (
  account_id uuid not null references account (id) on delete cascade,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (account_id, code_hash)
);
comment on table recovery_code is 'outside: belongs to a person, not to a company';

create table challenge (
  id uuid primary key,
  mobile text not null,
  purpose text not null,
  code_hash bytea not null,
  attempts integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- A code, and the token it is exchanged for, are good in the browser that asked for them.
  browser_hash bytea,
  -- A code that rang a phone and was never used proves that phone for a day, two of them together: `rang_at` is when it left the house, null
  -- once it was used or when nothing was sent. `pair` marks a question that is answered by two such codes (docs/decisions/20261122-what-rang-is-the-proof.md).
  sent_at timestamptz,
  pair boolean not null default false
);
create index challenge_mobile on challenge (mobile, created_at);
comment on table challenge is 'outside: codes sent by SMS belong to a phone, not to a company';

create table grant_token (
  token_hash bytea primary key,
  mobile text not null,
  purpose text not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  browser_hash bytea,
  -- For whom, where an account is known; for a sign-in that waits for its second factor also where to, and of which epoch.
  account_id uuid references account (id) on delete cascade,
  epoch integer,
  company_id uuid
);
comment on table grant_token is 'outside: what a checked code is exchanged for';

create table binding_token (
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
comment on table binding_token is 'outside: a platform user nobody knows yet';

-- Written when it comes back, not when it goes out: what is in it is signed, and a visit to the sign-in page leaves no row.
create table login_state (
  state_hash bytea primary key,
  expires_at timestamptz not null
);
create index login_state_over on login_state (expires_at);
comment on table login_state is 'outside: a platform''s answer is taken once';

create table attempt (
  key text not null,
  at timestamptz not null,
  count integer not null default 0,
  primary key (key, at)
);
-- Every try with its own time: a limit holds for any hour, not for the hours of the clock.
comment on table attempt is 'outside: limits on tries, by phone and address, shared by all nodes';

-- Evidence of who came in, tried to, and left: every way to sign in, choosing a company, signing out, credentials that were changed. Writer:
-- runtime. Such a line often belongs to no company: nobody is known yet, or the person is in several. Kept like `audit_log_entry`, and not even
-- readable for the application: what answers requests can add to it and do nothing else.
create table sign_in_log_entry (
  id uuid primary key,
  at timestamptz not null,
  call text not null,
  -- `done`, or the name of the refusal.
  outcome text not null,
  account_id uuid,
  company_id uuid,
  -- A keyed hash of the phone that was given: known tries are found by it, and no list of strangers' numbers grows here.
  phone_mac bytea,
  details jsonb not null default '{}',
  address text not null default '',
  device text not null default '',
  request_id text not null default ''
);
create index sign_in_log_entry_account on sign_in_log_entry (account_id, at);
create index sign_in_log_entry_at on sign_in_log_entry (at);
create index sign_in_log_entry_phone on sign_in_log_entry (phone_mac, at);
comment on table sign_in_log_entry is 'outside: whoever signs in is in no company yet; can only be added to';

create table download_ticket (
  token_hash bytea primary key,
  company_id uuid not null,
  file_id uuid not null,
  account_id uuid not null,
  session_id uuid not null,
  expires_at timestamptz not null
);
comment on table download_ticket is 'outside: a download is a navigation, which names no company';

create table master_key_check (
  id integer default 1 primary key check (id = 1),
  sealed bytea not null
);
comment on table master_key_check is 'outside: tells at boot whether the master key is the one this database was written with';

-- ====================================================================================================
-- Companies, departments, members and administrators
-- ====================================================================================================

-- Owners: company (company, company_key, sms_entry), member (department, member, member_department), role (admin, admin_department),
-- desk (notice, file, file_chunk, ticket), runtime (audit_log_entry, idempotency_key).
-- Every table of a company has the key (company_id, id), so that the same schema shards by company.
create table company (
  id uuid primary key,
  name text not null,
  corp_role smallint not null default 10 check (corp_role = ANY (ARRAY[10, 20])),
  edition smallint not null default 50 check (edition = ANY (ARRAY[50, 53, 60])),
  edition_until timestamptz,
  corp_origin smallint not null default 0,
  provider text check (provider = ANY (ARRAY['lark'::text, 'wecom'::text, 'dingtalk'::text])),
  sms_left integer not null default 0 check (sms_left >= 0),
  -- Wage settings (contract: setting), without values of anybody.
  setting jsonb not null default '{}',
  created_at timestamptz not null default now(),
  trial_until timestamptz,
  -- The company's join code (QR) follows from its key, this number and the month: nothing of it is kept. A new number makes a new code.
  join_generation integer not null default 0,
  -- Owner: company. Its mark for the bar, a small PNG drawn anew by the server; null is ours.
  logo bytea,
  -- Owner: company. Sealed: what the company says about itself (tax number, address, whom to ask). The name stands beside it, where messages need it.
  info bytea,
  -- Counts its changes, so that two administrators do not overwrite each other unseen.
  info_revision integer not null default 0
);
comment on table company is 'the company itself; its own id is its company';
alter table company enable row level security;
alter table company force row level security;
create policy machine on company for select using (current_setting('app.machine'::text, true) = 'yes'::text);
create policy one_company on company using (id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);
create policy operator on company for select using (current_setting('app.operator'::text, true) = 'yes'::text);
create policy own_companies on company for select using (id = ANY (string_to_array(NULLIF(current_setting('app.companies'::text, true), ''::text), ','::text)::uuid[]));

create table company_key (
  company_id uuid not null references company (id),
  id integer not null,
  -- The company's data key, wrapped by the master key.
  wrapped bytea not null,
  created_at timestamptz not null default now(),
  primary key (company_id, id)
);
alter table company_key enable row level security;
alter table company_key force row level security;
create policy one_company on company_key using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table department (
  company_id uuid not null references company (id),
  id uuid not null,
  parent_id uuid,
  name text not null,
  position integer not null default 0,
  source text not null default 'manual',
  leader_id uuid,
  primary key (company_id, id),
  foreign key (company_id, parent_id) references department (company_id, id)
);
-- Owner: member. Who leads a department; and where the people of a deleted one went: what was kept for whoever managed it then (a draft,
-- `batch.scope_ids`) is for whoever manages that place now, and not for everybody because nobody manages what is gone.
create index department_leader on department (company_id, leader_id) where leader_id is not null;
create index department_parent on department (parent_id, company_id);
alter table department enable row level security;
alter table department force row level security;
create policy one_company on department using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table removed_department (
  company_id uuid not null references company (id),
  id uuid not null,
  merged_into_id uuid not null,
  removed_at timestamptz not null,
  primary key (company_id, id),
  foreign key (company_id, merged_into_id) references department (company_id, id)
);
create index removed_department_into on removed_department (company_id, merged_into_id);
alter table removed_department enable row level security;
alter table removed_department force row level security;
create policy one_company on removed_department using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table member (
  company_id uuid not null references company (id),
  id uuid not null,
  account_id uuid references account (id),
  name text not null,
  mobile text not null,
  employee_no text not null default '',
  position text not null default '',
  entry_on date,
  status text not null default 'invited' check (status = ANY (ARRAY['invited'::text, 'active'::text, 'left'::text])),
  source text not null default 'manual',
  platform_user_id text,
  pay_hide boolean not null default false,
  -- Identity card and bank account, one sealed document; id_card_index is a keyed hash, for matching.
  private bytea,
  id_card_index bytea,
  created_at timestamptz not null default now(),
  left_at timestamptz,
  unconfirmed_at timestamptz,
  unconfirmed_by uuid,
  -- By what he may confirm it: the phone and the account of before. Of a person who has left, the account he had.
  former_mobile text,
  former_account uuid references account (id),
  -- The number of a person's bank card is sealed in `private`; by this keyed hash a wage sheet's column is compared with it.
  bank_account_index bytea,
  -- Owner: member. The last day of whoever has left; null: the day on which he was marked so (`left_at`).
  left_on date,
  -- Owner: member. The name as it may be typed with Latin letters, made when it is written (member/file/spelled.ts); null: not yet, a job does it.
  name_pinyin text,
  -- Owner: member. Where somebody reads mail; '' where nobody has said.
  email text not null default '',
  primary key (company_id, id)
);
-- A phone that somebody else wrote into the roster of a person who has been here carries no slips, old or new, until the person himself has
-- confirmed it, or a second administrator has.
create index member_account on member (account_id) where account_id is not null;
create index member_any_mobile on member (mobile);
create index member_former_account on member (former_account) where former_account is not null;
create unique index member_mobile on member (company_id, mobile) where status <> 'left'::text and mobile <> ''::text;
create index member_not_spelled on member (company_id) where name_pinyin is null;
-- One person is one row of a roster, whatever phones he had.
create unique index member_one_account on member (company_id, account_id) where status <> 'left'::text and account_id is not null;
alter table member enable row level security;
alter table member force row level security;
create policy one_company on member using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);
create policy own_rows on member for select using (account_id = NULLIF(current_setting('app.account'::text, true), ''::text)::uuid OR former_account = NULLIF(current_setting('app.account'::text, true), ''::text)::uuid OR mobile = NULLIF(current_setting('app.mobile'::text, true), ''::text));

create table member_department (
  company_id uuid not null,
  member_id uuid not null,
  department_id uuid not null,
  primary key (company_id, member_id, department_id),
  foreign key (company_id, department_id) references department (company_id, id),
  foreign key (company_id, member_id) references member (company_id, id) on delete cascade
);
-- Owner: member. Who stands where is told by the two themselves: nobody ever asked for a place by an id of its own. And nobody asks for people by
-- their names alone (what is typed into a search box stands anywhere in a name), so no index keeps their order.
create index member_department_of on member_department (company_id, department_id);
alter table member_department enable row level security;
alter table member_department force row level security;
create policy one_company on member_department using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Owner: member. What was done to somebody in the roster, and who has looked at what is sealed: written, never changed. Goes with him when an import
-- that brought him is taken back.
create table member_event (
  company_id uuid not null,
  id uuid not null,
  member_id uuid not null,
  at timestamptz not null,
  kind text not null check (kind = ANY (ARRAY['changed'::text, 'left'::text, 'looked'::text, 'looked_tax'::text, 'undone'::text])),
  by_name text not null,
  account_id uuid,
  -- Sealed: what was changed, from what to what; of an identity card only that.
  detail bytea,
  primary key (company_id, id),
  foreign key (company_id, member_id) references member (company_id, id) on delete cascade
);
-- Who has looked at somebody's deductions and insurance bases stands in his file, as who has looked at his identity card.
create index member_event_of on member_event (company_id, member_id, id);
alter table member_event enable row level security;
alter table member_event force row level security;
create policy one_company on member_event using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Owner: invite. Who came by the company's picture and is on no roster: a to-do of those who keep it, until he is taken in or refused; then the row is
-- gone, and the evidence of the decision is the audit's.
create table join_request (
  company_id uuid not null references company (id),
  id uuid not null,
  name text not null,
  -- Proven by a code.
  mobile text not null,
  created_at timestamptz not null,
  primary key (company_id, id),
  unique (company_id, mobile)
);
alter table join_request enable row level security;
alter table join_request force row level security;
create policy one_company on join_request using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table admin (
  company_id uuid not null,
  id uuid not null,
  member_id uuid not null,
  account_id uuid not null references account (id),
  power text[] not null check (power <@ ARRAY['1'::text, '2'::text, '3'::text, '4'::text]),
  scope_all boolean not null default false,
  created_at timestamptz not null default now(),
  -- Administrators ------------------------------------------------------------------------------------------------------------
  trial_closed_at timestamptz,
  -- A seat: the row of an administrator who works here for an agency, until that day. It opens by a session of that agency only.
  agency_id uuid,
  serves_until date,
  -- Owner: role. Hints that this administrator has put away; each is shown until then.
  dismissed_hints text[] not null default '{}',
  primary key (company_id, id),
  unique (company_id, member_id),
  foreign key (company_id, member_id) references member (company_id, id)
);
create index admin_account on admin (account_id);
create index admin_agency on admin (company_id, agency_id) where agency_id is not null;
alter table admin enable row level security;
alter table admin force row level security;
create policy one_company on admin using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);
create policy own_rows on admin for select using (account_id = NULLIF(current_setting('app.account'::text, true), ''::text)::uuid);

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
alter table admin_department enable row level security;
alter table admin_department force row level security;
create policy one_company on admin_department using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table notification (
  company_id uuid not null,
  id uuid not null,
  admin_id uuid not null,
  kind text not null,
  text bytea not null,
  batch_id uuid,
  created_at timestamptz not null default now(),
  read_at timestamptz,
  -- Notices that were on the desk when he looked: the red dot goes out, what is unread stays marked.
  viewed_at timestamptz,
  -- Owner: desk. Until when a notice waits to be told outside of the desk too (by chat or mail); set: it was, or need not be.
  notified_at timestamptz,
  primary key (company_id, id),
  constraint notification_kind_check check (kind = ANY (ARRAY['failed'::text, 'sent'::text, 'feedback'::text, 'unviewed'::text, 'approval'::text, 'join'::text, 'phone'::text, 'role'::text, 'security'::text, 'service'::text])),
  foreign key (company_id, admin_id) references admin (company_id, id) on delete cascade
);
create index notification_of on notification (company_id, admin_id, id);
create index notification_untold on notification (company_id, created_at) where notified_at is null;
alter table notification enable row level security;
alter table notification force row level security;
create policy machine on notification for select using (current_setting('app.machine'::text, true) = 'yes'::text);
create policy one_company on notification using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Owner: account. How an administrator wants to hear of what happened, where he said something else than what is usual (domain/account/notice/telling.ts).
create table notification_channel (
  company_id uuid not null,
  admin_id uuid not null,
  kind text not null check (kind = ANY (ARRAY['failed'::text, 'sent'::text, 'feedback'::text, 'unviewed'::text, 'approval'::text, 'join'::text, 'phone'::text, 'role'::text, 'security'::text, 'service'::text])),
  chat boolean not null,
  mail boolean not null,
  primary key (company_id, admin_id, kind),
  foreign key (company_id, admin_id) references admin (company_id, id) on delete cascade
);
alter table notification_channel enable row level security;
alter table notification_channel force row level security;
create policy one_company on notification_channel using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

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
  foreign key (company_id, admin_id) references admin (company_id, id) on delete cascade
);
alter table wizard enable row level security;
alter table wizard force row level security;
create policy one_company on wizard using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table agency_link (
  company_id uuid not null references company (id),
  id uuid not null,
  served_company_id uuid,
  served_name text not null,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  unique (company_id, served_company_id)
);
-- Owner: agency. Who is served is another company, which may lie on another machine; it is named with its name, and read nowhere through this.
-- Owner: agency. What was asked for stands here under the name that was typed, whether such a company is known or not.
alter table agency_link enable row level security;
alter table agency_link force row level security;
create policy one_company on agency_link using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Owner: role. An agency that asks to serve this company, serves it, or did. One row an agency: it asks again in the same row. `until`: its last day.
create table agency_service (
  company_id uuid not null references company (id),
  id uuid not null,
  agency_id uuid not null,
  agency_name text not null,
  status text not null check (status = ANY (ARRAY['waiting'::text, 'active'::text, 'refused'::text, 'ended'::text])),
  scope_all boolean not null default false,
  department_ids uuid[] not null default '{}',
  until date,
  applied_at timestamptz not null,
  decided_at timestamptz,
  ended_at timestamptz,
  primary key (company_id, id),
  unique (company_id, agency_id)
);
alter table agency_service enable row level security;
alter table agency_service force row level security;
create policy one_company on agency_service using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table approval (
  company_id uuid not null references company (id),
  id uuid not null,
  -- 128 random bits: nobody finds another's by counting.
  approval_no text not null,
  kind text not null check (kind = ANY (ARRAY['wage_transfer'::text, 'unbind'::text, 'join_agency'::text, 'send'::text, 'phone'::text])),
  applicant_id uuid not null,
  -- The administrator who wishes to hand over, and the person who is to take over.
  admin_id uuid,
  member_id uuid,
  -- Whose account that person's row was when he was named: it may be given another phone while the application waits.
  account_id uuid,
  status smallint not null default 0 check (status = ANY (ARRAY[0, 1, 2, 3])),
  reason bytea not null default '\x',
  created_at timestamptz not null,
  decided_at timestamptz,
  decided_by uuid,
  primary key (company_id, id),
  unique (company_id, approval_no),
  foreign key (company_id, applicant_id) references admin (company_id, id) on delete cascade,
  foreign key (company_id, member_id) references member (company_id, id)
);
create index approval_newest on approval (company_id, created_at desc, id);
-- One open wish of a kind a person.
create unique index approval_open on approval (company_id, applicant_id, kind) where status = 0 and (kind <> ALL (ARRAY['phone'::text, 'send'::text]));
create unique index approval_open_phone on approval (company_id, member_id) where status = 0 and kind = 'phone'::text;
alter table approval enable row level security;
alter table approval force row level security;
create policy one_company on approval using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table audit_log_entry (
  company_id uuid not null references company (id),
  id uuid not null,
  at timestamptz not null,
  account_id uuid,
  name text not null default '',
  call text not null,
  -- done, or the name of the refusal.
  outcome text not null,
  -- Ids and counts, never values.
  details jsonb not null default '{}',
  address text not null default '',
  request_id text not null default '',
  -- Owner: runtime. What a line of evidence is about: the one slip, batch or person that it names. By it an employee is told who looked at what is his.
  -- A column of its own, because an index on what jsonb says is of no use behind row-level security (`->>` is not leakproof).
  subject_id text generated always as (COALESCE((details ->> 'salary_id'::text), (details ->> 'batch_id'::text), (details ->> 'member_id'::text), (details ->> 'id'::text))) stored,
  primary key (company_id, id)
);
create index audit_at on audit_log_entry (company_id, at);
create index audit_log_entry_of on audit_log_entry (company_id, subject_id);
alter table audit_log_entry enable row level security;
alter table audit_log_entry force row level security;
create policy one_company on audit_log_entry using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table idempotency_key (
  company_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  call text not null,
  key text not null,
  body_hash bytea not null,
  -- Sealed: an answer may hold what a sheet says.
  response bytea,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  unique (company_id, account_id, call, key)
);
alter table idempotency_key enable row level security;
alter table idempotency_key force row level security;
create policy one_company on idempotency_key using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

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
alter table suggestion enable row level security;
alter table suggestion force row level security;
create policy one_company on suggestion using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- ====================================================================================================
-- Stored files
-- ====================================================================================================

create table file (
  company_id uuid not null references company (id),
  id uuid not null,
  account_id uuid not null,
  kind text not null,
  name bytea not null,
  size integer not null,
  sha256 bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  -- What it was made of. Whoever may no longer see that may no longer fetch the file.
  subject_id uuid,
  primary key (company_id, id)
);
-- Files made of something: the sheet of a batch with its problems. Owner: runtime.
-- Owner: desk.
alter table file enable row level security;
alter table file force row level security;
create policy one_company on file using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table file_chunk (
  company_id uuid not null,
  id uuid not null,
  file_id uuid not null,
  position integer not null,
  sealed bytea not null,
  primary key (company_id, id),
  unique (company_id, file_id, "position"),
  foreign key (company_id, file_id) references file (company_id, id) on delete cascade
);
alter table file_chunk enable row level security;
alter table file_chunk force row level security;
create policy one_company on file_chunk using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- ====================================================================================================
-- Import of a roster and invitations
-- ====================================================================================================

-- Owner: member. A roster on its way to becoming people: read, planned, carried out, and for a day how to take it back. What it says of people
-- is sealed. `shown`: the plan that the administrator has seen; another one is shown first. `leased_until`: somebody is at work on it.
create table member_import (
  company_id uuid not null references company (id),
  id uuid not null,
  account_id uuid not null references account (id) on delete cascade,
  stage text not null,
  done integer not null default 0,
  total integer not null default 0,
  leased_until timestamptz,
  file_id uuid,
  -- Sealed: the name of the file.
  named bytea not null,
  -- Sealed: what was read, what was answered, what would become of each row, what stood there before.
  read bytea,
  answers bytea,
  plan bytea,
  undo bytea,
  summary text,
  -- Numbers only.
  result jsonb,
  created_at timestamptz not null,
  applied_at timestamptz,
  -- What is told of an import whenever somebody looks how far it is: sealed, a few lines, so that nobody opens twenty thousand rows for it.
  info bytea,
  -- Owners: member (member_import). Which sheets of its file an import has read, and which look like lists of staff as well: sealed, a few lines.
  sheets bytea,
  primary key (company_id, id),
  constraint member_import_stage_check check (stage = ANY (ARRAY['waiting'::text, 'reading'::text, 'planned'::text, 'applying'::text, 'done'::text, 'undone'::text]))
);
create index member_import_of on member_import (company_id, account_id, created_at);
alter table member_import enable row level security;
alter table member_import force row level security;
create policy one_company on member_import using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- What somebody said the columns of one header are for: letters and roles, no words of the sheet.
create table roster_mapping (
  company_id uuid not null references company (id),
  id uuid not null,
  -- Keyed, of the normalised header.
  fingerprint text not null,
  roles jsonb not null,
  used_at timestamptz not null,
  primary key (company_id, id),
  unique (company_id, fingerprint)
);
alter table roster_mapping enable row level security;
alter table roster_mapping force row level security;
create policy one_company on roster_mapping using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Invites -----------------------------------------------------------------------------------------------------------------------
-- A personal invite: 128 random bits, kept as a hash, once, 72 hours, for one phone.
create table invite (
  company_id uuid not null references company (id),
  id uuid not null,
  code_hash bytea not null,
  -- Sealed, and only until its message has left.
  code bytea,
  channel text not null check (channel = ANY (ARRAY['sms'::text, 'platform'::text])),
  member_id uuid not null,
  -- The phone he had when he was invited: an invite does not follow him to another one.
  mobile text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- Owner: invite. When the page of this invite was first opened: whoever was reached and has not finished is helped otherwise than whoever was not.
  opened_at timestamptz,
  primary key (company_id, id),
  unique (company_id, code_hash),
  foreign key (company_id, member_id) references member (company_id, id) on delete cascade
);
-- Owner: invite. A code names its company (`invite/codes.ts`): it is looked for there and nowhere else.
create index invite_member on invite (company_id, member_id);
create index invite_of on invite (company_id, member_id, id);
alter table invite enable row level security;
alter table invite force row level security;
create policy one_company on invite using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- ====================================================================================================
-- Wage sheets, payslips, deliveries and feedback
-- ====================================================================================================

-- Owners: sheet (title, title_share, batch, sheet_row, wizard), slip (plan, salary, payslip_change, delivery, feedback, feedback_message, export_job).
-- No amount stands in a plain column: what a sheet says is sealed with the company's key.
create table title (
  company_id uuid not null references company (id),
  id uuid not null,
  owner_id uuid not null,
  name bytea not null,
  month text not null check (month ~ '^[0-9]{4}-[0-9]{2}$'::text),
  kind text not null default 'monthly' check (kind = ANY (ARRAY['monthly'::text, 'bonus'::text, 'other'::text])),
  created_at timestamptz not null default now(),
  name_index bytea,
  primary key (company_id, id),
  unique (company_id, owner_id, month, name_index),
  foreign key (company_id, owner_id) references admin (company_id, id)
);
-- What somebody typed about a pay run can tell pay as well (离职补偿, 张三-补发.xlsx, a note beside a line): titles, file names, templates with
-- their headings, arrangements and notices are sealed from here on. Only the application holds the keys: what is there keeps its bytes, is
-- read as what it is, and is sealed by the next start, a piece at a time (`company/seal-old.ts`). Owners as before.
-- Owner: sheet. The index is keyed, of month and name; null until the next start has sealed the row.
alter table title enable row level security;
alter table title force row level security;
create policy one_company on title using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table title_share (
  company_id uuid not null,
  id uuid not null,
  title_id uuid not null,
  admin_id uuid not null,
  rights text not null check (rights = ANY (ARRAY['view'::text, 'manage'::text])),
  primary key (company_id, id),
  unique (company_id, title_id, admin_id),
  foreign key (company_id, admin_id) references admin (company_id, id) on delete cascade,
  foreign key (company_id, title_id) references title (company_id, id) on delete cascade
);
alter table title_share enable row level security;
alter table title_share force row level security;
create policy one_company on title_share using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Any wage sheet: what is remembered of it, how it is drawn, how far an upload is. Owner: sheet.
-- A recipe: what the columns of one kind of sheet are for, and how its slips look. Learned with every sheet; named ones are templates.
create table template (
  company_id uuid not null references company (id),
  id uuid not null,
  owner_id uuid not null,
  -- Null while nobody has named it.
  name bytea,
  -- Keyed, of the normalised header.
  fingerprint text not null,
  -- Labels, roles, kinds and the formula: words of a header, no figures.
  column_mapping bytea not null,
  layout bytea not null,
  -- The pay run in which it was used last.
  title_id uuid,
  used_at timestamptz not null,
  created_at timestamptz not null,
  name_index bytea,
  primary key (company_id, id),
  unique (company_id, owner_id, fingerprint),
  unique (company_id, owner_id, name_index),
  foreign key (company_id, owner_id) references admin (company_id, id) on delete cascade
);
create index template_used on template (company_id, owner_id, used_at desc);
alter table template enable row level security;
alter table template force row level security;
create policy one_company on template using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table batch (
  company_id uuid not null references company (id),
  id uuid not null,
  owner_id uuid not null,
  title_id uuid,
  status text not null default 'draft' check (status = ANY (ARRAY['draft'::text, 'checked'::text, 'scheduled'::text, 'sending'::text, 'paused'::text, 'sent'::text, 'withdrawn'::text])),
  file_id uuid,
  file_name bytea not null,
  file_hash bytea not null,
  fingerprint text not null,
  -- Sealed: what was understood of the sheet (columns, grid head), with samples and sums.
  recognition bytea not null,
  -- Sealed: {people, gross_fen, tax_fen, net_fen} of the rows that count.
  totals bytea,
  layout bytea not null,
  -- Ids of accepted warnings that belong to no row.
  accepted text[] not null default '{}',
  rules jsonb not null default '{}',
  people integer not null default 0,
  scheduled_at timestamptz,
  sent_at timestamptz,
  withdrawn_at timestamptz,
  withdrawn_reason bytea,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The recipe that was taken over or learned.
  template_id uuid,
  -- Sealed: what the drawing needs beside the rows of people (other rows as they stand, merges, hidden rows).
  sheet_layout bytea not null,
  -- Owner: sheet. What the rows of a batch take, sealed: a small file may become many rows, and room is for what is kept.
  stored_bytes bigint not null default 0,
  scope_all boolean not null default false,
  scope_ids uuid[] not null default '{}',
  send_options jsonb,
  options_version integer not null default 0,
  options_by uuid,
  layout_version integer not null default 0,
  layout_by uuid,
  -- Until then a batch whose sending was confirmed only waits, and is taken back at no cost. Null where somebody chose the time.
  undo_until timestamptz,
  primary key (company_id, id),
  foreign key (company_id, file_id) references file (company_id, id),
  foreign key (company_id, owner_id) references admin (company_id, id),
  foreign key (company_id, title_id) references title (company_id, id)
);
-- Owner: sheet. The scope of whoever brought the sheet: a draft has no slips yet that would say whom it is about, so it is shown as a whole to
-- whoever keeps at least as much today. What is there takes the scope that its owner has now.
-- Owner: sheet. What step 4 has chosen stays with the batch: whom, how, when and how the slips behave; null until somebody chose anything. No pay
-- stands in it. And who changed the options or the arrangement last, and how often: whoever saves over a change that he has not seen is told.
create index batch_newest on batch (company_id, created_at desc, id);
create index batch_status on batch (company_id, status);
create index batch_title on batch (company_id, title_id);
alter table batch enable row level security;
alter table batch force row level security;
create policy one_company on batch using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Owners: sheet (sheet_page, sheet_row). The cells of a sheet's rows are sealed by the page (docs/decisions/20261126-pages-of-a-sheet.md).
create table sheet_page (
  company_id uuid not null,
  id uuid not null,
  batch_id uuid not null,
  -- The cells of some hundred rows, by their number.
  sealed bytea not null,
  -- Owners: sheet (sheet_page, sheet_row). A row of a sheet has a line of its own only where something was decided about it (docs/decisions/20261126-pages-of-a-sheet.md).
  -- The numbers of the rows whose cells a page has, from the top.
  numbers integer[] not null check (cardinality(numbers) > 0),
  primary key (company_id, id),
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade
);
-- What is sealed shrinks no more.
create index sheet_page_batch on sheet_page (company_id, batch_id);
alter table sheet_page alter column sealed set storage external;
alter table sheet_page enable row level security;
alter table sheet_page force row level security;
create policy one_company on sheet_page using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Rows as the sheet had them, while the batch can still be changed; the sheet is kept beside what was understood of it.
create table sheet_row (
  company_id uuid not null,
  id uuid not null,
  batch_id uuid not null,
  row_no integer not null,
  cells bytea,
  -- The person an administrator chose; null lets the roster decide.
  member_id uuid,
  skipped boolean not null default false,
  -- Warnings the administrator has accepted: `kind:column`.
  accepted text[] not null default '{}',
  -- Owner: sheet. Keys of the cells that somebody has corrected on the page of problems: they go into the sheet that is downloaded, and are told
  -- from what the file says.
  edited text[] not null default '{}',
  -- Owners: sheet (sheet_row), slip (feedback). Rows of one person that become one payslip: each but the first names the row that it is combined into.
  main_row_no integer,
  primary key (company_id, id),
  unique (company_id, batch_id, row_no),
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade
);
-- A row that was written anew has cells of its own.
alter table sheet_row enable row level security;
alter table sheet_row force row level security;
create policy one_company on sheet_row using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Owner: sheet. The names of a batch's rows in one sealed piece, made by the first search for one: opening every row for each search of a
-- sheet of a hundred thousand took seconds. It goes when a row's cells change.
create table sheet_names (
  company_id uuid not null,
  id uuid not null,
  -- The columns that said the names.
  by_columns text not null,
  sealed bytea not null,
  primary key (company_id, id),
  foreign key (company_id, id) references batch (company_id, id) on delete cascade
);
alter table sheet_names enable row level security;
alter table sheet_names force row level security;
create policy one_company on sheet_names using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Owner: sheet. What became of checking a batch, sealed, by whom it was asked (his scope decides it) and by what it stands on: rows, roster, earlier runs,
-- rules (docs/decisions/20261122-a-check-that-is-kept.md). In pieces, so that a large one is opened without keeping others waiting. Worth nothing but
-- time: whatever is deleted here is worked out anew.
create table sheet_check (
  company_id uuid not null references company (id),
  id uuid not null,
  batch_id uuid not null,
  admin_id uuid not null,
  -- A digest; no other outcome has the same.
  ground text not null,
  part integer not null,
  sealed bytea not null,
  created_at timestamptz not null,
  primary key (company_id, id, part),
  foreign key (company_id, admin_id) references admin (company_id, id) on delete cascade,
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade
);
-- Sealed is as if by chance: trying to make it smaller only takes time.
create index sheet_check_of on sheet_check (company_id, batch_id, admin_id, ground);
alter table sheet_check alter column sealed set storage external;
alter table sheet_check enable row level security;
alter table sheet_check force row level security;
create policy one_company on sheet_check using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Owner: sheet. What somebody corrected in a sheet by hand, with what stood there before: it can be taken back until the sheet is another one, and
-- stays as evidence afterwards. `changed` is sealed.
create table sheet_edit (
  company_id uuid not null references company (id),
  id uuid not null,
  batch_id uuid not null,
  admin_id uuid,
  kind text not null check (kind = ANY (ARRAY['edit'::text, 'swap'::text])),
  changed bytea not null,
  at timestamptz not null,
  -- Of one transaction several may come: their order.
  position bigint not null generated always as identity,
  is_undoable boolean not null default true,
  undone_at timestamptz,
  primary key (company_id, id),
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade
);
create index sheet_edit_last on sheet_edit (company_id, batch_id, "position" desc) where is_undoable;
alter table sheet_edit enable row level security;
alter table sheet_edit force row level security;
create policy one_company on sheet_edit using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- How far an upload is, for the page that waits for it; swept after a day.
create table upload_progress (
  company_id uuid not null references company (id),
  id uuid not null,
  account_id uuid not null references account (id) on delete cascade,
  stage text not null,
  done integer not null default 0,
  total integer not null default 0,
  updated_at timestamptz not null,
  named bytea not null,
  file_id uuid,
  batch_id uuid,
  leased_until timestamptz,
  primary key (company_id, id),
  constraint upload_progress_stage_check check (stage = ANY (ARRAY['waiting'::text, 'reading'::text, 'keeping'::text, 'done'::text, 'refused'::text])),
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade
);
-- Owner: sheet. An upload outlives the page that began it: its file waits here until it has become a batch, and whoever comes back (the page was
-- loaded anew, the server started anew) goes on with it. `leased_until`: until then somebody is at work on it. `batch_id`: whose sheet it replaces,
-- or, when it is done, what it became.
-- Owner: sheet. A file that is gone is seen by reading (`keptFile`): part of a reference cannot be emptied where the other part says on which
-- machine the row lies.
create index upload_progress_batch on upload_progress (company_id, batch_id) where batch_id is not null;
alter table upload_progress enable row level security;
alter table upload_progress force row level security;
create policy one_company on upload_progress using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table send_plan (
  company_id uuid not null,
  id uuid not null,
  batch_id uuid not null,
  status text not null default 'planned' check (status = ANY (ARRAY['planned'::text, 'started'::text, 'void'::text])),
  channels text[] not null,
  by_channel jsonb not null,
  sms_needed integer not null default 0,
  scheduled_at timestamptz,
  created_by uuid not null,
  created_at timestamptz not null default now(),
  spot_checks jsonb not null default '[]',
  spot_checked_by uuid,
  spot_checked_at timestamptz,
  approval_id uuid,
  -- SHA-256 of people, ways, figures, looks and time as they were when it was asked for.
  digest bytea check (length(digest) = 32),
  -- Sealed: what it came to, for whoever decides; null of fewer than three people.
  totals bytea,
  primary key (company_id, id),
  constraint send_plan_check check ((approval_id IS NULL) = (digest IS NULL)),
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade
);
-- People whose slips somebody must have looked at before a plan is sent (rows and why), and who says that he has.
-- Owner: slip. A second administrator approves a plan: which application asks for it, and what exactly was asked for.
create index send_plan_approval on send_plan (company_id, approval_id) where approval_id is not null;
alter table send_plan enable row level security;
alter table send_plan force row level security;
create policy one_company on send_plan using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Owner: slip. A batch tried out before it is sent: what one person is shown for a day. No slip of anybody's, and counted nowhere.
create table test_send (
  company_id uuid not null,
  id uuid not null,
  batch_id uuid not null,
  -- The account that asked, and the one that may open it.
  requested_by uuid not null,
  by_name text not null,
  account_id uuid not null,
  -- Of the roster; null: an administrator who is not employed here.
  member_id uuid,
  -- Whose figures are shown; null: invented ones. Only to the one who asked.
  row_no integer,
  -- Sealed: the slip as it would look.
  payslip bytea not null,
  -- Its messages in the book `message`, by their ids, and by which way.
  message_ids uuid[] not null,
  channels text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  opened_at timestamptz,
  primary key (company_id, id),
  constraint test_send_check check (row_no IS NULL OR requested_by = account_id),
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade
);
create index test_send_batch on test_send (company_id, batch_id, created_at desc);
create index test_send_over on test_send (company_id, expires_at);
alter table test_send enable row level security;
alter table test_send force row level security;
create policy one_company on test_send using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table payslip (
  company_id uuid not null,
  id uuid not null,
  batch_id uuid not null,
  member_id uuid not null,
  row_no integer not null,
  version integer not null default 1,
  status text not null default 'waiting' check (status = ANY (ARRAY['waiting'::text, 'queued'::text, 'sent'::text, 'viewed'::text, 'confirmed'::text, 'failed'::text, 'withdrawn'::text])),
  has_feedback boolean not null default false,
  channel text not null check (channel = ANY (ARRAY['platform'::text, 'sms'::text, 'email'::text, 'link'::text])),
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
  withdrawn_reason bytea,
  -- Who this slip is for, as the plan found him: a digest of each thing by which he is known. Compared right before a message leaves.
  identity jsonb,
  -- Owner: slip. What happened to a slip before it was corrected or sent once more: when it was seen, confirmed and withdrawn, a version a line. The
  -- columns beside it are of the present version; the story of the slip tells both. Reasons stay sealed with the batch.
  past jsonb not null default '[]',
  -- Owner: pay (written by slip). Sealed: the hash of exactly what was shown when the slip was confirmed (docs/slip-form.md).
  confirmed_hash bytea,
  -- Beside the flag: the first day that one of its open questions is due, for lists and the home page.
  answer_due timestamptz,
  primary key (company_id, id),
  unique (company_id, batch_id, row_no),
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade,
  foreign key (company_id, member_id) references member (company_id, id)
);
-- Why a slip was withdrawn or corrected, which column it was, and why an application was turned down say something about somebody's pay: from
-- here on they are sealed like the pay itself. Only the application holds the keys, so what is there already keeps its bytes as they are, and
-- is read as the text that it is (`Vault.openText`); no release has been made with such rows. Writers as before.
-- Owner: slip. Mail is a channel like the others.
-- owner: slip. Slips with an open question are few, and are counted on every look at the home page.
create index payslip_asking on payslip (company_id, batch_id) where has_feedback;
-- Owner: slip. Whether a slip counts as pay, and in which version, without opening a page of sealed cells for each.
create index payslip_counted on payslip (company_id, batch_id, row_no, member_id, version, status) include (id);
create index payslip_member on payslip (company_id, member_id);
create index payslip_status on payslip (company_id, batch_id, status);
alter table payslip enable row level security;
alter table payslip force row level security;
create policy one_company on payslip using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table payslip_change (
  company_id uuid not null,
  id uuid not null,
  salary_id uuid not null,
  batch_id uuid not null,
  version integer not null,
  by_admin uuid,
  by_name text not null,
  at timestamptz not null,
  column_key text not null,
  column_label bytea not null,
  -- Sealed: {from, to}.
  change bytea not null,
  reason bytea not null,
  primary key (company_id, id),
  foreign key (company_id, salary_id) references payslip (company_id, id)
);
create index payslip_change_batch on payslip_change (company_id, batch_id);
create index payslip_change_of on payslip_change (company_id, salary_id);
alter table payslip_change enable row level security;
alter table payslip_change force row level security;
create policy one_company on payslip_change using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- The ledger of what was asked of the outside world. The unique key makes a second message impossible.
create table delivery (
  company_id uuid not null,
  id uuid not null,
  salary_id uuid not null,
  batch_id uuid not null,
  version integer not null,
  channel text not null check (channel = ANY (ARRAY['platform'::text, 'sms'::text, 'email'::text, 'link'::text])),
  -- slip, corrected, remind-<day>-<n>.
  purpose text not null,
  status text not null default 'queued' check (status = ANY (ARRAY['queued'::text, 'leased'::text, 'accepted'::text, 'failed'::text, 'unknown'::text, 'cancelled'::text])),
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
  -- Owner: slip. What a message costs of the account: gateways charge a long SMS as several. What was sent before was booked as one.
  segments smallint not null default 1 check (segments > 0),
  card_requested text check (card_requested = ANY (ARRAY['viewed'::text, 'confirmed'::text, 'withdrawn'::text])),
  card_due timestamptz,
  card_attempts smallint not null default 0,
  -- What stands on it; recalled, gone: the person does not see it any more.
  card_state text check (card_state = ANY (ARRAY['viewed'::text, 'confirmed'::text, 'withdrawn'::text, 'recalled'::text, 'gone'::text])),
  -- Why it could not be written.
  card_failure text check (card_failure = ANY (ARRAY['too_late'::text, 'unsupported'::text, 'refused'::text, 'unclear'::text, 'unbound'::text])),
  -- Owner: slip. When a gateway reported that a phone got the message; null: it has not said so, or said that it did not.
  delivered_at timestamptz,
  primary key (company_id, id),
  unique (company_id, salary_id, version, channel, purpose),
  foreign key (company_id, salary_id) references payslip (company_id, id) on delete cascade
);
-- Owner: slip. What is to stand on a card in somebody's chat once more is known than when it was sent; null: nothing waits to be written.
create index delivery_batch on delivery (company_id, batch_id, purpose, status);
create index delivery_card on delivery (company_id, card_due) where card_requested is not null;
create index delivery_open on delivery (company_id, batch_id, due_at, id) where status = ANY (ARRAY['queued'::text, 'leased'::text]);
-- Owner: slip. How many messages went through the chat platform today, asked before more are sent.
create index delivery_platform_day on delivery (company_id, done_at) where channel = 'platform'::text and done_at is not null;
alter table delivery enable row level security;
alter table delivery force row level security;
create policy one_company on delivery using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Owner: runtime. The ledger of messages about nothing that has rows of its own: notices, codes, invitations (docs/decisions/20261122-one-post-office.md).
-- Those that belong to no company stand under the id of nobody (all zeros), hence no reference to company.
create table message (
  company_id uuid not null,
  id uuid not null,
  -- The lot, and the job that works it off.
  kind text not null,
  -- What it says: a kind of contract/messages.ts.
  purpose text not null,
  subject_id uuid not null,
  channel text not null check (channel = ANY (ARRAY['platform'::text, 'sms'::text, 'email'::text])),
  segments smallint not null default 1 check (segments > 0),
  -- Sealed: to whom and what. Gone as soon as nothing can be tried any more.
  letter bytea,
  status text not null default 'queued' check (status = ANY (ARRAY['queued'::text, 'leased'::text, 'accepted'::text, 'failed'::text, 'unknown'::text, 'cancelled'::text])),
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
-- By mail as well.
-- Owner: runtime. Messages about nothing that has rows of its own leave by mail as well.
create index message_open on message (company_id, kind, due_at) where status = ANY (ARRAY['queued'::text, 'leased'::text]);
-- Owner: post.
create index message_platform_day on message (company_id, done_at) where channel = 'platform'::text and done_at is not null;
alter table message enable row level security;
alter table message force row level security;
create policy one_company on message using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table feedback (
  company_id uuid not null,
  id uuid not null,
  salary_id uuid not null,
  batch_id uuid not null,
  member_id uuid not null,
  status text not null default 'open' check (status = ANY (ARRAY['open'::text, 'answered'::text, 'resolved'::text])),
  updated_at timestamptz not null,
  answered_at timestamptz,
  read_at timestamptz,
  -- Owner: slip. A question is about a whole slip or one line of it, is somebody's to answer, and is due on a day; pictures come with what is said.
  -- `line`: the key of a column (c4), '' the whole slip. Its name as the person saw it is sealed.
  line text not null default '' check (line ~ '^(c[0-9]{1,4}(@[0-9]{1,9})?)?$'::text),
  line_label bytea,
  -- Whoever was told off to answer; null: the owner of the batch.
  owner_id uuid,
  -- The end of the day by which it is answered; null: answered, or the company sets no time.
  due_at timestamptz,
  primary key (company_id, id),
  unique (company_id, salary_id, line),
  foreign key (company_id, salary_id) references payslip (company_id, id),
  foreign key (company_id, owner_id) references admin (company_id, id)
);
-- An answered question no longer waits for the company; the person sees that there is an answer he has not read.
-- A question may be about a line of one of those rows: `c3@12`.
create index feedback_due on feedback (company_id, due_at) where due_at is not null;
alter table feedback enable row level security;
alter table feedback force row level security;
create policy one_company on feedback using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table feedback_message (
  company_id uuid not null,
  id uuid not null,
  feedback_id uuid not null,
  from_side text not null check (from_side = ANY (ARRAY['employee'::text, 'admin'::text])),
  name text not null,
  -- Sealed: people write amounts into their questions.
  content bytea not null,
  at timestamptz not null,
  primary key (company_id, id),
  foreign key (company_id, feedback_id) references feedback (company_id, id) on delete cascade
);
create index feedback_message_of on feedback_message (company_id, feedback_id, id);
alter table feedback_message enable row level security;
alter table feedback_message force row level security;
create policy one_company on feedback_message using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Drawn anew, sealed; read by the two sides of the thread only, and gone with it.
create table feedback_picture (
  company_id uuid not null,
  id uuid not null,
  feedback_id uuid not null,
  message_id uuid not null,
  picture bytea not null,
  primary key (company_id, id),
  foreign key (company_id, feedback_id) references feedback (company_id, id) on delete cascade,
  foreign key (company_id, message_id) references feedback_message (company_id, id) on delete cascade
);
create index feedback_picture_of on feedback_picture (company_id, feedback_id, message_id, id);
alter table feedback_picture enable row level security;
alter table feedback_picture force row level security;
create policy one_company on feedback_picture using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Owner: proof. The keys with which a company signs receipts, one after the other: the public half is for everybody, the private one is sealed and
-- erased as soon as the next key is there. `signature`: of the key before it (of the first, its own) over what docs/receipt.md calls its statement.
create table receipt_key (
  company_id uuid not null references company (id),
  number integer not null check (number > 0),
  kid text not null,
  public_key bytea not null,
  private_key bytea,
  since timestamptz not null,
  signature bytea not null,
  primary key (company_id, number),
  unique (company_id, kid)
);
alter table receipt_key enable row level security;
alter table receipt_key force row level security;
create policy one_company on receipt_key using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- A confirmation of one version of a slip: signed once, never changed, and not ended by a correction. Sealed: the receipt, what it is a receipt of, the
-- salt with which it names that, and the handwriting.
create table receipt (
  company_id uuid not null references company (id),
  id uuid not null,
  salary_id uuid not null,
  version integer not null,
  made_at timestamptz not null,
  proof bytea not null,
  primary key (company_id, id),
  unique (company_id, salary_id, version),
  foreign key (company_id, salary_id) references payslip (company_id, id)
);
alter table receipt enable row level security;
alter table receipt force row level security;
create policy one_company on receipt using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table export_job (
  company_id uuid not null,
  id uuid not null,
  batch_id uuid,
  account_id uuid not null,
  what text not null,
  progress integer not null default 0,
  file_id uuid,
  failed text,
  created_at timestamptz not null default now(),
  scope_all boolean not null default false,
  scope_ids uuid[] not null default '{}',
  -- Owner: slip. An export of one person's slip only; null: of all in the batch.
  salary_id uuid,
  -- Owner: slip. What is to be said of a file that was made, beside the file: that it has no time stamp, and why. Names nobody and no amount.
  note text,
  -- Owner: slip. How an export is drawn as pages: the size of its paper, and whether in large type; null: it is no PDF, or as usual.
  paper jsonb,
  batch_ids uuid[],
  member_ids uuid[],
  month_from text,
  month_to text,
  primary key (company_id, id),
  constraint export_job_of check ((batch_id IS NULL) = (batch_ids IS NOT NULL AND month_from IS NOT NULL AND month_to IS NOT NULL)),
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade
);
-- The departments that whoever asked for an export managed then: it holds nobody else, and is fetched only while they are still his.
-- Exports made before this one hold everybody in their batch.
-- Owner: slip. Evidence of a period: of all batches that whoever asked could see then, of one person (by all his rows) or of everybody of his.
alter table export_job enable row level security;
alter table export_job force row level security;
create policy one_company on export_job using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- ====================================================================================================
-- Channels
-- ====================================================================================================

-- Owner: runtime. The demo's outside world: what SMS gateways and chat platforms would have received. It takes every message it is
-- handed and never drops a repeated one, so that a message sent twice shows as two.
create table outbox (
  id uuid primary key,
  delivery_id uuid,
  channel text not null,
  mobile text not null default '',
  name text not null default '',
  text text not null,
  link text not null default '',
  at timestamptz not null default now()
);
create index outbox_at on outbox (at);
create index outbox_delivery on outbox (delivery_id);
comment on table outbox is 'outside: stands for the world beyond this installation; used in demo mode only';

-- Owner: runtime. How fast each line of a carrier may be used, and until when it asked to be left alone: one row for the line itself (asker ''), one
-- for each company that sends by it. Shared by all servers; what is lost here costs a little time and nothing else.
create table channel_rate (
  channel text not null,
  requester text not null default '',
  due_ms double precision not null default 0,
  -- So long this company is counted among those who share the line.
  requested_until timestamptz not null default '-infinity'::timestamp with time zone,
  -- Of the line: so long nothing is handed over.
  paused_until timestamptz not null default '-infinity'::timestamp with time zone,
  primary key (channel, requester)
);
comment on table channel_rate is 'outside: lines of carriers, shared by companies';

-- Owner: runtime. References of messages that were taken, for some days: a report names one of them before the company is known.
create table report_lookup (
  ref text primary key,
  company_id uuid not null,
  message_id uuid not null,
  at timestamptz not null
);
create index report_lookup_at on report_lookup (at);
comment on table report_lookup is 'outside: a gateway''s report names the message, before the company is known';

-- Owner: company. The mailbox that its people are written to from (docs/decisions/20261123-mail.md).
create table company_mail (
  company_id uuid primary key references company (id),
  host text not null,
  port integer not null check (port >= 1 AND port <= 65535),
  security text not null check (security = ANY (ARRAY['tls'::text, 'starttls'::text, 'none'::text])),
  username text not null,
  -- Sealed.
  password bytea not null,
  sender_address text not null,
  sender_name text not null,
  -- When a test message was taken by exactly these; null: not yet, and then nothing leaves by them.
  tested_at timestamptz,
  updated_at timestamptz not null,
  inbox_host text,
  inbox_port integer check (inbox_port >= 1 AND inbox_port <= 65535),
  inbox_security text check (inbox_security = ANY (ARRAY['tls'::text, 'starttls'::text, 'none'::text])),
  -- The server's own count: it begins anew with another validity.
  inbox_validity text,
  inbox_uid bigint,
  -- When it was last looked into, and why nothing could be read; null: it could.
  inbox_at timestamptz,
  inbox_error text,
  -- When mail last left that may come back.
  mailed_at timestamptz,
  constraint company_mail_inbox check ((inbox_host IS NULL) = (inbox_port IS NULL) AND (inbox_host IS NULL) = (inbox_security IS NULL))
);
-- Owner: company. Where the bounces of a company's mail come back to (IMAP, with the user and password of the mailbox), and how far it was looked through.
alter table company_mail enable row level security;
alter table company_mail force row level security;
create policy one_company on company_mail using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- ====================================================================================================
-- Platform bindings
-- ====================================================================================================

-- Owners: runtime (platform_suite, platform_install, platform_install_event), binding (platform_install_request). Our applications of the platforms' stores: their tickets, who installed them, who is about to (docs/decisions/20261123-store-applications.md).
create table platform_suite (
  provider text not null check (provider = ANY (ARRAY['lark'::text, 'wecom'::text, 'dingtalk'::text])),
  suite_id text not null,
  -- Sealed with the installation's key.
  ticket bytea not null,
  -- When the platform made it: an older one that comes later is none.
  pushed_at timestamptz not null,
  primary key (provider, suite_id)
);
comment on table platform_suite is 'outside: the newest ticket of an application of the store, which is of all companies';

create table platform_install (
  provider text not null check (provider = ANY (ARRAY['lark'::text, 'wecom'::text, 'dingtalk'::text])),
  suite_id text not null,
  -- As the platform names the company.
  corp_id text not null,
  corp_name text not null default '',
  agent_id text not null default '',
  -- WeCom's permanent code while nobody has claimed it, sealed with the installation's key; then it is the company's.
  secret bytea,
  -- Whom the platform calls administrators there.
  installers text[] not null default '{}',
  -- The company here; null: it waits to be claimed.
  claimed_by uuid,
  received_at timestamptz not null,
  primary key (provider, suite_id, corp_id)
);
comment on table platform_install is 'outside: told by the platform, before it is known whose it is';

-- An administrator went to the platform to install, or to prove who he is there: good once, for him alone.
create table platform_install_request (
  company_id uuid not null references company (id),
  state_hash bytea not null,
  account_id uuid not null,
  provider text not null check (provider = ANY (ARRAY['lark'::text, 'wecom'::text, 'dingtalk'::text])),
  kind text not null check (kind = ANY (ARRAY['install'::text, 'claim'::text, 'prove'::text])),
  expires_at timestamptz not null,
  -- What is bound once it is proved, sealed: of `prove` alone.
  options bytea,
  primary key (company_id, state_hash)
);
alter table platform_install_request enable row level security;
alter table platform_install_request force row level security;
create policy one_company on platform_install_request using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table platform_install_event (
  provider text not null,
  suite_id text not null,
  key text not null,
  received_at timestamptz not null,
  primary key (provider, suite_id, key)
);
create index platform_install_event_old on platform_install_event (received_at);
comment on table platform_install_event is 'outside: what was told of installations, so that a repeated one is known';

-- Chat platforms -----------------------------------------------------------------------------------------------------------------
-- The company's own application on a chat platform, by which its people sign in.
create table platform_app (
  company_id uuid not null,
  id uuid not null,
  provider text not null check (provider = ANY (ARRAY['lark'::text, 'wecom'::text, 'dingtalk'::text])),
  corp_id text not null,
  app_id text not null,
  agent_id text not null default '',
  -- Sealed with the company's key.
  secret bytea not null,
  created_at timestamptz not null,
  mode text not null default 'self_built' check (mode = ANY (ARRAY['self_built'::text, 'store'::text])),
  -- What the callback address was set up with, sealed; null until somebody has.
  callback_token bytea,
  callback_key bytea,
  -- Owners: company (platform_app), binding (platform_install_request). Whether a platform itself has said that an application is of the company whose key it is bound by (docs/decisions/20261124-whose-key-it-is.md).
  proved_at timestamptz,
  primary key (company_id, id),
  unique (provider, corp_id, app_id)
);
-- Owner: company. A sign-in names the application and not the company: every machine has the whole table, which cannot refer to one that is
-- spread. Companies are never deleted.
-- Owner: binding. A company's own application on a chat platform and the life of that binding (docs/decisions/20261123-binding-a-platform.md).
-- Owner of platform_app: company.
-- One company there is one company here. Applications of before this table may differ; new ones may not.
create index platform_app_corp on platform_app (provider, corp_id);
comment on table platform_app is 'everywhere: asked for by the platform''s own names, before the company is known';
alter table platform_app enable row level security;
alter table platform_app force row level security;
create policy machine on platform_app for select using (current_setting('app.machine'::text, true) = 'yes'::text);
create policy one_company on platform_app using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

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

-- Owner: runtime. Tokens of applications on chat platforms, sealed with the installation's key and shared by all servers; `key` is made of ids and hashes of secrets. What is
-- lost here is asked for again.
create table platform_token (
  key text primary key,
  sealed bytea,
  -- Who is asking the platform for a new one, and how long the others wait for him.
  asking uuid,
  requested_until timestamptz not null default '-infinity'::timestamp with time zone
);
comment on table platform_token is 'outside: tokens of applications, shared by all servers';

create table binding (
  company_id uuid not null references company (id),
  id uuid not null,
  provider text not null check (provider = ANY (ARRAY['lark'::text, 'wecom'::text, 'dingtalk'::text])),
  corp_id text not null,
  corp_name text not null default '',
  mode text not null check (mode = ANY (ARRAY['self_built'::text, 'store'::text])),
  -- Its row of platform_app while it lives.
  app_id uuid,
  -- 0 over · 10 bound · 20 syncing · 30 the sync failed · 40 unbinding was asked for · 50 stopped on the platform.
  status smallint not null check (status = ANY (ARRAY[0, 10, 20, 30, 40, 50])),
  -- As the platform answered last: what is missing, and what may be seen.
  issues jsonb not null default '[]',
  visible jsonb,
  checked_at timestamptz not null,
  last_callback_at timestamptz,
  approval_no text,
  bound_at timestamptz not null,
  ended_at timestamptz,
  primary key (company_id, id)
);
create unique index binding_alive on binding (company_id) where status <> 0;
alter table binding enable row level security;
alter table binding force row level security;
create policy one_company on binding using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- What became of it and by whom: written, never changed.
create table binding_event (
  company_id uuid not null,
  id uuid not null,
  binding_id uuid not null,
  at timestamptz not null,
  kind text not null check (kind = ANY (ARRAY['bound'::text, 'restored'::text, 'rotated'::text, 'unbind_applied'::text, 'unbind_kept'::text, 'unbound'::text, 'stopped'::text, 'resumed'::text, 'synced'::text, 'sync_held'::text, 'sync_failed'::text, 'combined'::text, 'searched'::text])),
  -- '' where nobody did it: the clock, or the platform.
  by_name text not null default '',
  -- Numbers and the platform's codes only.
  detail jsonb not null default '{}',
  primary key (company_id, id),
  foreign key (company_id, binding_id) references binding (company_id, id) on delete cascade
);
create index binding_event_of on binding_event (company_id, binding_id, id);
alter table binding_event enable row level security;
alter table binding_event force row level security;
create policy one_company on binding_event using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- What the platforms told our address: kept first, worked on afterwards, for 30 days so that a repeated one is known.
create table platform_event (
  company_id uuid not null references company (id),
  id uuid not null,
  app_id uuid not null,
  key text not null,
  news jsonb not null,
  -- Sealed, for whoever looks for a fault.
  plain bytea not null,
  received_at timestamptz not null,
  -- The reading that began after it and answers it.
  sync_id uuid,
  done_at timestamptz,
  primary key (company_id, id),
  unique (company_id, app_id, key)
);
create index platform_event_old on platform_event (company_id, received_at);
create index platform_event_open on platform_event (company_id, id) where done_at is null;
alter table platform_event enable row level security;
alter table platform_event force row level security;
create policy one_company on platform_event using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- One reading of a platform's directory: page by page into platform_sync_item, compared, and then carried out. `cursor`: what is read next;
-- `revision`: two who go on with it at once cannot both.
create table platform_sync (
  company_id uuid not null,
  id uuid not null,
  binding_id uuid not null,
  mode text not null check (mode = ANY (ARRAY['full'::text, 'incremental'::text])),
  state text not null check (state = ANY (ARRAY['reading'::text, 'held'::text, 'applying'::text, 'done'::text, 'failed'::text, 'dropped'::text])),
  pause_reason text check (pause_reason = ANY (ARRAY['first'::text, 'many_left'::text])),
  cursor jsonb not null,
  revision integer not null default 0,
  calls integer not null default 0,
  departments integer not null default 0,
  people integer not null default 0,
  counts jsonb not null default '{}',
  error jsonb,
  by_name text not null default '',
  started_at timestamptz not null,
  ended_at timestamptz,
  primary key (company_id, id),
  foreign key (company_id, binding_id) references binding (company_id, id) on delete cascade
);
create unique index platform_sync_alive on platform_sync (company_id, binding_id) where state = ANY (ARRAY['reading'::text, 'held'::text, 'applying'::text]);
create index platform_sync_of on platform_sync (company_id, binding_id, id);
alter table platform_sync enable row level security;
alter table platform_sync force row level security;
create policy one_company on platform_sync using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table platform_sync_item (
  company_id uuid not null,
  sync_id uuid not null,
  kind text not null check (kind = ANY (ARRAY['department'::text, 'person'::text])),
  key text not null,
  details jsonb not null,
  -- Departments in whose lists somebody stood.
  memberships text[] not null default '{}',
  change text check (change = ANY (ARRAY['new'::text, 'changed'::text, 'left'::text, 'back'::text, 'same'::text])),
  fields text[] not null default '{}',
  primary key (company_id, sync_id, kind, key),
  foreign key (company_id, sync_id) references platform_sync (company_id, id) on delete cascade
);
create index platform_sync_item_verdict on platform_sync_item (company_id, sync_id, change, key) where kind = 'person'::text;
alter table platform_sync_item enable row level security;
alter table platform_sync_item force row level security;
create policy one_company on platform_sync_item using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- The directory as it was last agreed upon. Outlives a binding: who binds the same company again finds its links.
create table platform_department (
  company_id uuid not null references company (id),
  id uuid not null,
  provider text not null,
  corp_id text not null,
  key text not null,
  parent_key text,
  name text not null default '',
  position integer not null default 0,
  leader_keys text[] not null default '{}',
  -- Of ours; one that was deleted here meanwhile is found again, or made again, by the next reading.
  department_id uuid,
  removed_at timestamptz,
  sort double precision,
  sort_at timestamptz,
  primary key (company_id, id),
  unique (company_id, provider, corp_id, key)
);
-- Owner: binding. What the platform said of a department's place among its siblings (smaller first), and when: where only a call for one department tells, a
-- few are asked after at a time, the longest ago first.
create index platform_department_ours on platform_department (company_id, department_id);
alter table platform_department enable row level security;
alter table platform_department force row level security;
create policy one_company on platform_department using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table platform_user (
  company_id uuid not null references company (id),
  id uuid not null,
  provider text not null,
  corp_id text not null,
  user_id text not null,
  -- As said there; '' where the platform does not tell. Proves nothing about anybody.
  name text not null default '',
  mobile text not null default '',
  employee_no text not null default '',
  details jsonb not null,
  removed_at timestamptz,
  -- Who he is here, and on what grounds: signed in by himself, said by an administrator, or name and number alike.
  member_id uuid,
  linked_by text check (linked_by = ANY (ARRAY['proved'::text, 'chosen'::text, 'matched'::text])),
  -- What the rules make of him while he is linked to nobody.
  match_status text not null default 'new' check (match_status = ANY (ARRAY['same'::text, 'conflict'::text, 'suggested'::text, 'new'::text, 'ignored'::text])),
  match_reason text,
  candidates uuid[] not null default '{}',
  primary key (company_id, id),
  unique (company_id, provider, corp_id, user_id),
  constraint platform_user_why_check check (match_reason = ANY (ARRAY['number'::text, 'phone'::text, 'two'::text, 'duplicate'::text, 'department'::text, 'name'::text, 'search'::text]))
);
-- Owner: binding. A platform that hides names has named somebody when it was asked who is called as a person of the roster.
create unique index platform_user_member on platform_user (company_id, provider, corp_id, member_id) where member_id is not null;
create index platform_user_standing on platform_user (company_id, match_status, id);
alter table platform_user enable row level security;
alter table platform_user force row level security;
create policy one_company on platform_user using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- ====================================================================================================
-- Income tax and social insurance
-- ====================================================================================================

create table insurance_scheme (
  company_id uuid not null references company (id),
  id uuid not null,
  city text not null,
  -- Months as 2026-07, both included; null: no end is known.
  valid_from text not null check (valid_from ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'::text),
  valid_to text,
  version integer not null,
  document text not null,
  -- Rates, bounds and rounding, an item each.
  items jsonb not null,
  -- The last month of a locked period that was reckoned with it: from then on it is not changed, only replaced.
  used_through text,
  -- By a newer version of the same months.
  replaced_by uuid,
  changed_at timestamptz not null,
  by_name text not null,
  primary key (company_id, id),
  constraint insurance_scheme_check check (valid_to ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'::text AND valid_to >= valid_from),
  foreign key (company_id, replaced_by) references insurance_scheme (company_id, id) deferrable initially deferred
);
create index insurance_scheme_now on insurance_scheme (company_id, city, valid_from) where replaced_by is null;
alter table insurance_scheme enable row level security;
alter table insurance_scheme force row level security;
create policy one_company on insurance_scheme using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table member_insurance (
  company_id uuid not null,
  member_id uuid not null,
  version integer not null,
  -- Sealed: by the month from which each holds: city, bases, rates, what he is not enrolled in.
  details bytea not null,
  changed_at timestamptz not null,
  primary key (company_id, member_id),
  foreign key (company_id, member_id) references member (company_id, id) on delete cascade
);
alter table member_insurance enable row level security;
alter table member_insurance force row level security;
create policy one_company on member_insurance using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Owner: tax. What people may deduct beside their wages, and the bases of their insurance: sealed like pay. Schemes of insurance are a city's public
-- figures. `version`: whoever saves says which one he has seen.
create table member_deduction (
  company_id uuid not null,
  member_id uuid not null,
  version integer not null,
  -- Sealed: kinds, months, shares, and for which year they were confirmed.
  details bytea not null,
  changed_at timestamptz not null,
  primary key (company_id, member_id),
  foreign key (company_id, member_id) references member (company_id, id) on delete cascade
);
alter table member_deduction enable row level security;
alter table member_deduction force row level security;
create policy one_company on member_deduction using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Owner: tax. A month of withholding of a company. `sources`: pay runs that were taken, ids and counts only. `run_id`: one computing; people who bear
-- it are done, so that it goes on where it was stopped or broke off. `locks`: how often it was locked; `based_on`: the earlier months of the year by
-- their `locks` when it was computed, so that it is known when one of them says something else since then.
create table tax_period (
  company_id uuid not null references company (id),
  id uuid not null,
  month text not null check (month ~ '^20[0-9]{2}-(0[1-9]|1[0-2])$'::text),
  status text not null check (status = ANY (ARRAY['draft'::text, 'computing'::text, 'stopped'::text, 'computed'::text, 'locked'::text])),
  run_id uuid,
  locks integer not null default 0,
  based_on jsonb not null default '{}',
  sources jsonb not null default '[]',
  -- Sealed: what the month came to.
  totals bytea,
  created_at timestamptz not null,
  computed_at timestamptz,
  locked_at timestamptz,
  locked_by text,
  primary key (company_id, id),
  unique (company_id, month)
);
alter table tax_period enable row level security;
alter table tax_period force row level security;
create policy one_company on tax_period using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- One person in it. Sealed: what went in, and what came out.
create table tax_income (
  company_id uuid not null,
  id uuid not null,
  period_id uuid not null,
  member_id uuid not null,
  income bytea not null,
  result bytea,
  run_id uuid,
  primary key (company_id, id),
  unique (company_id, period_id, member_id),
  foreign key (company_id, member_id) references member (company_id, id) on delete cascade,
  foreign key (company_id, period_id) references tax_period (company_id, id) on delete cascade
);
create index tax_income_member on tax_income (company_id, member_id);
alter table tax_income enable row level security;
alter table tax_income force row level security;
create policy one_company on tax_income using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- What is said of a person for a whole tax year. Sealed.
create table tax_year (
  company_id uuid not null,
  id uuid not null,
  member_id uuid not null,
  year integer not null,
  details bytea not null,
  primary key (company_id, id),
  unique (company_id, member_id, year),
  foreign key (company_id, member_id) references member (company_id, id) on delete cascade
);
alter table tax_year enable row level security;
alter table tax_year force row level security;
create policy one_company on tax_year using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Who began, locked and opened a month, and why: written, never changed.
create table tax_period_event (
  company_id uuid not null,
  id uuid not null,
  period_id uuid not null,
  at timestamptz not null,
  kind text not null check (kind = ANY (ARRAY['created'::text, 'locked'::text, 'reopened'::text])),
  by_name text not null,
  account_id uuid,
  -- Sealed.
  reason bytea,
  primary key (company_id, id),
  foreign key (company_id, period_id) references tax_period (company_id, id) on delete cascade
);
create index tax_period_event_of on tax_period_event (company_id, period_id, id);
alter table tax_period_event enable row level security;
alter table tax_period_event force row level security;
create policy one_company on tax_period_event using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- ====================================================================================================
-- Reports
-- ====================================================================================================

-- Owner: chart. What the slips of a batch came to, person by person and part by part, sealed; `stamp` says of which slips, in which versions:
-- another one means that it is made anew.
create table chart_figures (
  company_id uuid not null,
  batch_id uuid not null,
  stamp text not null,
  -- Sealed.
  figures bytea not null,
  primary key (company_id, batch_id),
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade
);
-- Owner: chart. Sealed is as if by chance: trying to make it smaller only takes time.
alter table chart_figures alter column figures set storage external;
alter table chart_figures enable row level security;
alter table chart_figures force row level security;
create policy one_company on chart_figures using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Owner: chart. Into which groups the people of a month were divided when somebody was first told sums of it who may not open slips, sealed: whoever is
-- moved to another department later stays where he was counted, or two sums of before and after would be his pay.
create table chart_groups (
  company_id uuid not null references company (id),
  month text not null,
  -- Sealed.
  groups bytea not null,
  primary key (company_id, month)
);
alter table chart_groups enable row level security;
alter table chart_groups force row level security;
create policy one_company on chart_groups using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- A year that somebody asked for as a sheet. As whom he asked: what he may see then and now decides whether he gets it.
create table chart_export (
  company_id uuid not null references company (id),
  id uuid not null,
  account_id uuid not null,
  admin_id uuid not null,
  year integer not null,
  power text[] not null,
  scope_all boolean not null,
  scope_ids uuid[] not null,
  -- The pay runs that are in the file, once it is made.
  batch_ids uuid[] not null default '{}',
  progress integer not null default 0,
  file_id uuid,
  failed text,
  created_at timestamptz not null,
  primary key (company_id, id)
);
create index chart_export_asked on chart_export (company_id, account_id, created_at);
create index chart_export_file on chart_export (company_id, file_id);
alter table chart_export enable row level security;
alter table chart_export force row level security;
create policy one_company on chart_export using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- ====================================================================================================
-- Orders, payments, prepaid balances and invoices
-- ====================================================================================================

-- Owner: company. What is asked for products from a day on, and what is told to everybody. Everybody may read both; operators write them.
create table price (
  id uuid primary key,
  product_id text not null,
  price_fen bigint not null check (price_fen > 0),
  from_at timestamptz not null,
  by_name text not null
);
create index price_of on price (product_id, from_at desc);
comment on table price is 'outside: what products cost here, for all companies alike';

-- Owner: order. What a company buys. Prices are of the moment of the order, in fen.
create table pay_order (
  company_id uuid not null references company (id),
  id uuid not null,
  order_no text not null,
  product_id text not null,
  product_name text not null,
  count integer not null check (count >= 1 AND count <= 1000),
  amount_fen bigint not null check (amount_fen > 0),
  pay_type text not null check (pay_type = ANY (ARRAY['alipay'::text, 'wechat'::text, 'transfer'::text])),
  status text not null check (status = ANY (ARRAY['waiting'::text, 'paid'::text, 'closed'::text, 'refunded'::text])),
  -- What the provider shows to be scanned.
  code_url text,
  by_name text not null,
  account_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  paid_at timestamptz,
  closed_at timestamptz,
  refunded_at timestamptz,
  refunded_fen bigint not null default 0,
  -- Of a change of edition: from which product, and the end that both have.
  change_from text,
  change_until timestamptz,
  primary key (company_id, id),
  unique (company_id, order_no),
  constraint pay_order_refunded check (refunded_fen >= 0 AND refunded_fen <= amount_fen)
);
create index pay_order_newest on pay_order (company_id, created_at desc, id desc);
alter table pay_order enable row level security;
alter table pay_order force row level security;
create policy one_company on pay_order using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);
create policy operator on pay_order for select using (current_setting('app.operator'::text, true) = 'yes'::text);

-- A notice names an order and no company.
create table order_lookup (
  order_no text primary key,
  company_id uuid not null
);
comment on table order_lookup is 'outside: a notice of a provider names the order, before the company is known';

-- Money that came in, once for each transaction of a provider. `excess`: nothing was bought for it, and it goes back.
create table payment (
  company_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  provider text not null check (provider = ANY (ARRAY['alipay'::text, 'wechat'::text, 'transfer'::text])),
  transaction_id text not null,
  amount_fen bigint not null check (amount_fen > 0),
  state text not null check (state = ANY (ARRAY['credited'::text, 'excess'::text, 'refunded'::text])),
  paid_at timestamptz not null,
  refunded_at timestamptz,
  primary key (company_id, id),
  unique (company_id, provider, transaction_id),
  foreign key (company_id, order_id) references pay_order (company_id, id)
);
create index payment_of on payment (company_id, order_id);
alter table payment enable row level security;
alter table payment force row level security;
create policy one_company on payment using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);
create policy operator on payment for select using (current_setting('app.operator'::text, true) = 'yes'::text);

-- Owner: company. Money of a credited order that goes back, by the hand of whoever runs the server: in part, several times, or all of it.
create table refund (
  company_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  payment_id uuid not null,
  amount_fen bigint not null check (amount_fen > 0),
  -- Pieces that were taken back for it.
  quantity integer not null check (quantity >= 0),
  reason text not null,
  -- Of a transfer: the bank's number.
  reference text not null,
  by_name text not null,
  requested_at timestamptz not null,
  done_at timestamptz,
  primary key (company_id, id),
  foreign key (company_id, order_id) references pay_order (company_id, id),
  foreign key (company_id, payment_id) references payment (company_id, id)
);
create index refund_of on refund (company_id, order_id);
alter table refund enable row level security;
alter table refund force row level security;
create policy one_company on refund using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);
create policy operator on refund for select using (current_setting('app.operator'::text, true) = 'yes'::text);

-- Owner: company. A provider's own statement of a day, laid beside what stands here. Of no company: it is for whoever runs the server.
create table payment_statement (
  provider text not null check (provider = ANY (ARRAY['alipay'::text, 'wechat'::text])),
  day text not null check (day ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'::text),
  -- Lines of money in and of money back, with their sums in fen.
  paid_count integer not null,
  paid_fen bigint not null,
  refunded_count integer not null,
  refunded_fen bigint not null,
  -- Payments that only the statement knew, and that were settled by it.
  discrepancy_count integer not null,
  -- [{kind, order_no, transaction_id, ours_fen, theirs_fen}]: what differs still.
  differences jsonb not null,
  compared_at timestamptz not null,
  primary key (provider, day)
);
comment on table payment_statement is 'outside: what providers say of a day, of all companies';

-- Owner: company. What a company has paid for beforehand, as a double-entry ledger in whole pieces. A move takes from one side what it gives to another, so
-- that the entries of each sum to nothing; what stands on `stock` is what the company may still use, and `company.sms_left` is that sum, held at
-- or above zero by the database.
create table prepaid_movement (
  company_id uuid not null references company (id),
  id uuid not null,
  resource text not null check (resource = 'sms'::text),
  kind text not null check (kind = ANY (ARRAY['opening'::text, 'given'::text, 'bought'::text, 'used'::text, 'unused'::text, 'returned'::text])),
  count integer not null check (count > 0),
  -- The occasion: the same one moves only once.
  reason text not null,
  ref uuid not null,
  by_name text not null default '',
  account_id uuid,
  batch_id uuid,
  order_no text,
  purpose text not null default '',
  created_at timestamptz not null,
  primary key (company_id, id),
  unique (company_id, resource, reason, ref)
);
create index prepaid_movement_newest on prepaid_movement (company_id, resource, created_at desc, id desc);
alter table prepaid_movement enable row level security;
alter table prepaid_movement force row level security;
create policy one_company on prepaid_movement using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table prepaid_entry (
  company_id uuid not null,
  id uuid not null,
  move_id uuid not null,
  side text not null check (side = ANY (ARRAY['stock'::text, 'used'::text, 'seller'::text, 'gift'::text])),
  amount integer not null check (amount <> 0),
  primary key (company_id, id),
  unique (company_id, move_id, side),
  foreign key (company_id, move_id) references prepaid_movement (company_id, id)
);
alter table prepaid_entry enable row level security;
alter table prepaid_entry force row level security;
create policy one_company on prepaid_entry using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table invoice (
  company_id uuid not null references company (id),
  id uuid not null,
  kind text not null check (kind = ANY (ARRAY['normal'::text, 'special'::text])),
  status text not null check (status = ANY (ARRAY['waiting'::text, 'issued'::text, 'returned'::text, 'reversing'::text, 'reversed'::text])),
  title text not null,
  tax_no text not null,
  email text not null,
  amount_fen bigint not null check (amount_fen > 0),
  created_at timestamptz not null,
  issued_at timestamptz,
  number text not null default '',
  red_number text not null default '',
  reason text not null default '',
  settled_at timestamptz,
  primary key (company_id, id)
);
-- An invoice: applied for, issued with its number and file, returned with a reason, to be reversed because money went back, reversed by a red one.
alter table invoice enable row level security;
alter table invoice force row level security;
create policy one_company on invoice using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);
create policy operator on invoice for select using (current_setting('app.operator'::text, true) = 'yes'::text);

create table invoice_order (
  company_id uuid not null,
  id uuid not null,
  invoice_id uuid not null,
  order_id uuid not null,
  -- Nothing is invoiced twice; what was returned or reversed may be applied for again.
  is_active boolean not null default true,
  primary key (company_id, id),
  foreign key (company_id, invoice_id) references invoice (company_id, id) on delete cascade,
  foreign key (company_id, order_id) references pay_order (company_id, id)
);
create index invoice_order_of on invoice_order (company_id, invoice_id);
create unique index invoice_order_once on invoice_order (company_id, order_id) where is_active;
alter table invoice_order enable row level security;
alter table invoice_order force row level security;
create policy one_company on invoice_order using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);
create policy operator on invoice_order for select using (current_setting('app.operator'::text, true) = 'yes'::text);

-- The file of an invoice, sealed with the installation's key: operators, who have no company's key, put it here.
create table invoice_file (
  company_id uuid not null,
  id uuid not null,
  invoice_id uuid not null,
  is_reversal boolean not null,
  name text not null,
  sealed bytea not null,
  created_at timestamptz not null,
  primary key (company_id, id),
  unique (company_id, invoice_id, is_reversal),
  foreign key (company_id, invoice_id) references invoice (company_id, id)
);
alter table invoice_file enable row level security;
alter table invoice_file force row level security;
create policy one_company on invoice_file using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- ====================================================================================================
-- Webhooks
-- ====================================================================================================

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
  status text not null default 'active' check (status = ANY (ARRAY['active'::text, 'paused'::text, 'gone'::text])),
  -- Since when nothing has been taken any more.
  failing_since timestamptz,
  created_at timestamptz not null,
  -- Whoever tells this address holds it until then: one turn at a time each, so that a slow one keeps no other waiting.
  leased_until timestamptz,
  primary key (company_id, id)
);
alter table webhook enable row level security;
alter table webhook force row level security;
create policy one_company on webhook using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

create table webhook_event (
  company_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  event text not null,
  -- Null: a trial of the address.
  salary_id uuid,
  batch_id uuid,
  at timestamptz not null,
  status text not null default 'waiting' check (status = ANY (ARRAY['waiting'::text, 'leased'::text, 'taken'::text, 'failed'::text])),
  attempts integer not null default 0,
  due_at timestamptz not null,
  lease_until timestamptz,
  -- What came back: a status of HTTP, or a word for why nothing did.
  response text,
  done_at timestamptz,
  primary key (company_id, id),
  foreign key (company_id, webhook_id) references webhook (company_id, id) on delete cascade
);
create index webhook_event_due on webhook_event (due_at) where status = ANY (ARRAY['waiting'::text, 'leased'::text]);
create index webhook_event_of on webhook_event (company_id, webhook_id, at desc);
alter table webhook_event enable row level security;
alter table webhook_event force row level security;
create policy machine on webhook_event for select using (current_setting('app.machine'::text, true) = 'yes'::text);
create policy one_company on webhook_event using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- ====================================================================================================
-- The operator of the installation
-- ====================================================================================================

create table announcement (
  id uuid primary key,
  kind text not null,
  title text not null,
  summary text not null,
  paragraphs text[] not null,
  published_at timestamptz not null,
  withdrawn_at timestamptz,
  by_name text not null
);
create index announcement_newest on announcement (published_at desc, id desc);
comment on table announcement is 'outside: what whoever runs the server tells all companies';

-- Owner: runtime. Whoever runs the server: an account kind of its own, in no company, with sessions and a log of its own. These rows are seen by a transaction of
-- that kind only (app.operator), and such a transaction sees of companies what follows below, and nothing else.
create table operator (
  id uuid primary key,
  name text not null unique,
  password_hash text not null,
  -- Sealed; asked for at every sign-in. `ready_at`: since it was shown to be on somebody's phone.
  totp bytea not null,
  totp_step bigint not null default 0,
  made_with bytea not null,
  ready_at timestamptz,
  ended_at timestamptz,
  created_at timestamptz not null
);
-- A key makes one operator: that of the environment, and those by which operators invite others.
create unique index operator_made_with on operator (made_with) where ready_at is not null;
comment on table operator is 'outside: whoever runs the server; seen by a transaction of that kind only';
alter table operator enable row level security;
alter table operator force row level security;
create policy operator on operator using (current_setting('app.operator'::text, true) = 'yes'::text);

create table operator_invite (
  id uuid primary key,
  key_hash bytea not null unique,
  by_id uuid not null references operator (id),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
comment on table operator_invite is 'outside: whoever runs the server; seen by a transaction of that kind only';
alter table operator_invite enable row level security;
alter table operator_invite force row level security;
create policy operator on operator_invite using (current_setting('app.operator'::text, true) = 'yes'::text);

create table operator_session (
  id uuid primary key,
  operator_id uuid not null references operator (id),
  token_hash bytea not null unique,
  cookie_hash bytea not null,
  created_at timestamptz not null,
  last_active_at timestamptz not null,
  ended_at timestamptz
);
create index operator_session_of on operator_session (operator_id) where ended_at is null;
comment on table operator_session is 'outside: whoever runs the server; seen by a transaction of that kind only';
alter table operator_session enable row level security;
alter table operator_session force row level security;
create policy operator on operator_session using (current_setting('app.operator'::text, true) = 'yes'::text);

create table operator_log_entry (
  id uuid primary key,
  at timestamptz not null,
  operator_id uuid,
  name text not null,
  call text not null,
  outcome text not null,
  details jsonb not null,
  address text not null,
  request_id text not null
);
create index operator_log_entry_newest on operator_log_entry (at desc, id desc);
comment on table operator_log_entry is 'outside: whoever runs the server; seen by a transaction of that kind only';
alter table operator_log_entry enable row level security;
alter table operator_log_entry force row level security;
create policy operator on operator_log_entry using (current_setting('app.operator'::text, true) = 'yes'::text);

-- References between tables that name each other.
alter table department add constraint department_company_id_leader_id_fkey foreign key (company_id, leader_id) references member(company_id, id);
alter table wizard add constraint wizard_company_id_batch_id_fkey foreign key (company_id, batch_id) references batch(company_id, id) on delete cascade;

-- Logs, ledgers and receipts are written once: the application may add to them, not change them.
revoke update, delete on audit_log_entry, payslip_change, member_event, tax_period_event, binding_event, prepaid_movement, prepaid_entry, receipt, operator_log_entry from public;
revoke delete on receipt_key from public;
revoke select, update, delete on sign_in_log_entry from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'xinhan_app') then
    revoke update, delete on audit_log_entry, payslip_change, member_event, tax_period_event, binding_event, prepaid_movement, prepaid_entry, receipt, operator_log_entry from xinhan_app;
    revoke delete on receipt_key from xinhan_app;
    revoke select, update, delete on sign_in_log_entry from xinhan_app;
  end if;
end $$;

-- Owner: runtime. A sheet of ten thousand rows arrives at once, in tables that were empty a minute ago. Until autovacuum has counted
-- them the planner takes every table for small and reads all of it where one row is meant. Only a table's owner may have it counted.
create function count_again() returns void language plpgsql security definer set search_path = public as $$
begin
  analyze payslip (company_id, id, batch_id, member_id, status);
  analyze delivery (company_id, id, batch_id, salary_id, status, purpose);
end $$;
comment on function count_again() is 'outside: lets the planner count how rows are spread; reads out and changes nothing';
