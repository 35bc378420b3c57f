-- The schema of Xinhan 0.2 as one file. Later changes are separate migrations, in files beside this one that are
-- named `YYYYMMDDTHHMM_topic.sql`.
--
-- Rules for every table:
-- * A table of a company has the key (company_id, id) and forced row-level security, so that the same schema can be
--   sharded by company. Its policy shows the rows of the company in the setting `app.company` of the transaction. A
--   table that belongs to no company says so in its comment ("outside: …").
-- * Amounts are sealed (bytea) or integer fen. No plain column contains an amount of a payslip.
-- * "Sealed" means encrypted with the key of the company, unless the comment names another key. The key of the
--   installation is derived from the master key.
-- * The application connects as the role xinhan_app, which owns no table. It can add rows to logs and ledgers, but
--   cannot change them.

-- ====================================================================================================
-- Accounts, sessions and sign-in
-- ====================================================================================================

-- Accounts of users. An account exists before the user selects a company. It belongs to one owner of a phone
-- number. When a number passes to another person, the former owner keeps the account without a phone, and the new
-- owner gets a new account of the next generation that starts empty
-- (docs/decisions/20261122-use-phone-owners-for-accounts.md). A phone number shows that a person can be reached,
-- not who the person is.
create table account (
  id uuid primary key,
  mobile text unique check (mobile ~ '^1[0-9]{10}$'::text),
  password_hash text,
  created_at timestamptz not null default now(),
  -- Increased by every change of password or phone number. Sessions of an older epoch end.
  epoch integer not null default 0,
  -- Only displayed. Payslips are matched by the name in the roster.
  display_name text not null default '',
  avatar bytea,
  -- The secret of the second factor, sealed with the key of the installation. `totp_on` is the time from which it
  -- is required; it is null while the second factor is being set up.
  totp bytea,
  totp_on timestamptz,
  -- The last accepted time step. Each code can be used once.
  totp_step bigint not null default 0,
  -- Counts the owners of one phone number, one after the other.
  generation integer not null default 1,
  -- The number that passed to another owner, and when.
  former_mobile text,
  detached_at timestamptz,
  -- When the user last proved their identity by more than the phone number.
  verified_at timestamptz,
  -- The last sign-in. A number that has not been used for as long as carriers hold numbers back may belong to
  -- another person. Null means that the time is unknown and raises no doubt.
  signed_in_at timestamptz
);
create index account_former_mobile on account (former_mobile) where former_mobile is not null;
comment on table account is 'outside: one account may belong to several companies';

-- A browser in which the user has signed in before. Failed password attempts from other browsers do not block
-- attempts from this one.
create table device (
  id uuid primary key,
  account_id uuid not null references account (id) on delete cascade,
  -- SHA-256 of the cookie of this browser. Several users can share a browser.
  secret_hash bytea not null,
  created_at timestamptz not null,
  last_active_at timestamptz not null,
  unique (account_id, secret_hash)
);
comment on table device is 'outside: known before the company is selected';

-- Sessions of signed-in users.
create table session (
  id uuid primary key,
  -- SHA-256 of the two halves of the secret: the header token and the HttpOnly cookie. Both are required.
  token_hash bytea not null unique,
  cookie_hash bytea not null,
  account_id uuid not null references account (id) on delete cascade,
  company_id uuid,
  epoch integer not null,
  device text not null default '',
  created_at timestamptz not null,
  last_active_at timestamptz not null,
  expires_at timestamptz not null,
  -- Payslips that require a view password can be read until this time.
  view_until timestamptz,
  -- Why the session ended early: signed_out, password, left, transferred.
  ended text,
  -- The user signed in through the chat platform of a company, whose administrators decide who is who there. The
  -- session therefore opens that company only.
  sole boolean not null default false,
  -- The idle timeout in seconds. It depends on the role of the user in the company.
  idle_s integer not null default 1800,
  address text not null default '',
  -- The agency of a user who serves this company for an agency.
  agency_id uuid
);
create index session_account on session (account_id);
-- A new sign-in in the same browser ends the older session.
create index session_cookie on session (cookie_hash);
comment on table session is 'outside: read before the company is known';

-- Recovery codes, ten per account, for signing in without the phone. Each code can be used once.
create table recovery_code (
  account_id uuid not null references account (id) on delete cascade,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (account_id, code_hash)
);
comment on table recovery_code is 'outside: belongs to a person, not to a company';

-- Codes sent by SMS. Two different codes that were sent within one day and not used prove possession of the phone
-- when they are entered together (docs/decisions/20261122-use-codes-sent-to-the-phone-as-proof.md).
create table challenge (
  id uuid primary key,
  mobile text not null,
  purpose text not null,
  code_hash bytea not null,
  attempts integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- A code, and the token it is exchanged for, are valid only in the browser that requested them.
  browser_hash bytea,
  -- When the code was sent. Null when nothing was sent, or once the code was used. `pair` marks a challenge that
  -- requires two such codes.
  sent_at timestamptz,
  pair boolean not null default false
);
create index challenge_mobile on challenge (mobile, created_at);
comment on table challenge is 'outside: codes sent by SMS belong to a phone, not to a company';

-- Tokens issued for a verified code. The next request presents the token as proof.
create table grant_token (
  token_hash bytea primary key,
  mobile text not null,
  purpose text not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  browser_hash bytea,
  -- The account, if it is known. For a sign-in that waits for its second factor, also the epoch and the company.
  account_id uuid references account (id) on delete cascade,
  epoch integer,
  company_id uuid
);
comment on table grant_token is 'outside: issued for a verified code, before the company is known';

