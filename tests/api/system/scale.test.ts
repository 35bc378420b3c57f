/**
 * The database can be distributed over several machines by company (docs/scale.md): its catalog, and the statements
 * sent to it.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as account from '../../../server/contract/auth/sign-in.ts'
import { listMembersByPhone } from '../../../server/modules/directory/index.ts'
import { exceptions } from '../../scale/exceptions.ts'
import { getProblems } from '../../scale/pinned.ts'
import { spread, viewed } from '../../scale/sent.ts'
import { demo } from '../../support/demo.ts'
import { asOwner } from '../../support/run/database.ts'

// Removes those of other files of this worker; the statements of a start are sent again for the world below.
viewed.exceptions.clear()
const { world, corp } = demo({ own: true })

const script = readFileSync(new URL('../../../docs/scale/distribute.sql', import.meta.url), 'utf8')
/**
 * Queries the catalog, with `spread` as the script creates it for a cluster: which table is distributed by which
 * column.
 */
const catalogue = (text: string): Promise<unknown[]> =>
  asOwner(world, async (client) => {
    await client.query(script.slice(0, script.indexOf('do $$')))
    return (await client.query<{ problem: unknown }>(text)).rows.map(({ problem }) => problem)
  })

describe('database catalog', () => {
  it('records for every table whether it is distributed, as the tests do', async () => {
    const matches = await catalogue(`select name || ' by ' || "column" as problem from spread where "column" is not null`)
    expect(matches.sort()).toEqual([...spread].map(([table, column]) => `${table} by ${column}`).sort())
    expect(matches.length).toBeGreaterThan(30)
    expect(
      await catalogue(`select name as problem from spread where "column" is null and name in ('account', 'platform_app')`),
    ).toHaveLength(2)
  })

  it('has no key of a distributed table without its company', async () => {
    expect(
      await catalogue(`
        select indexrelid::regclass || ' of ' || name as problem from pg_index i join spread on spread.oid = i.indrelid
        where indisunique and "column" is not null and not exists (
          select from pg_attribute a where a.attrelid = i.indrelid and a.attname = spread."column" and a.attnum = any (i.indkey))`),
    ).toEqual([])
  })

  it('has references only within a company or to tables on every node, and never sets the company to null', async () => {
    expect(
      await catalogue(`
        select conname || ' of ' || here.name as problem
        from pg_constraint k join spread here on here.oid = k.conrelid left join spread there on there.oid = k.confrelid
        where k.contype = 'f' and (
          there.oid is null
          or (here."column" is null and there."column" is not null)
          or (here."column" is not null and there."column" is not null and (
            k.confdeltype in ('n', 'd') or k.confupdtype in ('n', 'd', 'c') or not exists (
              select from unnest(k.conkey, k.confkey) as pair (mine, other)
              join pg_attribute a on a.attrelid = k.conrelid and a.attnum = pair.mine and a.attname = here."column"
              join pg_attribute b on b.attrelid = k.confrelid and b.attnum = pair.other and b.attname = there."column"))))`),
    ).toEqual([])
  })

  it('has policies that query no second table, and identity columns only as bigint', async () => {
    expect(
      await catalogue(`
        select p.polname || ' of ' || name as problem from pg_policy p join spread on spread.oid = p.polrelid
        where coalesce(p.polqual::text, '') || coalesce(p.polwithcheck::text, '') like '%SUBLINK%'
        union all select attname || ' of ' || name from pg_attribute a join spread on spread.oid = a.attrelid
        where a.attidentity <> '' and a.atttypid <> 'bigint'::regtype`),
    ).toEqual([])
  })
})

const a = '01890000-0000-7000-8000-00000000000a'
const b = '01890000-0000-7000-8000-00000000000b'
const loose = (table: string) => `${table}: its company is not fixed`

