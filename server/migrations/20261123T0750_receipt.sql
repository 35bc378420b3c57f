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
  foreign key (company_id, salary_id) references salary (company_id, id)
);

do $$
declare
  t text;
begin
  foreach t in array array['receipt_key', 'receipt'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format(
      'create policy one_company on %I using (company_id = nullif(current_setting(''app.company'', true), '''')::uuid)', t);
  end loop;
end $$;
revoke update, delete on receipt from public;
revoke delete on receipt_key from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'xinhan_app') then
    revoke update, delete on receipt from xinhan_app;
    revoke delete on receipt_key from xinhan_app;
  end if;
end $$;