-- Tokens of platform users who signed in but are not linked to an account yet.
create table binding_token (
  token_hash bytea primary key,
  provider text not null,
  corp_id text not null,
  user_id text not null,
  -- The row of platform_app through which the user signed in.
  app_id uuid not null,
  -- The phone number that a code has proven. Only the password of its account is still missing.
  mobile text,
  browser_hash bytea not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
comment on table binding_token is 'outside: a platform user who is not linked to an account yet';

-- States of platform sign-ins that have returned, so that each response is accepted once. The state itself is
-- signed, so that opening the sign-in page stores no row.
create table login_state (
  state_hash bytea primary key,
  expires_at timestamptz not null
);
create index login_state_over on login_state (expires_at);
comment on table login_state is 'outside: each response of a platform is accepted once, before the company is known';

-- Counts attempts for rate limits. Each attempt has its own time, so that a limit applies to any period of that
-- length and not to the hours of the clock.
create table attempt (
  key text not null,
  at timestamptz not null,
  count integer not null default 0,
  primary key (key, at)
);
comment on table attempt is 'outside: rate limits by phone and address, shared by all servers';

-- The log of sign-ins, failed sign-ins, sign-outs, selected companies and changed credentials. An entry often
-- belongs to no company, because the user is unknown or is in several. The application can add entries, but can
-- neither read nor change them.
create table sign_in_log_entry (
  id uuid primary key,
  at timestamptz not null,
  call text not null,
  -- `done`, or the error code.
  outcome text not null,
  account_id uuid,
  company_id uuid,
  -- A keyed hash of the phone number that was entered. It finds attempts for a known number without storing numbers
  -- of strangers.
  phone_mac bytea,
  details jsonb not null default '{}',
  address text not null default '',
  device text not null default '',
  request_id text not null default ''
);
create index sign_in_log_entry_account on sign_in_log_entry (account_id, at);
create index sign_in_log_entry_at on sign_in_log_entry (at);
create index sign_in_log_entry_phone on sign_in_log_entry (phone_mac, at);
comment on table sign_in_log_entry is 'outside: a sign-in may belong to no company; append-only';

-- Tickets for downloads. A download is a browser navigation and cannot send the headers of a session.
create table download_ticket (
  token_hash bytea primary key,
  company_id uuid not null,
  file_id uuid not null,
  account_id uuid not null,
  session_id uuid not null,
  expires_at timestamptz not null
);
comment on table download_ticket is 'outside: a download is a navigation, which names no company';

-- A sealed known value that is opened at start, to check that the master key matches this database.
create table master_key_check (
  id integer default 1 primary key check (id = 1),
  sealed bytea not null
);
comment on table master_key_check is 'outside: checks at start that the master key matches this database';

-- ====================================================================================================
-- Companies, departments, members and administrators
-- ====================================================================================================

-- Companies. The row's own id is the id of the company.
create table company (
  id uuid primary key,
  name text not null,
  corp_role smallint not null default 10 check (corp_role = ANY (ARRAY[10, 20])),
  edition smallint not null default 50 check (edition = ANY (ARRAY[50, 53, 60])),
  edition_until timestamptz,
  corp_origin smallint not null default 0,
  provider text check (provider = ANY (ARRAY['lark'::text, 'wecom'::text, 'dingtalk'::text])),
  sms_left integer not null default 0 check (sms_left >= 0),
  -- Settings for payslips (contract: setting). They contain no values of employees.
  setting jsonb not null default '{}',
  created_at timestamptz not null default now(),
  trial_until timestamptz,
  -- The join code (QR) is derived from the key of the company, this number and the month, so it is not stored.
  -- Increasing the number invalidates the previous code.
  join_generation integer not null default 0,
  -- The logo in the header, a small PNG that the server has re-encoded. Null shows the logo of the product.
  logo bytea,
  -- Sealed: the company profile (tax number, address, contact). The name has its own column because messages need
  -- it.
  info bytea,
  -- Increased by every change of `info`, so that an administrator cannot overwrite a change they have not seen.
  info_revision integer not null default 0
);
comment on table company is 'the company itself; its id is the company id';
alter table company enable row level security;
alter table company force row level security;
create policy machine on company for select using (current_setting('app.machine'::text, true) = 'yes'::text);
create policy one_company on company using (id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);
create policy operator on company for select using (current_setting('app.operator'::text, true) = 'yes'::text);
create policy own_companies on company for select using (id = ANY (string_to_array(NULLIF(current_setting('app.companies'::text, true), ''::text), ','::text)::uuid[]));

-- Data keys of companies.
create table company_key (
  company_id uuid not null references company (id),
  id integer not null,
  -- The data key of the company, wrapped by the master key.
  wrapped bytea not null,
  created_at timestamptz not null default now(),
  primary key (company_id, id)
);
alter table company_key enable row level security;
alter table company_key force row level security;
create policy one_company on company_key using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Departments. `leader_id` is the member who leads the department.
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
create index department_leader on department (company_id, leader_id) where leader_id is not null;
create index department_parent on department (parent_id, company_id);
alter table department enable row level security;
alter table department force row level security;
create policy one_company on department using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Deleted departments and the department into which their members were merged. A scope that was stored with a
-- deleted department (for example `batch.scope_ids`) then follows the merge, so that its records do not become
-- visible to every administrator.
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

-- The roster: one row per member of a company. A phone number that another person entered for an existing member
-- shows no payslips, old or new, until the member or a second administrator has confirmed it.
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
  -- Sealed: one document with the identity card number and the bank account. `id_card_index` is a keyed hash for
  -- matching.
  private bytea,
  id_card_index bytea,
  created_at timestamptz not null default now(),
  left_at timestamptz,
  unconfirmed_at timestamptz,
  unconfirmed_by uuid,
  -- The previous phone number and account, by which the member can confirm the new number. For a terminated member,
  -- the account they had.
  former_mobile text,
  former_account uuid references account (id),
  -- A keyed hash of the bank account in `private`, for matching with a column of a wage sheet.
  bank_account_index bytea,
  -- The last working day of a terminated member. Null means the day on which the status was changed (`left_at`).
  left_on date,
  -- The name in pinyin, for searches with Latin letters. It is written with the name; a job fills it in where it is
  -- null.
  name_pinyin text,
  -- The mail address. Empty when it is unknown.
  email text not null default '',
  primary key (company_id, id)
);
create index member_account on member (account_id) where account_id is not null;
create index member_any_mobile on member (mobile);
create index member_former_account on member (former_account) where former_account is not null;
create unique index member_mobile on member (company_id, mobile) where status <> 'left'::text and mobile <> ''::text;
create index member_not_spelled on member (company_id) where name_pinyin is null;
-- An account has at most one active row in a roster, whatever phone numbers it had.
create unique index member_one_account on member (company_id, account_id) where status <> 'left'::text and account_id is not null;
alter table member enable row level security;
alter table member force row level security;
create policy one_company on member using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);
create policy own_rows on member for select using (account_id = NULLIF(current_setting('app.account'::text, true), ''::text)::uuid OR former_account = NULLIF(current_setting('app.account'::text, true), ''::text)::uuid OR mobile = NULLIF(current_setting('app.mobile'::text, true), ''::text));

