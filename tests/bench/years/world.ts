/**
 * A company with five years of pay runs, inserted by statements over whole pay runs. The newest year has real payslips,
 * encrypted as the product encrypts them; the older years, which are never opened here, have rows of the same size.
 */
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Browser, BrowserContext } from 'playwright-core'
import type { ColumnRole } from '../../../server/contract/shared/schemas.ts'
import type { Vault } from '../../../server/crypto/secrets.ts'
import { spellMissingNames } from '../../../server/modules/directory/file/name-spelling.ts'
import { sealPayslipContent } from '../../../server/modules/payslip-records/payslip-content.ts'
import { getLayoutPosition, sealFileName, sealTitle } from '../../../server/modules/sheets/names/sealed-names.ts'
import { sealRecognition, sealSheetLayout } from '../../../server/modules/sheets/recognition.ts'
import type { RowCells } from '../../../server/rules/amounts.ts'
import { newId } from '../../../server/shared/ids.ts'
import { asOwner } from '../../support/run/database.ts'
import { type Caller, type Corp, startWorld, type World } from '../../support/world.ts'

export const months = Array.from(
  { length: 60 },
  (_, at) => `${2022 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}`,
)
export const newest_year = 2026

/** The amounts of an employee's row in fen, by label and role. */
const typical: readonly (readonly [label: string, role: ColumnRole, fen: number])[] = [
  ['基本工资', 'earning', 620_000],
  ['绩效奖金', 'earning', 210_000],
  ['加班费', 'earning', 42_000],
  ...Array.from({ length: 20 }, (_, at) => [`津贴${at + 1}`, 'earning', 1_100 + at * 70] as const),
  ['养老保险', 'deduction', 64_000],
  ['医疗保险', 'deduction', 16_000],
  ['住房公积金', 'deduction', 80_000],
  ['工会费', 'deduction', 2_000],
  ['个人所得税', 'tax', 12_345],
  ['单位养老保险', 'employer', 128_000],
  ['单位公积金', 'employer', 80_000],
]
const labels: readonly (readonly [string, ColumnRole])[] = [
  ['姓名', 'name'],
  ['工号', 'employee_no'],
  ...typical.map(([label, role]) => [label, role] as const),
  ['应发合计', 'gross'],
  ['实发工资', 'net'],
]
const getKey = (label: string): string => `c${labels.findIndex(([one]) => one === label)}`
const getKeys = (role: ColumnRole): string[] => typical.flatMap(([label, one]) => (one === role ? [getKey(label)] : []))

const recognized = {
  says: { title: null, month: null },
  sheets: [],
  parts: [],
  header: { rows: [1], first_data_row: 2, last_data_row: null },
  columns: labels.map(([label, role], at) => ({
    key: `c${at}`,
    col: String(at),
    path: [label],
    label,
    role,
    kind: at < 2 ? ('text' as const) : ('money' as const),
    samples: [],
    confidence: 1,
    reason: '',
    hidden: false,
  })),
  rows: 1,
  ignored: [],
  formula: {
    plus: [getKey('应发合计')],
    minus: [...getKeys('deduction'), ...getKeys('tax')],
    net: getKey('实发工资'),
    holds: 1,
    of: 1,
    by: 'found' as const,
  },
  subtotals: [{ key: getKey('应发合计'), plus: getKeys('earning'), minus: [], holds: 1, of: 1 }],
  totals_row: null,
  total_rows: [],
  warnings: [],
  questions: [],
  remembered: null,
  expected: null,
  read: { formula: null, questions: [], totals_row: null, roles: {} },
}

