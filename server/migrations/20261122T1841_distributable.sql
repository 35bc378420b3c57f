-- A schema that can be spread over several machines by company (docs/scale.md). What changes is what such a database cannot hold: a key
-- without the company, a reference from one company to another, a policy that asks a second table.

-- Owner: company. The companies of a person are found by his own rows first; then exactly these are shown (`Database.asPerson`).
drop policy own_companies on company;
create policy own_companies on company for select using (
  id = any (string_to_array(nullif(current_setting('app.companies', true), ''), ',')::uuid[])
);

-- Owner: agency. Who is served is another company, which may lie on another machine; it is named with its name, and read nowhere through this.
alter table agency_link drop constraint agency_link_served_company_id_fkey;

-- Owner: invite. A code names its company (`invite/codes.ts`): it is looked for there and nowhere else.
alter table invite drop constraint invite_code_hash_key;
alter table invite add unique (company_id, code_hash);

-- Owner: company. A sign-in names the application and not the company: every machine has the whole table, which cannot refer to one that is
-- spread. Companies are never deleted.
alter table platform_app drop constraint platform_app_company_id_fkey;
comment on table platform_app is 'everywhere: asked for by the platform''s own names, before the company is known';

-- Owner: sheet. A file that is gone is seen by reading (`keptFile`): part of a reference cannot be emptied where the other part says on which
-- machine the row lies.
alter table upload_progress drop constraint upload_progress_company_id_file_id_fkey;