-- Departments of members. The pair is the key, because no query uses an id of its own.
create table member_department (
  company_id uuid not null,
  member_id uuid not null,
  department_id uuid not null,
  primary key (company_id, member_id, department_id),
  foreign key (company_id, department_id) references department (company_id, id),
  foreign key (company_id, member_id) references member (company_id, id) on delete cascade
);
create index member_department_of on member_department (company_id, department_id);
alter table member_department enable row level security;
alter table member_department force row level security;
create policy one_company on member_department using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- The history of a member: changes to the roster and access to sealed data, such as the identity card, deductions
-- and insurance bases. Rows are never changed. They are deleted with the member when the import that added the
-- member is undone.
create table member_event (
  company_id uuid not null,
  id uuid not null,
  member_id uuid not null,
  at timestamptz not null,
  kind text not null check (kind = ANY (ARRAY['changed'::text, 'left'::text, 'looked'::text, 'looked_tax'::text, 'undone'::text])),
  by_name text not null,
  account_id uuid,
  -- Sealed: the changed fields with old and new values. For an identity card number, only that it changed.
  detail bytea,
  primary key (company_id, id),
  foreign key (company_id, member_id) references member (company_id, id) on delete cascade
);
create index member_event_of on member_event (company_id, member_id, id);
alter table member_event enable row level security;
alter table member_event force row level security;
create policy one_company on member_event using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Requests of persons who scanned the join code and are not in the roster. An administrator accepts or refuses
-- them; then the row is deleted, and the audit log contains the decision.
create table join_request (
  company_id uuid not null references company (id),
  id uuid not null,
  name text not null,
  -- Proven by an SMS code.
  mobile text not null,
  created_at timestamptz not null,
  primary key (company_id, id),
  unique (company_id, mobile)
);
alter table join_request enable row level security;
alter table join_request force row level security;
create policy one_company on join_request using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Administrators with their powers and scope.
create table admin (
  company_id uuid not null,
  id uuid not null,
  member_id uuid not null,
  account_id uuid not null references account (id),
  power text[] not null check (power <@ ARRAY['1'::text, '2'::text, '3'::text, '4'::text]),
  scope_all boolean not null default false,
  created_at timestamptz not null default now(),
  -- When the administrator dismissed the notice about the trial.
  trial_closed_at timestamptz,
  -- An administrator who serves this company for an agency, and the last day of the service. The row is open only
  -- to sessions of that agency.
  agency_id uuid,
  serves_until date,
  -- Hints that the administrator has dismissed.
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

-- Departments in the scope of an administrator.
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

-- Notifications for administrators. `text` is sealed.
create table notification (
  company_id uuid not null,
  id uuid not null,
  admin_id uuid not null,
  kind text not null,
  text bytea not null,
  batch_id uuid,
  created_at timestamptz not null default now(),
  read_at timestamptz,
  -- When the administrator last saw the list that contains the notification. The badge then disappears, while an
  -- unread notification stays marked.
  viewed_at timestamptz,
  -- When the notification was sent by chat or mail, or when it was decided that this is not necessary. Null means
  -- that it still waits.
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

-- Channels that an administrator selected for a kind of notification. Without a row the default of the kind
-- applies.
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

-- The unfinished wizard of an administrator, at most one each.
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

-- Companies that an agency serves or asked to serve, under the name that was entered, whether or not such a company
-- exists. A served company may be in another shard, so no foreign key refers to it.
create table agency_link (
  company_id uuid not null references company (id),
  id uuid not null,
  served_company_id uuid,
  served_name text not null,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  unique (company_id, served_company_id)
);
alter table agency_link enable row level security;
alter table agency_link force row level security;
create policy one_company on agency_link using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Agencies that asked to serve this company, serve it or served it. There is one row per agency, and a new request
-- reuses it. `until` is the last day of the service.
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

-- Requests that a second administrator or the employee decides. `reason` is sealed.
create table approval (
  company_id uuid not null references company (id),
  id uuid not null,
  -- Contains 128 random bits, so that numbers of other requests cannot be guessed.
  approval_no text not null,
  kind text not null check (kind = ANY (ARRAY['wage_transfer'::text, 'unbind'::text, 'join_agency'::text, 'send'::text, 'phone'::text])),
  applicant_id uuid not null,
  -- For a transfer: the administrator who hands over, and the member who takes over.
  admin_id uuid,
  member_id uuid,
  -- The account of that member at the time of the request. The phone number of the member may change while the
  -- request waits.
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
-- An applicant has at most one open request of a kind.
create unique index approval_open on approval (company_id, applicant_id, kind) where status = 0 and (kind <> ALL (ARRAY['phone'::text, 'send'::text]));
create unique index approval_open_phone on approval (company_id, member_id) where status = 0 and kind = 'phone'::text;
alter table approval enable row level security;
alter table approval force row level security;
create policy one_company on approval using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- The audit log of a company.
create table audit_log_entry (
  company_id uuid not null references company (id),
  id uuid not null,
  at timestamptz not null,
  account_id uuid,
  name text not null default '',
  call text not null,
  -- `done`, or the error code.
  outcome text not null,
  -- Ids and counts, never values.
  details jsonb not null default '{}',
  address text not null default '',
  request_id text not null default '',
  -- The payslip, batch or member that the entry is about. It answers which administrators opened the data of an
  -- employee. It is a stored column because an index on the jsonb expression cannot be used behind row-level
  -- security (`->>` is not leakproof).
  subject_id text generated always as (COALESCE((details ->> 'salary_id'::text), (details ->> 'batch_id'::text), (details ->> 'member_id'::text), (details ->> 'id'::text))) stored,
  primary key (company_id, id)
);
create index audit_at on audit_log_entry (company_id, at);
create index audit_log_entry_of on audit_log_entry (company_id, subject_id);
alter table audit_log_entry enable row level security;
alter table audit_log_entry force row level security;
create policy one_company on audit_log_entry using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Responses of requests with an idempotency key. A repeated request gets the stored response.
create table idempotency_key (
  company_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  call text not null,
  key text not null,
  body_hash bytea not null,
  -- Sealed, because a response may contain values of a wage sheet.
  response bytea,
  created_at timestamptz not null default now(),
  primary key (company_id, id),
  unique (company_id, account_id, call, key)
);
alter table idempotency_key enable row level security;
alter table idempotency_key force row level security;
create policy one_company on idempotency_key using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Suggestions that administrators sent about the product.
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

-- Stored files: uploads and generated files. `name` is sealed.
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
  -- The record from which the file was generated. A user who may no longer see that record may no longer download
  -- the file.
  subject_id uuid,
  primary key (company_id, id)
);
alter table file enable row level security;
alter table file force row level security;
create policy one_company on file using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- The sealed content of files, in chunks.
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

-- Imports of rosters: reading, planning, applying, and for one day the data needed to undo the import.
-- `leased_until` is the lease of the worker that processes the import.
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
  -- Sealed: the rows that were read, the answers of the administrator, the change planned for each row, and the
  -- previous values.
  read bytea,
  answers bytea,
  plan bytea,
  undo bytea,
  summary text,
  -- Contains counts only.
  result jsonb,
  created_at timestamptz not null,
  applied_at timestamptz,
  -- Sealed: a summary for progress requests, so that they do not open twenty thousand rows.
  info bytea,
  -- Sealed: the sheets of the file that were read, and those that also look like lists of employees.
  sheets bytea,
  primary key (company_id, id),
  constraint member_import_stage_check check (stage = ANY (ARRAY['waiting'::text, 'reading'::text, 'planned'::text, 'applying'::text, 'done'::text, 'undone'::text]))
);
create index member_import_of on member_import (company_id, account_id, created_at);
alter table member_import enable row level security;
alter table member_import force row level security;
create policy one_company on member_import using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Column roles that an administrator assigned to a header. The row contains column letters and roles, and no text
-- of the sheet.
create table roster_mapping (
  company_id uuid not null references company (id),
  id uuid not null,
  -- A keyed hash of the normalised header.
  fingerprint text not null,
  roles jsonb not null,
  used_at timestamptz not null,
  primary key (company_id, id),
  unique (company_id, fingerprint)
);
alter table roster_mapping enable row level security;
alter table roster_mapping force row level security;
create policy one_company on roster_mapping using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Personal invites. The code has 128 random bits and is stored as a hash. It is valid once, for 72 hours and for
-- one phone number. A code names its company, so that it is looked up in that company only.
create table invite (
  company_id uuid not null references company (id),
  id uuid not null,
  code_hash bytea not null,
  -- Sealed. Removed as soon as the message has been sent.
  code bytea,
  channel text not null check (channel = ANY (ARRAY['sms'::text, 'platform'::text])),
  member_id uuid not null,
  -- The phone number of the member at the time of the invite. The invite is not valid for a later number.
  mobile text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- When the page of the invite was first opened. It distinguishes members who did not finish from members who were
  -- not reached.
  opened_at timestamptz,
  primary key (company_id, id),
  unique (company_id, code_hash),
  foreign key (company_id, member_id) references member (company_id, id) on delete cascade
);
create index invite_member on invite (company_id, member_id);
create index invite_of on invite (company_id, member_id, id);
alter table invite enable row level security;
alter table invite force row level security;
create policy one_company on invite using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- ====================================================================================================
-- Wage sheets, payslips, deliveries and feedback
-- ====================================================================================================

-- Pay runs. Titles, file names, templates and reasons are sealed like amounts, because they can reveal pay too
-- (离职补偿, 张三-补发.xlsx). `name_index` is a keyed hash of month and name that makes titles unique.
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
alter table title enable row level security;
alter table title force row level security;
create policy one_company on title using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Pay runs that are shared with other administrators.
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

-- Column mappings and layouts of known kinds of wage sheet. One is stored with every wage sheet; those with a name
-- are templates.
create table template (
  company_id uuid not null references company (id),
  id uuid not null,
  owner_id uuid not null,
  -- Sealed. Null until an administrator names the template.
  name bytea,
  -- A keyed hash of the normalised header.
  fingerprint text not null,
  -- Sealed: labels, column roles, kinds and the formula. Contains header texts and no amounts.
  column_mapping bytea not null,
  layout bytea not null,
  -- The pay run that used the template last.
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

-- Batches: one uploaded wage sheet with its settings and status. `scope_all` and `scope_ids` are the scope of the
-- uploader at the time of the upload. A draft has no payslips that would show whom it concerns, so it is visible as
-- a whole, and only to administrators whose scope includes that scope
-- (docs/decisions/20261122-use-the-uploaders-scope-for-drafts.md). `send_options` contains the selection of step 4
-- (recipients, channels, time, behaviour of payslips) and no amounts; it is null until something is selected. The
-- columns `options_version`, `options_by`, `layout_version` and `layout_by` detect that an administrator saves over
-- a change they have not seen.
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
  -- Sealed: the recognition result (columns, header), with samples and sums.
  recognition bytea not null,
  -- Sealed: {people, gross_fen, tax_fen, net_fen} of the rows that become payslips. Amounts are in fen.
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
  -- The template that was applied or stored.
  template_id uuid,
  -- Sealed: what the layout needs beside the rows of employees (other rows, merged cells, hidden rows).
  sheet_layout bytea not null,
  -- The sealed size of the rows in bytes. A small file can contain many rows, and the storage limit counts what is
  -- stored.
  stored_bytes bigint not null default 0,
  scope_all boolean not null default false,
  scope_ids uuid[] not null default '{}',
  send_options jsonb,
  options_version integer not null default 0,
  options_by uuid,
  layout_version integer not null default 0,
  layout_by uuid,
  -- A confirmed send waits until this time and can be cancelled without cost. Null when a send time was selected.
  undo_until timestamptz,
  primary key (company_id, id),
  foreign key (company_id, file_id) references file (company_id, id),
  foreign key (company_id, owner_id) references admin (company_id, id),
  foreign key (company_id, title_id) references title (company_id, id)
);
create index batch_newest on batch (company_id, created_at desc, id);
create index batch_status on batch (company_id, status);
create index batch_title on batch (company_id, title_id);
alter table batch enable row level security;
alter table batch force row level security;
create policy one_company on batch using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- The cells of a wage sheet, sealed in pages of some hundred rows
-- (docs/decisions/20261126-use-sealed-pages-for-wage-sheet-cells.md).
create table sheet_page (
  company_id uuid not null,
  id uuid not null,
  batch_id uuid not null,
  -- Sealed: the cells of the rows, by row number.
  sealed bytea not null,
  -- The row numbers of this page in ascending order.
  numbers integer[] not null check (cardinality(numbers) > 0),
  primary key (company_id, id),
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade
);
-- Sealed bytes cannot be compressed, so PostgreSQL stores them as they are.
create index sheet_page_batch on sheet_page (company_id, batch_id);
alter table sheet_page alter column sealed set storage external;
alter table sheet_page enable row level security;
alter table sheet_page force row level security;
create policy one_company on sheet_page using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Rows of a wage sheet for which something was decided or corrected. Other rows exist in `sheet_page` only.
create table sheet_row (
  company_id uuid not null,
  id uuid not null,
  batch_id uuid not null,
  row_no integer not null,
  -- Sealed: the cells of a rewritten row. Null when the cells of the page apply.
  cells bytea,
  -- The member that an administrator assigned. Null when the roster decides.
  member_id uuid,
  skipped boolean not null default false,
  -- Accepted warnings, as `kind:column`.
  accepted text[] not null default '{}',
  -- Keys of the cells that were corrected on the page of issues. The downloaded wage sheet contains the corrected
  -- values, and pages distinguish them from the values of the file.
  edited text[] not null default '{}',
  -- Rows of one employee that become one payslip: every row but the first contains the number of the first.
  main_row_no integer,
  primary key (company_id, id),
  unique (company_id, batch_id, row_no),
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade
);
alter table sheet_row enable row level security;
alter table sheet_row force row level security;
create policy one_company on sheet_row using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Sealed: the names in the rows of a batch as one document, written by the first search for a name. Opening every
-- row for each search took seconds with a hundred thousand rows. The document is deleted when cells of a row
-- change.
create table sheet_names (
  company_id uuid not null,
  id uuid not null,
  -- The columns from which the names were read.
  by_columns text not null,
  sealed bytea not null,
  primary key (company_id, id),
  foreign key (company_id, id) references batch (company_id, id) on delete cascade
);
alter table sheet_names enable row level security;
alter table sheet_names force row level security;
create policy one_company on sheet_names using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Sealed: cached results of checks, by administrator (the scope decides the result) and by the digest of all
-- inputs: rows, roster, earlier batches and rules (docs/decisions/20261122-use-a-digest-for-cached-checks.md). A
-- result is stored in parts, so that opening a large one does not block other requests. Deleted rows are computed
-- again.
create table sheet_check (
  company_id uuid not null references company (id),
  id uuid not null,
  batch_id uuid not null,
  admin_id uuid not null,
  -- The digest of all inputs.
  ground text not null,
  part integer not null,
  sealed bytea not null,
  created_at timestamptz not null,
  primary key (company_id, id, part),
  foreign key (company_id, admin_id) references admin (company_id, id) on delete cascade,
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade
);
-- Sealed bytes cannot be compressed, so PostgreSQL stores them as they are.
create index sheet_check_of on sheet_check (company_id, batch_id, admin_id, ground);
alter table sheet_check alter column sealed set storage external;
alter table sheet_check enable row level security;
alter table sheet_check force row level security;
create policy one_company on sheet_check using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Manual corrections of a wage sheet with the previous values. A correction can be undone until the wage sheet is
-- replaced, and stays as evidence afterwards. `changed` is sealed.
create table sheet_edit (
  company_id uuid not null references company (id),
  id uuid not null,
  batch_id uuid not null,
  admin_id uuid,
  kind text not null check (kind = ANY (ARRAY['edit'::text, 'swap'::text])),
  changed bytea not null,
  at timestamptz not null,
  -- The order of corrections within one transaction.
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

-- Uploads and their progress. An upload continues after the page is reloaded or the server restarts: the file waits
-- here until it has become a batch. `leased_until` is the lease of the worker. `batch_id` is the batch whose wage
-- sheet is replaced or, after the upload, the batch that was created. `file_id` has no foreign key, because
-- deleting the file could not set one column of the key (company_id, id) to null; a missing file is detected when
-- it is read. Rows are deleted after one day.
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
create index upload_progress_batch on upload_progress (company_id, batch_id) where batch_id is not null;
alter table upload_progress enable row level security;
alter table upload_progress force row level security;
create policy one_company on upload_progress using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Plans for sending a batch: recipients by channel, SMS segments and time. `spot_checks` contains the rows that an
-- administrator must look at before the send, with the reasons. `approval_id` is the approval that a second
-- administrator decides, if one is required.
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
  -- SHA-256 of the recipients, channels, amounts, layout and time for which the approval was requested.
  digest bytea check (length(digest) = 32),
  -- Sealed: the totals shown to the approver. Null for fewer than three recipients, because a total would reveal
  -- single amounts.
  totals bytea,
  primary key (company_id, id),
  constraint send_plan_check check ((approval_id IS NULL) = (digest IS NULL)),
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade
);
create index send_plan_approval on send_plan (company_id, approval_id) where approval_id is not null;
alter table send_plan enable row level security;
alter table send_plan force row level security;
create policy one_company on send_plan using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Test sends: a payslip that one recipient sees for one day before the batch is sent. It is not a payslip of an
-- employee and is counted nowhere.
create table test_send (
  company_id uuid not null,
  id uuid not null,
  batch_id uuid not null,
  -- The account that requested the test send, and the account that may open it.
  requested_by uuid not null,
  by_name text not null,
  account_id uuid not null,
  -- The recipient in the roster. Null for an administrator who is not in the roster.
  member_id uuid,
  -- The row whose amounts are shown. Null shows sample amounts. Real amounts are sent to the requesting
  -- administrator only.
  row_no integer,
  -- Sealed: the payslip as it would look.
  payslip bytea not null,
  -- The ids of its rows in `message`, and the channels.
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

-- Payslips of employees. Reasons are sealed like the cells, because they can reveal pay.
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
  -- Confirmed by the rule of the company after a number of days, and not by the employee.
  confirmed_auto boolean not null default false,
  signature bytea,
  corrected_at timestamptz,
  withdrawn_at timestamptz,
  withdrawn_reason bytea,
  -- The recipient at the time of the plan: a digest of each identifying attribute. It is compared immediately
  -- before a message is sent.
  identity jsonb,
  -- The history of earlier versions: when each was viewed, confirmed and withdrawn. The other columns describe the
  -- current version. Reasons are sealed.
  past jsonb not null default '[]',
  -- Sealed: the hash of the exact content that was shown when the payslip was confirmed (docs/slip-form.md).
  confirmed_hash bytea,
  -- The earliest due date of its open feedback, for lists and the home page.
  answer_due timestamptz,
  primary key (company_id, id),
  unique (company_id, batch_id, row_no),
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade,
  foreign key (company_id, member_id) references member (company_id, id)
);
-- Payslips with open feedback are few, and every request of the home page counts them.
create index payslip_asking on payslip (company_id, batch_id) where has_feedback;
-- Decides whether a payslip counts as pay, and in which version, without reading its sealed cells.
create index payslip_counted on payslip (company_id, batch_id, row_no, member_id, version, status) include (id);
create index payslip_member on payslip (company_id, member_id);
create index payslip_status on payslip (company_id, batch_id, status);
alter table payslip enable row level security;
alter table payslip force row level security;
create policy one_company on payslip using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Corrections of payslips, one row per changed column. `column_label` and `reason` are sealed.
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

-- The delivery ledger of payslips: one row per message to a recipient. The unique key prevents a second message for
-- the same version, channel and purpose.
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
  -- The message is not sent before this time (backoff, scheduled send).
  due_at timestamptz not null,
  provider_ref text,
  code text,
  message text,
  created_at timestamptz not null default now(),
  done_at timestamptz,
  -- The SMS segments that are charged. Gateways charge a long SMS as several segments.
  segments smallint not null default 1 check (segments > 0),
  -- The status to which the card in the chat of the recipient is to be updated. Null when no update waits.
  card_requested text check (card_requested = ANY (ARRAY['viewed'::text, 'confirmed'::text, 'withdrawn'::text])),
  card_due timestamptz,
  card_attempts smallint not null default 0,
  -- The status that the card shows. `recalled` and `gone` mean that the recipient does not see the card any more.
  card_state text check (card_state = ANY (ARRAY['viewed'::text, 'confirmed'::text, 'withdrawn'::text, 'recalled'::text, 'gone'::text])),
  -- Why the card could not be updated.
  card_failure text check (card_failure = ANY (ARRAY['too_late'::text, 'unsupported'::text, 'refused'::text, 'unclear'::text, 'unbound'::text])),
  -- When the gateway reported that the phone received the message. Null while there is no such report.
  delivered_at timestamptz,
  primary key (company_id, id),
  unique (company_id, salary_id, version, channel, purpose),
  foreign key (company_id, salary_id) references payslip (company_id, id) on delete cascade
);
create index delivery_batch on delivery (company_id, batch_id, purpose, status);
create index delivery_card on delivery (company_id, card_due) where card_requested is not null;
create index delivery_open on delivery (company_id, batch_id, due_at, id) where status = ANY (ARRAY['queued'::text, 'leased'::text]);
-- Counts the messages of a day on the chat platform, before more are sent.
create index delivery_platform_day on delivery (company_id, done_at) where channel = 'platform'::text and done_at is not null;
alter table delivery enable row level security;
alter table delivery force row level security;
create policy one_company on delivery using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- The outbox of messages that have no records of their own: notifications, codes and invites
-- (docs/decisions/20261122-use-one-outbox-for-all-messages.md). Messages of no company have the nil UUID as
-- company_id, so no foreign key refers to company.
create table message (
  company_id uuid not null,
  id uuid not null,
  -- The queue, and the job that processes it.
  kind text not null,
  -- The kind of message.
  purpose text not null,
  subject_id uuid not null,
  channel text not null check (channel = ANY (ARRAY['platform'::text, 'sms'::text, 'email'::text])),
  segments smallint not null default 1 check (segments > 0),
  -- Sealed: the recipient and the content. Removed once no attempt is left.
  letter bytea,
  status text not null default 'queued' check (status = ANY (ARRAY['queued'::text, 'leased'::text, 'accepted'::text, 'failed'::text, 'unknown'::text, 'cancelled'::text])),
  attempts integer not null default 0,
  lease_by uuid,
  lease_until timestamptz,
  due_at timestamptz not null,
  -- The message is not sent after this time.
  expires_at timestamptz,
  provider_ref text,
  code text,
  message text,
  created_at timestamptz not null,
  done_at timestamptz,
  primary key (company_id, id)
);
create index message_open on message (company_id, kind, due_at) where status = ANY (ARRAY['queued'::text, 'leased'::text]);
create index message_platform_day on message (company_id, done_at) where channel = 'platform'::text and done_at is not null;
alter table message enable row level security;
alter table message force row level security;
create policy one_company on message using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Feedback threads of employees about a payslip. An answered thread no longer waits for the company; `read_at`
-- shows whether the employee has read the answer.
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
  -- The subject: the key of a column (c4), a column of one combined row (c3@12), or '' for the whole payslip.
  -- `line_label` is sealed: the name of the column as the employee saw it.
  line text not null default '' check (line ~ '^(c[0-9]{1,4}(@[0-9]{1,9})?)?$'::text),
  line_label bytea,
  -- The administrator who is assigned to answer. Null means the owner of the batch.
  owner_id uuid,
  -- The end of the day on which the answer is due. Null when the thread is answered or the company sets no
  -- deadline.
  due_at timestamptz,
  primary key (company_id, id),
  unique (company_id, salary_id, line),
  foreign key (company_id, salary_id) references payslip (company_id, id),
  foreign key (company_id, owner_id) references admin (company_id, id)
);
create index feedback_due on feedback (company_id, due_at) where due_at is not null;
alter table feedback enable row level security;
alter table feedback force row level security;
create policy one_company on feedback using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Messages of feedback threads.
create table feedback_message (
  company_id uuid not null,
  id uuid not null,
  feedback_id uuid not null,
  from_side text not null check (from_side = ANY (ARRAY['employee'::text, 'admin'::text])),
  name text not null,
  -- Sealed, because employees write amounts into their messages.
  content bytea not null,
  at timestamptz not null,
  primary key (company_id, id),
  foreign key (company_id, feedback_id) references feedback (company_id, id) on delete cascade
);
create index feedback_message_of on feedback_message (company_id, feedback_id, id);
alter table feedback_message enable row level security;
alter table feedback_message force row level security;
create policy one_company on feedback_message using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Pictures of feedback messages, re-encoded by the server and sealed. Only the two sides of the thread can read
-- them, and they are deleted with it.
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