function getSlip(person: number, month: number) {
  const money = (fen: number) => ({ value: (fen / 100).toFixed(2), kind: 'money' as const, fen })
  const cells: Record<string, RowCells[string]> = {
    c0: { value: `员工${person}`, kind: 'text' },
    c1: { value: `B${person}`, kind: 'text' },
  }
  let [gross_fen, accepted] = [0, 0]
  for (const [label, role, about] of typical) {
    const fen = about + ((person * 7919 + month * 104_729) % Math.ceil(about / 3))
    cells[getKey(label)] = money(fen)
    if (role === 'earning') gross_fen += fen
    else if (role !== 'employer') accepted += fen
  }
  cells[getKey('应发合计')] = money(gross_fen)
  cells[getKey('实发工资')] = money(gross_fen - accepted)
  const tax_fen = cells[getKey('个人所得税')]?.fen ?? null
  return { cells, gross_fen, net_fen: gross_fen - accepted, tax_fen }
}

const surnames = '王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗'
const provided =
  '伟芳娜敏静丽强磊军洋勇艳杰娟涛明超霞平刚玲桂英华慧巧美静淑惠珠翠雅芝玉萍红娥玲芬芳燕彩春菊兰凤洁梅琳素云莲真环雪荣爱妹霞香月莺媛'
const getSign = (signs: string, at: number): string => [...signs][at % [...signs].length] ?? ''
export const getName = (at: number): string =>
  getSign(surnames, at) + getSign(provided, Math.floor(at / 20)) + getSign(provided, at * 7 + 3)

/** Creates 100 departments in 10 departments below one root, and their members. */
async function employAll(world: World, corp: Corp, people: number): Promise<string[]> {
  const { company_id } = corp
  const places: string[] = []
  for (let at = 0; at < 10; at += 1) {
    const part = await corp.department(`事业部${at + 1}`)
    for (let below = 0; below < 10; below += 1) places.push(await corp.department(`小组${at * 10 + below + 1}`, part))
  }
  const ids = Array.from({ length: people }, () => newId())
  const rows = ids.map((_, at) => at)
  await world.database.inCompany(company_id, async (tx) => {
    await sql`
      insert into member (company_id, id, name, mobile, employee_no, entry_on, created_at)
      select ${company_id}, id, name, mobile, no, entry_on::date, ${world.clock.now()}
      from unnest(${ids}::uuid[], ${rows.map(getName)}::text[], ${rows.map((at) => `199${String(at).padStart(8, '0')}`)}::text[],
        ${rows.map((at) => `B${at}`)}::text[], ${rows.map((at) => `${2015 + (at % 11)}-0${1 + (at % 9)}-15`)}::text[]) as one (id, name, mobile, no, entry_on)`.execute(
      tx,
    )
    await sql`
      insert into member_department (company_id, member_id, department_id)
      select ${company_id}, id, place from unnest(${ids}::uuid[],
        ${rows.map((at) => places[at % places.length] ?? corp.root_id)}::uuid[]) as one (id, place)`.execute(tx)
  })
  await spellMissingNames(world, company_id)
  return ids
}

type RunIds = { readonly company_id: string; readonly owner_id: string; readonly batch_id: string; readonly title_id: string }
/**
 * Creates a sent pay run under its own title. The recognition result of its wage sheet cannot be opened unless
 * `recognition` is given.
 */
export const sentRun = (
  vault: Vault,
  { company_id, owner_id, batch_id, title_id }: RunIds,
  { name, month, people }: { readonly name: string; readonly month: string; readonly people: number },
) => ({
  title: { company_id, id: title_id, owner_id, ...sealTitle(vault, { id: title_id, name, month }), month },
  batch: {
    company_id,
    id: batch_id,
    owner_id,
    title_id,
    status: 'sent' as const,
    file_name: sealFileName(vault, batch_id, `${name}.xlsx`),
    layout: vault.seal(getLayoutPosition(batch_id), { version: 1 }),
    file_hash: Buffer.from(batch_id),
    fingerprint: batch_id,
    sheet_layout: sealSheetLayout(vault, batch_id, { others: [], hidden_rows: [], merges: [] }),
    recognition: Buffer.from('not opened here'),
    people,
  },
})

type Run = { readonly batch_id: string; readonly month: number; readonly members: readonly string[]; readonly from: number }

