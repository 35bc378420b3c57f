-- Owner: slip. A second administrator approves a plan: which application asks for it, and what exactly was asked for.
alter table plan
  add column approval_id uuid,
  -- SHA-256 of people, ways, figures, looks and time as they were when it was asked for.
  add column digest bytea check (length(digest) = 32),
  -- Sealed: what it came to, for whoever decides; null of fewer than three people.
  add column totals bytea,
  add check ((approval_id is null) = (digest is null));
create index plan_approval on plan (company_id, approval_id) where approval_id is not null;
-- Somebody may ask for several batches at once; of one plan only once.
drop index approval_open;
create unique index approval_open on approval (company_id, applicant_id, kind) where status = 0 and kind not in ('phone', 'send');