-- Keys with which a company signs receipts, numbered in order. The public key is for everybody; the private key is
-- sealed, and erased as soon as the next key exists. `signature` is made by the previous key (the first key signs
-- itself) over the statement of the new key that docs/receipt.md defines.
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

-- Receipts: the signed confirmation of one version of a payslip. A receipt is never changed and stays valid after a
-- correction. `proof` is sealed: the receipt, the confirmed content, the salt of its hash and the handwritten
-- signature.
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

-- Exports of payslips. `scope_all` and `scope_ids` are the scope of the requesting administrator at that time. The
-- file contains nobody else, and can be downloaded only while the scope still includes these departments. An
-- evidence package of a period names its batches, months and members instead of one batch.
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
  -- The only payslip in the export. Null for all payslips of the batch.
  salary_id uuid,
  -- A note about the file, for example why it has no time stamp. It contains no names and no amounts.
  note text,
  -- The page size of a PDF, and whether it uses large type. Null for other formats or the default.
  paper jsonb,
  batch_ids uuid[],
  member_ids uuid[],
  month_from text,
  month_to text,
  primary key (company_id, id),
  constraint export_job_of check ((batch_id IS NULL) = (batch_ids IS NOT NULL AND month_from IS NOT NULL AND month_to IS NOT NULL)),
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade
);
alter table export_job enable row level security;
alter table export_job force row level security;
create policy one_company on export_job using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- ====================================================================================================
-- Channels
-- ====================================================================================================

