/** Demo data: deterministic, consistent, quick to create, and without any unencrypted amount. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import * as account from '../../../server/contract/auth/sign-in.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { checkPeriod, getPeriodList } from '../../../server/contract/tax/periods.ts'
import { createSecrets } from '../../../server/crypto/secrets.ts'
import type { Database } from '../../../server/database/database.ts'
import { type DemoSignIn, demoPassword, seed } from '../../../server/demo/index.ts'
import { demoWorld } from '../../support/demo.ts'
import { openFreshDatabase } from '../../support/run/database.ts'

let signIns: DemoSignIn[]
type Company = { id: string; name: string }
let companies: Company[]

const world = demoWorld(true)
beforeAll(async () => {
  signIns = await seed({ database: world.database, secrets: world.secrets, now: world.clock.now() })
  companies = await companiesIn(world.database)
})

const companiesIn = (database: Database) =>
  database.asSystem((tx) => tx.selectFrom('company').select(['id', 'name']).orderBy('name').execute())
const yun = () => companies.find((one) => one.name === '云杉科技')?.id ?? ''

/** Hashes every unencrypted column of every table, row by row; encrypted bytes and random ids are left out. */
async function openValues(database: Database): Promise<string> {
  const hash = createHash('sha256')
  for (const company of await companiesIn(database)) {
    await database.inCompany(company.id, async (tx) => {
      const columns = await sql<{ table_name: string; column_name: string }>`
        select table_name, column_name from information_schema.columns
        where table_schema = 'public' and data_type <> 'bytea' and (table_name not in ('sheet_row', 'sheet_page') or column_name <> 'id')
          and column_name not in ('password_hash', 'fingerprint') and table_name not in ('schema_migration', 'schema_lock')
          and has_table_privilege(format('%I.%I', table_schema, table_name), 'select')
        order by table_name, column_name`.execute(tx)
      const tables = Map.groupBy(columns.rows, (row) => row.table_name)
      for (const [table, of] of tables) {
        const list = sql.join(of.map((row) => sql.ref(row.column_name)))
        const { rows } = await sql<{
          line: string
        }>`select row_to_json(open)::text as line from (select ${list} from ${sql.table(table)}) as open order by 1`.execute(tx)
        // Tables with a time that the database sets by default.
        const dated = ['company_key'].includes(table)
        hash.update(`${table}\n${dated ? rows.length : rows.map((row) => row.line).join('\n')}\n`)
      }
    })
  }
  return hash.digest('hex')
}

