-- Each entry of a company's audit log is linked to the one before it: it gets the next number and a keyed hash over its
-- content and the previous hash. Whoever changes, deletes, inserts or back-dates a row breaks the chain.
alter table audit_log_entry
  add column seq bigint,
  add column linked_at timestamptz,
  add column hash bytea,
  add constraint audit_log_entry_link check (num_nulls(seq, linked_at, hash) in (0, 3));
create unique index audit_log_entry_seq on audit_log_entry (company_id, seq);
create index audit_log_entry_unlinked on audit_log_entry (company_id, at, id) where seq is null;

-- The log stays append-only for the application: it may set the link of an entry, once.
do $$
begin
  if exists (select from pg_roles where rolname = 'xinhan_app') then
    grant update (seq, linked_at, hash) on audit_log_entry to xinhan_app;
  end if;
end $$;
create function refuse_second_audit_link() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  if old.seq is not null then
    raise exception 'an audit log entry is linked once';
  end if;
  return new;
end $$;
create trigger audit_log_entry_once before update on audit_log_entry
  for each row execute function refuse_second_audit_link();

-- The end of each company's chain. Its row is locked while entries are linked.
create table audit_log_head (
  company_id uuid primary key references company (id),
  seq bigint not null,
  hash bytea not null,
  linked_at timestamptz not null,
  -- Whether entries were left over for the next batch, which then continues with the same `linked_at`.
  has_more boolean not null,
  anchored_seq bigint not null default 0
);
alter table audit_log_head enable row level security;
alter table audit_log_head force row level security;
create policy one_company on audit_log_head using (company_id = NULLIF(current_setting('app.company'::text, true), ''::text)::uuid);

-- The ends of the chains at one time, as a text with its digest: printed in the log, and stamped by the time-stamping
-- authority where there is one. Each anchor names the digest of the one before it.
create table audit_log_anchor (
  seq bigint primary key,
  at timestamptz not null,
  content text not null,
  digest bytea not null,
  -- A time-stamp token (RFC 3161) over the content.
  token bytea
);
comment on table audit_log_anchor is 'outside: hashes of the ends of all audit logs; it has no data of a company';
revoke update, delete on audit_log_anchor from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'xinhan_app') then
    revoke update, delete on audit_log_anchor from xinhan_app;
  end if;
end $$;