-- Messages of demo mode: what SMS gateways and chat platforms would have received. Every message is stored,
-- including repeated ones, so that a message sent twice is visible.
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
comment on table outbox is 'outside: messages of demo mode to external services';

-- Rate limits of channels, shared by all servers: one row for the channel (requester ''), and one for each company
-- that uses it. Deleting a row only delays messages.
create table channel_rate (
  channel text not null,
  requester text not null default '',
  due_ms double precision not null default 0,
  -- The company counts as a user of the channel until this time.
  requested_until timestamptz not null default '-infinity'::timestamp with time zone,
  -- For the row of the channel: nothing is sent until this time.
  paused_until timestamptz not null default '-infinity'::timestamp with time zone,
  primary key (channel, requester)
);
comment on table channel_rate is 'outside: channels shared by all companies';

-- References of accepted messages, kept for some days. A delivery report of a gateway names the reference and not
-- the company.
create table report_lookup (
  ref text primary key,
  company_id uuid not null,
  message_id uuid not null,
  at timestamptz not null
);
create index report_lookup_at on report_lookup (at);
comment on table report_lookup is 'outside: a delivery report names the message, before the company is known';

-- The mailbox from which a company sends mail (docs/decisions/20261123-use-the-company-mailbox-for-mail.md). The
-- columns `inbox_…` describe the IMAP mailbox that receives bounces, with the same user name and password, and how
-- far it was read.
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
  -- When a test message was accepted with exactly these settings. Null means not yet; then no mail is sent.
  tested_at timestamptz,
  updated_at timestamptz not null,
  inbox_host text,
  inbox_port integer check (inbox_port >= 1 AND inbox_port <= 65535),
  inbox_security text check (inbox_security = ANY (ARRAY['tls'::text, 'starttls'::text, 'none'::text])),
  -- UIDVALIDITY of the IMAP server and the last UID read. A new validity starts the count again.
  inbox_validity text,
  inbox_uid bigint,
  -- When the inbox was last read, and the error. Null when reading succeeded.
  inbox_at timestamptz,
  inbox_error text,
  -- When mail was last sent that can bounce.
  mailed_at timestamptz,
  constraint company_mail_inbox check ((inbox_host IS NULL) = (inbox_port IS NULL) AND (inbox_host IS NULL) = (inbox_security IS NULL))
);
alter table company_mail enable row level security;
alter table company_mail force row level security;
create policy one_company on company_mail using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- ====================================================================================================
-- Platform bindings
-- ====================================================================================================