describe('demo data', () => {
  it('creates the demo data once, and finds it on a second start', async () => {
    const before = await openValues(world.database)
    expect(await seed({ database: world.database, secrets: world.secrets, now: new Date('2027-03-05T00:00:00Z') })).toEqual(
      signIns,
    )
    expect(await openValues(world.database)).toBe(before)
  })

  it('creates the same demo data every time, including ids', async () => {
    const database = await openFreshDatabase()
    try {
      const secrets = createSecrets(Buffer.alloc(32, 9))
      // Nodes that start at the same moment create it once.
      await Promise.all([1, 2, 3, 4, 5, 6].map(() => seed({ database, secrets, now: world.clock.now() })))
      expect(await openValues(database)).toBe(await openValues(world.database))
    } finally {
      await database.close()
    }
  })

  it('can create the demo data on any day of the year', async () => {
    for (const now of ['2026-01-03T00:00:00+08:00', '2026-03-08T10:31:00+08:00', '2027-12-31T23:59:00+08:00']) {
      const database = await openFreshDatabase()
      try {
        await seed({ database, secrets: createSecrets(Buffer.alloc(32, 9)), now: new Date(now) })
        const later = await database.inCompany(yun(), (tx) =>
          sql<{
            count: number
          }>`select count(*) as count from payslip where greatest(sent_at, viewed_at, confirmed_at) > ${new Date(now)}`.execute(
            tx,
          ),
        )
        expect(later.rows[0]?.count).toBe(0)
      } finally {
        await database.close()
      }
    }
  })

  it('creates the documented members and administrators', async () => {
    expect(companies.map((one) => one.name).sort()).toEqual(['云杉科技', '小满餐饮', '诚达人力'].sort())
    const counted = await world.database.inCompany(yun(), async (tx) => ({
      people: await tx
        .selectFrom('member')
        .select(sql<number>`count(*)`.as('n'))
        .where('status', '<>', 'left')
        .executeTakeFirstOrThrow(),
      phones: await tx.selectFrom('member').select('mobile').execute(),
      departments: await tx.selectFrom('department').select('id').where('parent_id', 'is not', null).execute(),
      admins: await tx.selectFrom('admin').select('power').orderBy('id').execute(),
      sms: await sql<{
        left: number
        sum: number
      }>`select sms_left as left, (select sum(amount) from prepaid_entry where side = 'stock') as sum from company`.execute(tx),
    }))
    expect(counted.people.n).toBe(128)
    expect(counted.departments).toHaveLength(8)
    expect(counted.admins.map((admin) => admin.power.join()).sort()).toEqual(['1', '2', '2', '3', '4'])
    expect(counted.sms.rows).toEqual([{ left: 5000, sum: 5000 }])
    expect(new Set(counted.phones.map((one) => one.mobile)).size).toBe(131)
    expect(counted.phones.every((one) => /^199000\d{5}$/.test(one.mobile))).toBe(true)
  })

  it('adds up to the fen in every payslip', async () => {
    await world.database.inCompany(yun(), async (tx) => {
      const vault = await world.secrets.vault(tx, yun())
      const slips = await tx
        .selectFrom('payslip')
        .innerJoin('batch', 'batch.id', 'payslip.batch_id')
        .innerJoin('title', 'title.id', 'batch.title_id')
        .select(['payslip.id', 'version', 'cells', 'row_no'])
        .where('title.kind', '=', 'monthly')
        .execute()
      expect(slips.length).toBeGreaterThan(700)
      for (const { id, version, cells } of slips) {
        const open = vault.open<{ cells: Record<string, { fen?: number }>; net_fen: number; gross_fen: number; tax_fen: number }>(
          { table: 'payslip', row: id, column: 'cells', version },
          cells,
        )
        const at = (from: number, to: number) =>
          Array.from({ length: to - from + 1 }, (_, step) => open.cells[`c${from + step}`]?.fen ?? Number.NaN).reduce(
            (a, b) => a + b,
            0,
          )
        expect([at(4, 9), at(11, 16), at(10, 10) - at(17, 17)]).toEqual([open.gross_fen, at(17, 17), open.net_fen])
        expect(at(18, 18)).toBe(open.net_fen)
      }
    })
  })
})

const ids = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const bytes = /\\x([0-9a-f]+)/g
/**
 * Converts bytes to Latin-1 instead of digits, so that plain text among them would be visible, and removes ids: no
 * amount occurs by coincidence.
 */
const readable = (line: string): string =>
  line.replace(ids, '').replace(bytes, (_, hex: string) => Buffer.from(hex, 'hex').toString('latin1'))

describe('demo data secrecy', () => {
  it('stores no net pay of the demo, in fen or yuan, in any column of any table', async () => {
    const canaries: string[] = []
    for (const company of companies) {
      await world.database.inCompany(company.id, async (tx) => {
        const vault = await world.secrets.vault(tx, company.id)
        for (const { id, version, cells } of await tx.selectFrom('payslip').select(['id', 'version', 'cells']).execute()) {
          const { net_fen } = vault.open<{ net_fen: number }>({ table: 'payslip', row: id, column: 'cells', version }, cells)
          // The value is long enough to exclude coincidental matches.
          if (net_fen >= 1_000_000)
            canaries.push(String(net_fen), `${Math.floor(net_fen / 100)}.${String(net_fen % 100).padStart(2, '0')}`)
        }
      })
    }
    expect(canaries.length).toBeGreaterThan(500)
    const dump: string[] = []
    for (const company of companies) {
      await world.database.inCompany(company.id, async (tx) => {
        const tables = await sql<{
          name: string
        }>`select table_name as name from information_schema.tables where table_schema = 'public' and table_name not like 'schema%'
          and has_table_privilege(format('%I.%I', table_schema, table_name), 'select')`.execute(tx)
        for (const { name } of tables.rows) {
          // Ids and times are removed because they contain digits.
          const { rows } = await sql<{
            line: string
          }>`select (select string_agg(case when pg_typeof(value)::text = 'x' then '' else value end, ' ')
            from jsonb_each_text(to_jsonb(t)) where key !~ '(^id|_id|_at|mobile|hash|sealed|cells|recognition|totals|wrapped|content|change|private|index|sha256|reason|column_label)$') as line from ${sql.table(name)} as t`.execute(
            tx,
          )
          dump.push(...rows.map((row) => readable(row.line ?? '')))
        }
        for (const [table, column] of [
          ['payslip', 'cells'],
          ['sheet_page', 'sealed'],
          ['batch', 'recognition'],
          ['batch', 'totals'],
          ['payslip_change', 'change'],
          ['feedback_message', 'content'],
        ] as const) {
          const { rows } = await sql<{ sealed: Buffer }>`select ${sql.ref(column)} as sealed from ${sql.table(table)}`.execute(tx)
          dump.push(...rows.map((row) => row.sealed.toString('latin1')))
        }
      })
    }
    const text = dump.join('\n')
    expect(text.length).toBeGreaterThan(500_000)
    expect(canaries.filter((canary) => text.includes(canary))).toEqual([])
  })
})

