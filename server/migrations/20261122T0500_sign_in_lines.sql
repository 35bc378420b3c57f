-- Evidence of who came in, tried to, and left: every way to sign in, choosing a company, signing out, credentials that were changed. Writer:
-- runtime. Such a line often belongs to no company: nobody is known yet, or the person is in several. Kept like `audit_line`, and not even
-- readable for the application: what answers requests can add to it and do nothing else.
create table sign_in_line (
  id uuid primary key,
  at timestamptz not null,
  call text not null,
  -- `done`, or the name of the refusal.
  outcome text not null,
  account_id uuid,
  company_id uuid,
  -- A keyed hash of the phone that was given: known tries are found by it, and no list of strangers' numbers grows here.
  phone_mac bytea,
  about jsonb not null default '{}',
  address text not null default '',
  device text not null default '',
  request_id text not null default ''
);
create index sign_in_line_account on sign_in_line (account_id, at);
create index sign_in_line_phone on sign_in_line (phone_mac, at);
create index sign_in_line_at on sign_in_line (at);
comment on table sign_in_line is 'outside: whoever signs in is in no company yet; can only be added to';

revoke select, update, delete on sign_in_line from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'xinhan_app') then
    revoke select, update, delete on sign_in_line from xinhan_app;
  end if;
end $$;