-- Our applications in the stores of the platforms, with their newest ticket
-- (docs/decisions/20261123-use-store-installation-for-binding.md).
create table platform_suite (
  provider text not null check (provider = ANY (ARRAY['lark'::text, 'wecom'::text, 'dingtalk'::text])),
  suite_id text not null,
  -- Sealed with the key of the installation.
  ticket bytea not null,
  -- When the platform issued the ticket. A ticket with an older time is ignored.
  pushed_at timestamptz not null,
  primary key (provider, suite_id)
);
comment on table platform_suite is 'outside: the newest ticket of a store application, shared by all companies';

-- Installations of our store applications by companies, as the platform reported them.
create table platform_install (
  provider text not null check (provider = ANY (ARRAY['lark'::text, 'wecom'::text, 'dingtalk'::text])),
  suite_id text not null,
  -- The id of the company on the platform.
  corp_id text not null,
  corp_name text not null default '',
  agent_id text not null default '',
  -- The permanent code of WeCom, sealed with the key of the installation until a company claims the installation.
  -- Then the company stores it.
  secret bytea,
  -- The administrators according to the platform.
  installers text[] not null default '{}',
  -- The company that claimed the installation. Null until then.
  claimed_by uuid,
  received_at timestamptz not null,
  primary key (provider, suite_id, corp_id)
);
comment on table platform_install is 'outside: reported by the platform, before the company is known';

-- Requests of administrators who were redirected to the platform to install the application or to prove who they
-- are there. Each can be used once, by that administrator only.
create table platform_install_request (
  company_id uuid not null references company (id),
  state_hash bytea not null,
  account_id uuid not null,
  provider text not null check (provider = ANY (ARRAY['lark'::text, 'wecom'::text, 'dingtalk'::text])),
  kind text not null check (kind = ANY (ARRAY['install'::text, 'claim'::text, 'prove'::text])),
  expires_at timestamptz not null,
  -- Sealed: the binding to create after the proof. Only for `prove`.
  options bytea,
  primary key (company_id, state_hash)
);
alter table platform_install_request enable row level security;
alter table platform_install_request force row level security;
create policy one_company on platform_install_request using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Events about installations, stored to detect repeated ones.
create table platform_install_event (
  provider text not null,
  suite_id text not null,
  key text not null,
  received_at timestamptz not null,
  primary key (provider, suite_id, key)
);
create index platform_install_event_old on platform_install_event (received_at);
comment on table platform_install_event is 'outside: events of installations, stored to detect repeated ones';

-- The application of a company on a chat platform, through which its employees sign in. A sign-in names the
-- application and not the company, so every shard has the whole table, and no foreign key refers to company.
-- Companies are never deleted. A company of the platform is bound to one company here.
create table platform_app (
  company_id uuid not null,
  id uuid not null,
  provider text not null check (provider = ANY (ARRAY['lark'::text, 'wecom'::text, 'dingtalk'::text])),
  corp_id text not null,
  app_id text not null,
  agent_id text not null default '',
  -- Sealed.
  secret bytea not null,
  created_at timestamptz not null,
  mode text not null default 'self_built' check (mode = ANY (ARRAY['self_built'::text, 'store'::text])),
  -- Sealed: the settings of the callback address. Null until they are set up.
  callback_token bytea,
  callback_key bytea,
  -- When the platform proved that the application belongs to the company by whose key it is bound
  -- (docs/decisions/20261124-use-platform-proof-for-exclusive-bindings.md).
  proved_at timestamptz,
  primary key (company_id, id),
  unique (provider, corp_id, app_id)
);
create index platform_app_corp on platform_app (provider, corp_id);
comment on table platform_app is 'everywhere: looked up by ids of the platform, before the company is known';
alter table platform_app enable row level security;
alter table platform_app force row level security;
create policy machine on platform_app for select using (current_setting('app.machine'::text, true) = 'yes'::text);
create policy one_company on platform_app using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Platform users that are linked to accounts.
create table platform_identity (
  provider text not null,
  corp_id text not null,
  user_id text not null,
  account_id uuid not null references account (id) on delete cascade,
  created_at timestamptz not null,
  primary key (provider, corp_id, user_id)
);
create index platform_identity_account on platform_identity (account_id);
comment on table platform_identity is 'outside: read before the company is known';

-- Access tokens of applications on chat platforms, sealed with the key of the installation and shared by all
-- servers. `key` consists of ids and hashes of secrets. A deleted token is requested again.
create table platform_token (
  key text primary key,
  sealed bytea,
  -- The server that is requesting a new token, and how long the others wait for it.
  asking uuid,
  requested_until timestamptz not null default '-infinity'::timestamp with time zone
);
comment on table platform_token is 'outside: access tokens of applications, shared by all servers';