describe('demo sign-in', () => {
  it('computes six tax months from the payslips, which withheld the same tax', async () => {
    const mobile = signIns.find(({ who, company }) => company === '云杉科技' && who.includes('薪酬管理员（全公司）'))?.phone ?? ''
    const { id: account_id } = await world.database.withoutCompany((tx) =>
      tx.selectFrom('account').select('id').where('mobile', '=', mobile).executeTakeFirstOrThrow(),
    )
    const member = await world.database.asPerson({ account_id }, (tx) =>
      tx.selectFrom('member').select(['id', 'name']).where('account_id', '=', account_id).executeTakeFirstOrThrow(),
    )
    const clerk = await world.signIn({
      account_id,
      member_id: member.id,
      company_id: yun(),
      admin_id: null,
      name: member.name,
      mobile,
    })
    const { list } = await clerk.must(getPeriodList, {})
    expect(list.map(({ status }) => status)).toEqual(Array(6).fill('locked'))
    for (const { period_id, member_count } of list) {
      expect(member_count).toBeGreaterThan(100)
      const { kinds, current } = await clerk.must(checkPeriod, { period_id })
      expect(current.tax_fen).toBeGreaterThan(1_000_00)
      // Only the withdrawn and the corrected payslip differ; the demo has no identity cards.
      expect(kinds.filter(({ kind, count }) => kind !== 'no_card' && count > 1)).toEqual([])
      expect(kinds.map(({ kind }) => kind).filter((kind) => !['no_card', 'slip_gone', 'tax_differs'].includes(kind))).toEqual([])
    }
  })

  it('signs in with the printed credentials, in one company or by selection', async () => {
    for (const { phone, password } of signIns) {
      const { data, code } = await world.anybody.call(account.login, { phone, password })
      expect(code).toBe(0)
      expect(data.corp_id === null).toBe(phone === '19900010006')
    }
    expect(new Set(signIns.map((one) => one.password))).toEqual(new Set([demoPassword]))
  })

  it('shows the owner the wage list and a batch with its payslips, and the employee their own', async () => {
    const enter = async (phone: string) => {
      const answer = await world.anybody.call(account.login, { phone, password: demoPassword })
      return world.caller(answer.data.token ?? '', answer.cookies)
    }
    const wages = await enter('19900010003')
    const { list } = await wages.must(slip.getWageList)
    expect(list.map((batch) => batch.title)[0]).toBe('2026年10月工资')
    const batch_id = list[0]?.batch_id ?? ''
    const detail = await wages.must(slip.getWageDetail, { batch_id })
    expect(detail.batch.counts).toMatchObject({ total: 128, failed: 1, feedback: 2 })
    expect(detail.list.every((line) => line.net_fen !== null)).toBe(true)
    const corrected = list.find((batch) => batch.title === '2026年7月工资')?.batch_id ?? ''
    expect((await wages.must(slip.getSalaryModifyLog, { batch_id: corrected })).list.map((line) => line.column).sort()).toEqual(
      ['实发工资', '应发合计', '绩效工资'].sort(),
    )
    const current = await enter('19900010007')
    const slips = await current.must(employee.getSlipList)
    expect(slips.list.length).toBeGreaterThan(0)
    const opened = await current.must(employee.getSlip, { slip_id: slips.list[0]?.slip_id ?? '' })
    expect(opened.slip).toMatchObject({ title: '2026年10月工资', corp_name: '云杉科技', name: '朱予安' })
  })
})
