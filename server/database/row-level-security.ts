import type { Client } from 'pg'

/** Row-level security is incomplete; the server does not start. Each line names the problem and the object. */
export class BootCheckError extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(`The database does not guard the companies, so the server does not start:\n- ${problems.join('\n- ')}`)
    this.name = 'BootRefused'
    this.problems = problems
  }
}

/** Row-level security has no effect on superusers, owners and roles that may become one. */
export async function findRoleProblems(client: Client, role: string): Promise<string[]> {
  const { rows } = await client.query<{ problem: string }>(
    `
    with me as (select * from pg_roles where rolname = $1),
    mine as (select r.* from pg_roles r, me where pg_has_role(me.oid, r.oid, 'member'))
    select 'it does not exist' as problem where not exists (select from me)
    union all select 'it is a superuser' from me where rolsuper
    union all select 'it has BYPASSRLS' from me where rolbypassrls
    union all select 'it may create roles' from me where rolcreaterole
    union all select 'it may create databases' from me where rolcreatedb
    union all select 'it may become ' || m.rolname || ', who is a superuser' from mine m, me
      where m.rolsuper and m.oid <> me.oid and not me.rolsuper
    union all select 'it may become ' || m.rolname || ', who has BYPASSRLS' from mine m, me
      where m.rolbypassrls and m.oid <> me.oid and not me.rolsuper
    union all select 'it owns ' || c.oid::regclass || case when m.oid = me.oid then '' else ' (through ' || m.rolname || ')' end
      from pg_class c join mine m on m.oid = c.relowner, me
      where c.relkind in ('r', 'p', 'v', 'm', 'f') and not me.rolsuper
        and c.relnamespace not in (select oid from pg_namespace where nspname like 'pg\\_%' or nspname = 'information_schema')
    union all select 'it owns the schema ' || n.nspname from pg_namespace n join mine m on m.oid = n.nspowner, me
      where n.nspname in ('public', 'pgboss') and not me.rolsuper
    union all select 'it may make tables in the schema ' || n.nspname from pg_namespace n, me
      where n.nspname in ('public', 'pgboss') and not me.rolsuper and has_schema_privilege(me.oid, n.oid, 'create')
    union all select 'it may truncate ' || c.oid::regclass || ', which row-level security does not see'
      from pg_class c join pg_namespace n on n.oid = c.relnamespace, me
      where n.nspname = 'public' and c.relkind in ('r', 'p') and not me.rolsuper
        and has_table_privilege(me.oid, c.oid, 'truncate')
    union all select 'it may read none of the tables, which were made for another role; as their owner: grant <that role> to ' || $1 from me
      where exists (select from pg_class where relkind = 'r' and relrowsecurity)
        and not exists (select from pg_class where relkind = 'r' and relrowsecurity and has_table_privilege(me.oid, oid, 'select'))`,
    [role],
  )
  return rows.map(({ problem }) => `role ${role}: ${problem}`)
}

/**
 * Every table is either protected (row-level security enabled and forced, a policy for each privilege of the role, and
 * an index that begins with company_id where there is one) or states in its comment why it is `outside:` all companies.
 * Views and functions that run as their owner would bypass the protection.
 */
export async function findTableProblems(client: Client, role: string): Promise<string[]> {
  const { rows } = await client.query<{ problem: string }>(
    `
    with tables as (
      select c.oid, c.oid::regclass::text as name, c.relrowsecurity, c.relforcerowsecurity,
        (select attnum from pg_attribute where attrelid = c.oid and attname = 'company_id' and not attisdropped) as company
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname not in ('pg_catalog', 'information_schema', 'pgboss') and n.nspname not like 'pg\\_%'
        and c.relkind in ('r', 'p') and coalesce(obj_description(c.oid, 'pg_class'), '') not like 'outside:%'
        and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')),
    commands (letter, word) as (values ('r', 'select'), ('a', 'insert'), ('w', 'update'), ('d', 'delete'))
    select t.name || ': row-level security is not enabled'
        || case when t.company is null then ' (or its comment must begin with "outside:" and say why)' else '' end as problem
      from tables t where not t.relrowsecurity
    union all select t.name || ': row-level security is not forced' from tables t where t.relrowsecurity and not t.relforcerowsecurity
    union all select t.name || ': no policy for ' || k.word from tables t, commands k
      where t.relrowsecurity and has_table_privilege($1, t.oid, k.word)
        and not exists (select from pg_policy p where p.polrelid = t.oid and p.polpermissive and p.polcmd::text in ('*', k.letter))
    union all select t.name || ': no index begins with company_id' from tables t
      where t.company is not null and not exists (select from pg_index i where i.indrelid = t.oid and i.indkey[0] = t.company)
    union all select c.oid::regclass || ': this view reads with its owner''s rights; make it with (security_invoker = true)'
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind = 'v' and not coalesce('security_invoker=true' = any (c.reloptions), false)
        and not coalesce('security_invoker=on' = any (c.reloptions), false)
        and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    union all select c.oid::regclass || ': a materialised view knows no row-level security'
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind = 'm' and has_table_privilege($1, c.oid, 'select')
    union all select p.oid::regprocedure || ': this function acts as its owner (security definer); its comment must begin with "outside:" and say why'
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = 'public' and p.prosecdef and coalesce(obj_description(p.oid, 'pg_proc'), '') not like 'outside:%'
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    union all select p.oid::regprocedure || ': this function acts as its owner and must look up temporary objects last; set search_path = public, pg_temp'
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = 'public' and p.prosecdef
        and not exists (select from unnest(p.proconfig) as setting where setting ~ '^search_path=.*, *pg_temp$')
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    order by 1`,
    [role],
  )
  return rows.map(({ problem }) => problem)
}
