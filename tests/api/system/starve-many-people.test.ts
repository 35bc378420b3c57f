/** The database work of one click on ten thousand rows, while the statistics are those of small companies. */
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { addMembers } from '../../../server/modules/directory/index.ts'
import { inside } from '../../support/callers/inside.ts'
import { demoWorld } from '../../support/demo.ts'
import { book, getUpload, openOffice } from '../../support/office.ts'
import { asOwner, startTestCluster } from '../../support/run/database.ts'
import { trial } from '../../support/run/trial.ts'

const world = demoWorld(true)

/** Five companies, each common in the statistics: for a company that they have never seen the planner expects one row. */
const smallCompanies = `
  with corp as (insert into company (id, name, corp_role, edition, sms_left, created_at)
      select gen_random_uuid(), 'K' || n, 10, 60, 0, now() from generate_series(1, 5) as n returning id),
    part as (insert into department (company_id, id, name) select corp.id, gen_random_uuid(), 'D' || n
      from corp, generate_series(1, 1) as n returning company_id, id),
    one as (insert into member (company_id, id, name, mobile, created_at)
      select corp.id, gen_random_uuid(), 'P' || n, (13000000000 + n)::text, now() from corp, generate_series(1, 60) as n returning company_id, id)
  insert into member_department (company_id, member_id, department_id)
    select one.company_id, one.id, (array_agg(part.id))[1] from one join part using (company_id) group by one.company_id, one.id`

it('looks up each member of a new company by index while the statistics are those of empty tables', async () => {
  const corp = await world.createCompany()
  const keeper = await corp.person({ power: ['4'] })
  const people = 1_500
  const [looked] = await inside(world, keeper, async (ctx) => {
    const tx = ctx.db
    const add = (from: number, count: number) =>
      addMembers(
        ctx,
        Array.from({ length: count }, (_, at) => ({
          name: `新${from + at}`,
          mobile: `${13_100_000_000 + from + at}`,
          department_ids: [corp.root_id],
        })),
      )
    // Earlier companies have already fixed the query plan for members.
    for (let from = 0; from < 12; from++) await add(from, 1)
    await add(12, people)
    const { rows } = await sql<{ fetched: string }>`
      select idx_tup_fetch as fetched from pg_stat_xact_user_tables where relname = 'member'`.execute(tx)
    return rows
  })
  expect(Number(looked?.fetched)).toBeGreaterThan(0)
  expect(Number(looked?.fetched)).toBeLessThan(people * 10)
})

trial(
  'many-people',
  'creates all members of a wage sheet by one answer',
  { full: 10_000, sample: 1_200, of: 'people' },
  async ({ size, says }) => {
    // The statistics are not refreshed before the large company arrives, as on the day of its first wage sheet.
    const { rows: named } = await world.database.withoutCompany((tx) =>
      sql<{ name: string }>`select current_database() as name`.execute(tx),
    )
    const { owner } = await startTestCluster()
    await asOwner({ owner: { ...owner, database: named[0]?.name } }, async (client) => {
      await client.query(smallCompanies)
      for (const table of ['member', 'member_department', 'department', 'sheet_row', 'batch']) {
        await client.query(`alter table ${table} set (autovacuum_enabled = false)`)
        await client.query(`analyze ${table}`)
      }
    })
    const { clerk, corp } = await openOffice(world, ['李四'])
    const rows = Array.from({ length: size }, (_, at) => [
      `员工${at}`,
      String(13_900_000_000 + at),
      `部门${at % 200}`,
      8000 + at,
      8000 + at,
    ])
    const { batch_id } = await getUpload(clerk, book(['姓名', '手机号', '部门', '基本工资', '实发工资'], rows))
    const began = performance.now()
    let [calls, longest] = [0, 0]
    for (let left = 1; left > 0; calls++) {
      const since = performance.now()
      const answer = await clerk.must(wage.dealWithSalaryList, { batch_id, actions: [{ kind: 'unknown_person', fix: 'create' }] })
      longest = Math.max(longest, performance.now() - since)
      left = answer.remaining_count
    }
    says(`${calls} calls, ${((performance.now() - began) / 1000).toFixed(1)} s, the longest ${(longest / 1000).toFixed(1)} s`)
    const { counts } = await clerk.must(wage.checkWageData, { batch_id })
    expect(counts).toMatchObject({ rows: size, errors: 0 })
    const { count } = await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .selectFrom('member')
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .executeTakeFirstOrThrow(),
    )
    expect(Number(count)).toBe(size + 2)
  },
)