-- Bindings of companies to a chat platform (docs/decisions/20261123-use-reviewed-syncs-for-platform-bindings.md).
create table binding (
  company_id uuid not null references company (id),
  id uuid not null,
  provider text not null check (provider = ANY (ARRAY['lark'::text, 'wecom'::text, 'dingtalk'::text])),
  corp_id text not null,
  corp_name text not null default '',
  mode text not null check (mode = ANY (ARRAY['self_built'::text, 'store'::text])),
  -- The row of platform_app while the binding exists.
  app_id uuid,
  -- 0 ended · 10 bound · 20 syncing · 30 sync failed · 40 unbinding requested · 50 stopped on the platform.
  status smallint not null check (status = ANY (ARRAY[0, 10, 20, 30, 40, 50])),
  -- The last response of the platform: missing permissions, and the visible departments and members.
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

-- The history of a binding. Rows are never changed.
create table binding_event (
  company_id uuid not null,
  id uuid not null,
  binding_id uuid not null,
  at timestamptz not null,
  kind text not null check (kind = ANY (ARRAY['bound'::text, 'restored'::text, 'rotated'::text, 'unbind_applied'::text, 'unbind_kept'::text, 'unbound'::text, 'stopped'::text, 'resumed'::text, 'synced'::text, 'sync_held'::text, 'sync_failed'::text, 'combined'::text, 'searched'::text])),
  -- The user who acted. Empty for a job or the platform.
  by_name text not null default '',
  -- Contains counts and codes of the platform only.
  detail jsonb not null default '{}',
  primary key (company_id, id),
  foreign key (company_id, binding_id) references binding (company_id, id) on delete cascade
);
create index binding_event_of on binding_event (company_id, binding_id, id);
alter table binding_event enable row level security;
alter table binding_event force row level security;
create policy one_company on binding_event using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Events that platforms sent to the callback address. They are stored first and processed afterwards, and kept for
-- 30 days to detect repeated ones.
create table platform_event (
  company_id uuid not null references company (id),
  id uuid not null,
  app_id uuid not null,
  key text not null,
  news jsonb not null,
  -- Sealed: the original event, for diagnosis.
  plain bytea not null,
  received_at timestamptz not null,
  -- The sync that started after the event and covers it.
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

-- Syncs of a platform directory. A sync reads pages into platform_sync_item, compares them and then applies the
-- changes. `cursor` is the position of the next page. `revision` prevents two workers from continuing the same sync
-- at once.
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

-- Departments and members that a sync has read, with the change it found.
create table platform_sync_item (
  company_id uuid not null,
  sync_id uuid not null,
  kind text not null check (kind = ANY (ARRAY['department'::text, 'person'::text])),
  key text not null,
  details jsonb not null,
  -- The departments in whose member lists the member appeared.
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

-- The platform directory as it was last applied. It stays after a binding ends, so that binding the same company
-- again finds its links.
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
  -- The department in this company. If it was deleted here, the next sync links or creates it again.
  department_id uuid,
  removed_at timestamptz,
  -- The position among siblings according to the platform (smaller first), and when it was read. Some platforms
  -- return it for single departments only, so each sync reads a few, the oldest first.
  sort double precision,
  sort_at timestamptz,
  primary key (company_id, id),
  unique (company_id, provider, corp_id, key)
);
create index platform_department_ours on platform_department (company_id, department_id);
alter table platform_department enable row level security;
alter table platform_department force row level security;
create policy one_company on platform_department using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Users of the platform directory and their links to members.
create table platform_user (
  company_id uuid not null references company (id),
  id uuid not null,
  provider text not null,
  corp_id text not null,
  user_id text not null,
  -- Values of the platform. Empty where the platform does not return them. They do not prove an identity.
  name text not null default '',
  mobile text not null default '',
  employee_no text not null default '',
  details jsonb not null,
  removed_at timestamptz,
  -- The linked member and the reason for the link: the user signed in, an administrator selected the member, or
  -- name and number match.
  member_id uuid,
  linked_by text check (linked_by = ANY (ARRAY['proved'::text, 'chosen'::text, 'matched'::text])),
  -- The result of matching while the user is linked to no member. The reason `search` means that a platform that
  -- hides names returned the user in a search for a name of the roster.
  match_status text not null default 'new' check (match_status = ANY (ARRAY['same'::text, 'conflict'::text, 'suggested'::text, 'new'::text, 'ignored'::text])),
  match_reason text,
  candidates uuid[] not null default '{}',
  primary key (company_id, id),
  unique (company_id, provider, corp_id, user_id),
  constraint platform_user_why_check check (match_reason = ANY (ARRAY['number'::text, 'phone'::text, 'two'::text, 'duplicate'::text, 'department'::text, 'name'::text, 'search'::text]))
);
create unique index platform_user_member on platform_user (company_id, provider, corp_id, member_id) where member_id is not null;
create index platform_user_standing on platform_user (company_id, match_status, id);
alter table platform_user enable row level security;
alter table platform_user force row level security;
create policy one_company on platform_user using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- ====================================================================================================
-- Income tax and social insurance
-- ====================================================================================================

-- Rules of a city for social insurance and the housing fund. They are public values.
create table insurance_scheme (
  company_id uuid not null references company (id),
  id uuid not null,
  city text not null,
  -- Months as 2026-07, both inclusive. Null means that no end is known.
  valid_from text not null check (valid_from ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'::text),
  valid_to text,
  version integer not null,
  document text not null,
  -- Rates, bounds and rounding of each item.
  items jsonb not null,
  -- The last month of a locked period that used the scheme. From then on the scheme cannot be changed, only
  -- replaced.
  used_through text,
  -- The newer version for the same months.
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

-- Insurance bases of members. `version` detects that a user saves over a change they have not seen.
create table member_insurance (
  company_id uuid not null,
  member_id uuid not null,
  version integer not null,
  -- Sealed: city, bases, rates and excluded items, by the month from which each applies.
  details bytea not null,
  changed_at timestamptz not null,
  primary key (company_id, member_id),
  foreign key (company_id, member_id) references member (company_id, id) on delete cascade
);
alter table member_insurance enable row level security;
alter table member_insurance force row level security;
create policy one_company on member_insurance using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Special additional deductions of members. `version` detects that a user saves over a change they have not seen.
create table member_deduction (
  company_id uuid not null,
  member_id uuid not null,
  version integer not null,
  -- Sealed: kinds, months, shares, and the year for which they were confirmed.
  details bytea not null,
  changed_at timestamptz not null,
  primary key (company_id, member_id),
  foreign key (company_id, member_id) references member (company_id, id) on delete cascade
);
alter table member_deduction enable row level security;
alter table member_deduction force row level security;
create policy one_company on member_deduction using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Tax periods: the withholding of a company for one month. `sources` contains the included batches (ids and counts
-- only). `run_id` identifies one computation; employees whose row has this id are finished, so that an interrupted
-- computation continues. `locks` counts how often the period was locked. `based_on` contains the `locks` of the
-- earlier months of the year at the time of the computation, which shows whether one of them has changed since.
create table tax_period (
  company_id uuid not null references company (id),
  id uuid not null,
  month text not null check (month ~ '^20[0-9]{2}-(0[1-9]|1[0-2])$'::text),
  status text not null check (status = ANY (ARRAY['draft'::text, 'computing'::text, 'stopped'::text, 'computed'::text, 'locked'::text])),
  run_id uuid,
  locks integer not null default 0,
  based_on jsonb not null default '{}',
  sources jsonb not null default '[]',
  -- Sealed: the totals of the month.
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

-- An employee in a tax period. Sealed: the input (`income`) and the result.
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

-- Sealed: the details of a member for a whole tax year.
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

-- The history of a tax period: who created, locked and reopened it, and why. Rows are never changed.
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

-- Cached amounts of the payslips of a batch for charts. `stamp` identifies the payslips and their versions; another
-- stamp means that the amounts are computed again.
create table chart_figures (
  company_id uuid not null,
  batch_id uuid not null,
  stamp text not null,
  -- Sealed: amounts by employee and component.
  figures bytea not null,
  primary key (company_id, batch_id),
  foreign key (company_id, batch_id) references batch (company_id, id) on delete cascade
);
-- Sealed bytes cannot be compressed, so PostgreSQL stores them as they are.
alter table chart_figures alter column figures set storage external;
alter table chart_figures enable row level security;
alter table chart_figures force row level security;
create policy one_company on chart_figures using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- The groups of a month for users who see sums but no payslips, fixed when the first sum was shown. An employee who
-- changes departments later stays in their group; otherwise the difference of two sums would reveal their pay.
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

-- Exports of a year. The powers and the scope of the requesting user at that time, together with the current ones,
-- decide whether they can download the file.
create table chart_export (
  company_id uuid not null references company (id),
  id uuid not null,
  account_id uuid not null,
  admin_id uuid not null,
  year integer not null,
  power text[] not null,
  scope_all boolean not null,
  scope_ids uuid[] not null,
  -- The batches in the file, once it exists.
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

-- Prices of products in fen, from a time on. Every company can read them; operators write them.
create table price (
  id uuid primary key,
  product_id text not null,
  price_fen bigint not null check (price_fen > 0),
  from_at timestamptz not null,
  by_name text not null
);
create index price_of on price (product_id, from_at desc);
comment on table price is 'outside: prices of products, the same for all companies';

-- Orders of a company. Prices are those at the time of the order, in fen.
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
  -- The payment link of the provider, shown as a QR code.
  code_url text,
  by_name text not null,
  account_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  paid_at timestamptz,
  closed_at timestamptz,
  refunded_at timestamptz,
  refunded_fen bigint not null default 0,
  -- For a change of edition: the previous product, and the end that both editions have.
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

-- Finds the company of an order, because a notification of a payment provider names only the order.
create table order_lookup (
  order_no text primary key,
  company_id uuid not null
);
comment on table order_lookup is 'outside: a notification of a payment provider names the order, before the company is known';

-- Payments received, one row per transaction of a provider. `excess` means that the payment belongs to no purchase
-- and is refunded.
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

-- Refunds of a credited order, made by an operator: partial, several or complete.
create table refund (
  company_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  payment_id uuid not null,
  amount_fen bigint not null check (amount_fen > 0),
  -- Units taken back for the refund.
  quantity integer not null check (quantity >= 0),
  reason text not null,
  -- For a bank transfer: the reference number of the bank.
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

-- Daily statements of payment providers, compared with the stored payments. They cover all companies and are for
-- operators.
create table payment_statement (
  provider text not null check (provider = ANY (ARRAY['alipay'::text, 'wechat'::text])),
  day text not null check (day ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'::text),
  -- The number of payments and refunds, with their sums in fen.
  paid_count integer not null,
  paid_fen bigint not null,
  refunded_count integer not null,
  refunded_fen bigint not null,
  -- Payments that only the statement contained, and that were settled by it.
  discrepancy_count integer not null,
  -- [{kind, order_no, transaction_id, ours_fen, theirs_fen}]: the remaining differences.
  differences jsonb not null,
  compared_at timestamptz not null,
  primary key (provider, day)
);
comment on table payment_statement is 'outside: daily statements of payment providers for all companies';

-- The double-entry ledger of prepaid resources, in whole units
-- (docs/decisions/20261123-use-a-double-entry-ledger-for-prepaid-sms.md). The entries of a movement sum to zero.
-- The balance of the side `stock` is what the company can still use; `company.sms_left` equals it, and a constraint
-- prevents it from falling below zero.
create table prepaid_movement (
  company_id uuid not null references company (id),
  id uuid not null,
  resource text not null check (resource = 'sms'::text),
  kind text not null check (kind = ANY (ARRAY['opening'::text, 'given'::text, 'bought'::text, 'used'::text, 'unused'::text, 'returned'::text])),
  count integer not null check (count > 0),
  -- Reason and reference identify the occasion. One occasion creates one movement.
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

-- Entries of prepaid movements, one per side.
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

-- Invoices. A company requests an invoice; an operator issues it or returns it with a reason. After a refund it is
-- marked for reversal, and then reversed by a red invoice (`red_number`).
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
alter table invoice enable row level security;
alter table invoice force row level security;
create policy one_company on invoice using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);
create policy operator on invoice for select using (current_setting('app.operator'::text, true) = 'yes'::text);

-- Orders on an invoice.
create table invoice_order (
  company_id uuid not null,
  id uuid not null,
  invoice_id uuid not null,
  order_id uuid not null,
  -- An order is on one active invoice only. After a return or a reversal it can be invoiced again.
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

-- Files of invoices, sealed with the key of the installation, because operators upload them and have no key of the
-- company.
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

-- Webhooks of a company for events of payslips. Events contain no amounts, kinds of pay, names or phone numbers.
create table webhook (
  company_id uuid not null references company (id),
  id uuid not null,
  -- Sealed, because the URL may contain a token.
  url bytea not null,
  -- Sealed: 24 to 64 bytes. While a secret is being replaced, both secrets sign.
  secret bytea not null,
  former_secret bytea,
  former_until timestamptz,
  events text[] not null,
  status text not null default 'active' check (status = ANY (ARRAY['active'::text, 'paused'::text, 'gone'::text])),
  -- When deliveries started to fail. Null while they succeed.
  failing_since timestamptz,
  created_at timestamptz not null,
  -- The lease of the worker that delivers to this URL. One worker serves one URL at a time, so that a slow receiver
  -- does not delay the others.
  leased_until timestamptz,
  primary key (company_id, id)
);
alter table webhook enable row level security;
alter table webhook force row level security;
create policy one_company on webhook using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- Events to deliver to webhooks.
create table webhook_event (
  company_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  event text not null,
  -- Null for a test event.
  salary_id uuid,
  batch_id uuid,
  at timestamptz not null,
  status text not null default 'waiting' check (status = ANY (ARRAY['waiting'::text, 'leased'::text, 'taken'::text, 'failed'::text])),
  attempts integer not null default 0,
  due_at timestamptz not null,
  lease_until timestamptz,
  -- The HTTP status, or a word for why there was no response.
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

-- Announcements of the operator to all companies. Every company can read them.
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
comment on table announcement is 'outside: announcements of the operator to all companies';

-- Operators: accounts of the staff who run the installation. They belong to no company and have their own sessions
-- and log. Only a transaction with the setting `app.operator` sees these rows, and of company data it sees only the
-- tables with a policy named `operator`.
create table operator (
  id uuid primary key,
  name text not null unique,
  password_hash text not null,
  -- Sealed with the key of the installation. Required at every sign-in. `ready_at` is when the operator first
  -- entered a code.
  totp bytea not null,
  totp_step bigint not null default 0,
  made_with bytea not null,
  ready_at timestamptz,
  ended_at timestamptz,
  created_at timestamptz not null
);
-- Each key creates one operator: the key in the environment, or a key of an invite.
create unique index operator_made_with on operator (made_with) where ready_at is not null;
comment on table operator is 'outside: the operator; visible to operator transactions only';
alter table operator enable row level security;
alter table operator force row level security;
create policy operator on operator using (current_setting('app.operator'::text, true) = 'yes'::text);

-- Invites with which operators add operators.
create table operator_invite (
  id uuid primary key,
  key_hash bytea not null unique,
  by_id uuid not null references operator (id),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
comment on table operator_invite is 'outside: the operator; visible to operator transactions only';
alter table operator_invite enable row level security;
alter table operator_invite force row level security;
create policy operator on operator_invite using (current_setting('app.operator'::text, true) = 'yes'::text);

-- Sessions of operators.
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
comment on table operator_session is 'outside: the operator; visible to operator transactions only';
alter table operator_session enable row level security;
alter table operator_session force row level security;
create policy operator on operator_session using (current_setting('app.operator'::text, true) = 'yes'::text);

-- The log of operators. Entries can be added and not changed.
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
comment on table operator_log_entry is 'outside: the operator; visible to operator transactions only';
alter table operator_log_entry enable row level security;
alter table operator_log_entry force row level security;
create policy operator on operator_log_entry using (current_setting('app.operator'::text, true) = 'yes'::text);

-- Foreign keys between tables that refer to each other.
alter table department add constraint department_company_id_leader_id_fkey foreign key (company_id, leader_id) references member(company_id, id);
alter table wizard add constraint wizard_company_id_batch_id_fkey foreign key (company_id, batch_id) references batch(company_id, id) on delete cascade;

-- Logs, ledgers and receipts are append-only: the application can add rows, but cannot change them.
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

-- Updates the statistics of the tables that receive ten thousand rows at once. Until autovacuum has analyzed them,
-- the planner takes them for small and reads whole tables. Only the owner of a table can run `analyze`, hence
-- `security definer`.
create function count_again() returns void language plpgsql security definer set search_path = public as $$
begin
  analyze payslip (company_id, id, batch_id, member_id, status);
  analyze delivery (company_id, id, batch_id, salary_id, status, purpose);
end $$;
comment on function count_again() is 'outside: lets the planner count how rows are spread; reads out and changes nothing';
