-- A phone proves that somebody is reached, not who he is (docs/decisions/20261122-holders.md).

-- Accounts are holders of a phone, one after the other. Whose phone has gone to somebody else keeps his account and all that is his,
-- without a phone; the new holder is another account of the next generation and starts with nothing.
alter table account
  alter column mobile drop not null,
  add column generation integer not null default 1,
  add column former_mobile text,
  add column parted_at timestamptz,
  -- When he last showed that he is the same person, by more than the phone.
  add column proven_at timestamptz;
create index account_former_mobile on account (former_mobile) where former_mobile is not null;

-- A phone that somebody else wrote into the roster of a person who has been here carries no slips, old or new, until the person himself has
-- confirmed it, or a second administrator has.
alter table member
  add column unconfirmed_at timestamptz,
  add column unconfirmed_by uuid,
  -- By what he may confirm it: the phone and the account of before. Of a person who has left, the account he had.
  add column former_mobile text,
  add column former_account uuid references account (id);

-- Who this slip is for, as the plan found him: a digest of each thing by which he is known. Compared right before a message leaves.
alter table salary add column identity jsonb;

alter table approval drop constraint approval_kind_check;
alter table approval add constraint approval_kind_check check (kind in ('wage_transfer', 'unbind', 'join_agency', 'send', 'phone'));
-- Of phones one waits for each person, not for each applicant.
drop index approval_open;
create unique index approval_open on approval (company_id, applicant_id, kind) where status = 0 and kind <> 'phone';
create unique index approval_open_phone on approval (company_id, member_id) where status = 0 and kind = 'phone';