async function payRun(world: World, corp: Corp, owner_id: string, { batch_id, month, members, from }: Run, real: boolean) {
  const { company_id } = corp
  const at = new Date(`${months[month]}-25T10:00:00+08:00`)
  await world.database.inCompany(company_id, async (tx) => {
    const vault = await world.secrets.vault(tx, company_id)
    const title_id = newId()
    const name = `${['总部', '门店', '工厂', '研发中心', '华东区'][from % 5]}${Number((months[month] ?? '').slice(5))}月工资`
    const owner = { company_id, owner_id, batch_id, title_id }
    const run = sentRun(vault, owner, { name: `${name}${from}`, month: months[month] ?? '', people: members.length })
    await tx.insertInto('title').values(run.title).execute()
    await tx
      .insertInto('batch')
      .values({
        ...run.batch,
        recognition: sealRecognition(vault, batch_id, recognized),
        sent_at: at,
        created_at: at,
        updated_at: at,
      })
      .execute()
    const ids = members.map(() => newId())
    const insert = (cells: ReturnType<typeof sql>, more: ReturnType<typeof sql>) => sql`
      insert into payslip (company_id, id, batch_id, member_id, row_no, status, channel, cells, sent_at, viewed_at)
      select ${company_id}, one.id, ${batch_id}, one.member_id, one.place + 1, case when one.place % 5 = 0 then 'sent' else 'viewed' end, 'link', ${cells}, ${at}, ${at}
      from unnest(${ids}::uuid[], ${[...members]}::uuid[] ${more}) with ordinality as one (id, member_id ${real ? sql`, cells` : sql``}, place)`
    const one = (id: string, person: number) => sealedSlip(vault, id, person, month)
    if (real) {
      const cells = ids.map((id, person) => one(id, from + person))
      await insert(sql`one.cells`, sql`, ${cells}::bytea[]`).execute(tx)
    } else await insert(sql`${one(newId(), from)}::bytea`, sql``).execute(tx)
  })
}
const sealedSlip = (vault: Vault, id: string, person: number, month: number): Buffer =>
  sealPayslipContent(vault, id, 1, getSlip(person, month))

export type Years = {
  readonly world: World
  readonly corp: Corp
  readonly caller: Caller
  readonly address: string
  readonly runs: readonly Run[]
}

/**
 * Creates the company. `each`: pay runs a month, among which the employees are divided. `real`: the payslips of the
 * newest year can be opened.
 */
export async function fiveYears(people: number, each: number, real: boolean): Promise<Years> {
  const world = await startWorld({ now: '2026-12-28T10:00:00+08:00', client_dir: join(import.meta.dirname, '../../../dist') })
  const corp = await world.createCompany({ name: '五年有限公司' })
  const boss = await corp.person({ power: ['2', '4'], name: '系统管理员' })
  const members = await employAll(world, corp, people)
  const share = Math.ceil(people / each)
  const runs: Run[] = months.flatMap((_, month) =>
    Array.from({ length: each }, (__, at) => ({
      batch_id: newId(),
      month,
      members: members.slice(at * share, (at + 1) * share),
      from: at * share,
    })),
  )
  for (const run of runs) await payRun(world, corp, boss.admin_id ?? '', run, real && run.month >= 48)
  await asOwner({ owner: world.owner }, async (client) => {
    // A dialog asks users without a password to set one.
    await client.query(`update account set password_hash = 'none' where id = $1`, [boss.account_id])
    // The database does this by itself within minutes.
    await client.query('vacuum analyze')
  })
  const caller = await world.signIn(boss)
  return { world, corp, caller, address: (await world.listen()).origin, runs }
}

/** Opens a browser page in which a user is signed in. */
export async function getWindow(
  browser: Browser,
  { address, caller }: Pick<Years, 'address' | 'caller'>,
): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: address })
  const cookies = (caller.headers.cookie ?? '').split('; ').map((one) => one.split('=') as [string, string])
  await context.addCookies(cookies.map(([name, value]) => ({ name, value, url: address })))
  await context.addInitScript((half) => localStorage.setItem('user-token', half), caller.headers['user-token'] ?? '')
  return context
}