describe('statement reader', () => {
  it.each([
    ['one table of one company', 'select id from batch where company_id = $1', []],
    ['a distributed table without a company', 'select id from batch where id = $1', [loose('batch')]],
    ['a table that is not distributed', 'select id from account where mobile = $1', []],
    [
      'a join on the company',
      'select 1 from batch b join title t on t.company_id = b.company_id and t.id = b.title_id where b.company_id = $1',
      [],
    ],
    [
      'a join on the id alone',
      'select 1 from batch b join title t on t.id = b.title_id where b.company_id = $1',
      [loose('title as t')],
    ],
    [
      'a join on the company without a company value',
      'select 1 from batch b join title t on t.company_id = b.company_id',
      [loose('batch as b'), loose('title as t')],
    ],
    ["the company's own row", 'select 1 from company c join batch b on b.company_id = c.id where c.id = $1', []],
    ['the same company value twice', 'select 1 from batch b, title t where b.company_id = $1 and t.company_id = $2', []],
    [
      'two companies in one statement',
      'select 1 from batch b, title t where b.company_id = $1 and t.company_id = $3',
      ['more than one company in one statement'],
    ],
    ['two companies joined by OR', 'select id from batch where company_id = $1 or id = $2', [loose('batch')]],
    [
      'an outer join',
      'select 1 from batch b left join title t on t.company_id = b.company_id and t.id = b.title_id where b.company_id = $1',
      [],
    ],
    [
      'a subquery with the company value',
      'select 1 from batch where company_id = $1 and exists (select from send_plan where send_plan.company_id = $1 and send_plan.batch_id = batch.id)',
      [],
    ],
    [
      'a subquery on the company of the row',
      'select 1 from batch where company_id = $1 and exists (select from send_plan where send_plan.company_id = batch.company_id)',
      [loose('send_plan')],
    ],
    [
      'a subquery on the id alone',
      'select 1 from batch where company_id = $1 and exists (select from send_plan where send_plan.batch_id = batch.id)',
      [loose('send_plan')],
    ],
    [
      'a query in the select list',
      'select (select count(*) from send_plan where company_id = $1) from batch where company_id = $1',
      [],
    ],
    [
      'a case expression',
      `select case status when 'sent' then 1 end from batch where company_id = $1`,
      ['a case of one thing: say `case when`'],
    ],
    [
      'columns of a subquery',
      'select 1 from (select company_id as c, id from batch where company_id = $1) one join send_plan on send_plan.company_id = one.c',
      [],
    ],
    [
      'a lateral join',
      'select 1 from unnest($1::uuid[]) as w (id) join lateral (select id from payslip where company_id = $2 and id = w.id) s on true',
      [],
    ],
    [
      'a condition that is always false',
      'select 1 from batch left join lateral (select 1 from send_plan where send_plan.company_id = $1 and false) p on true where batch.company_id = $1',
      ['a condition that is always false'],
    ],
    [
      'descendant departments',
      'with recursive below as (select id from department where company_id = $1 union select d.id from department d join below on d.parent_id = below.id where d.company_id = $1) select id from below',
      [],
    ],
    [
      'descendant departments, by their ids',
      'with recursive below as (select id from department where company_id = $1 union select d.id from department d join below on d.parent_id = below.id) select id from below',
      [loose('department as d')],
    ],
    [
      'an update with a list',
      'update delivery set status = said.s from unnest($1::uuid[], $2::text[]) as said (id, s) where delivery.company_id = $3 and delivery.id = said.id',
      [],
    ],
    [
      'an update from arrays',
      'update send_plan set status = ($1::uuid[])[array_position($2::uuid[], id)] where company_id = $3',
      ['an element of an array in what is set'],
    ],
    [
      'an update by the clock',
      'update send_plan set created_at = clock_timestamp() where company_id = $1',
      ['a function that answers anew for every row'],
    ],
    ['an update of all rows', `update delivery set status = 'queued' where id = $1`, [loose('delivery')]],
    [
      'a delete using another table',
      'delete from wizard using batch where wizard.company_id = $1 and batch.id = wizard.batch_id',
      [loose('batch')],
    ],
    ['inserted rows', 'insert into send_plan (company_id, id) values ($1, $3), ($2, $3)', []],
    [
      'rows inserted from a query',
      'insert into send_plan (company_id, id) select company_id, id from batch where company_id = $1',
      [],
    ],
    [
      'rows inserted from a query without a company',
      'insert into send_plan (company_id, id) select company_id, id from batch',
      [loose('send_plan'), loose('batch')],
    ],
    [
      'rows inserted from a list',
      'insert into send_plan (company_id, id) select $2, id from unnest($1::uuid[]) as given (id)',
      ['new rows that come from no table of their company'],
    ],
    [
      'rows returned by an update',
      'with gone as (delete from send_plan where company_id = $1 returning company_id, batch_id) select 1 from gone join batch on batch.company_id = gone.company_id',
      [],
    ],
    [
      'a union',
      'select 1 from batch join (select company_id, id from send_plan where company_id = $1 union all select company_id, id from payslip where company_id = $1) x on x.company_id = batch.company_id',
      [],
    ],
  ])('%s', (_what, text, problems) => {
    const values = text.includes('$1::uuid[]') ? [[], a, a] : [a, a, b]
    expect(getProblems(text, values, spread).sort()).toEqual([...problems].sort())
  })
})

describe('list of exceptions', () => {
  it('contains exactly the statements that are sent', async () => {
    for (const job of ['morning', 'notices-due', 'webhooks'])
      await world.database.asSystem((tx) => world.product.jobs.send(tx, job, {}))
    await world.product.jobs.drain()
    const person = await corp.person({ joined: false })
    const { sms } = await world.anybody.must(account.getVerifyCode, { phone: person.mobile, type: 'login' })
    const code = await codeFor(person.mobile)
    expect((await world.anybody.call(account.loginByCode, { phone: person.mobile, code, sms })).code).toBe(0)
    expect(await listMembersByPhone(world.database, { account_id: person.account_id, mobile: person.mobile })).toHaveLength(1)
    expect(exceptions.map((one) => one.sql).filter((sql) => !viewed.exceptions.has(sql))).toEqual([])
    // Each exception adds a query that every machine must answer.
    expect(exceptions.length).toBeLessThanOrEqual(9)
    expect(exceptions.every((one) => one.why.length > 20)).toBe(true)
  })
})

async function codeFor(mobile: string): Promise<string> {
  // The code is handed to the gateway asynchronously.
  for (let attempts = 0; attempts < 1_500; attempts += 1) {
    const match = (await world.outbox()).findLast((one) => one.mobile === mobile && one.text.includes('验证码'))
    if (match) return /验证码 (\d{6})/.exec(match.text)?.[1] ?? ''
    await new Promise((go) => setTimeout(go, 20))
  }
  throw new Error('no code was sent')
}
