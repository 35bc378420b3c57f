/** Contribution bases and incomes of many members from a list of the company: what would change, then one confirmation. */
import { describe, expect, it } from 'vitest'
import { editMemberInfo } from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { getImportSampleFile } from '../../../server/contract/files/files.ts'
import * as history from '../../../server/contract/tax/history.ts'
import * as insurance from '../../../server/contract/tax/insurance.ts'
import * as periods from '../../../server/contract/tax/periods.ts'
import { demoWorld } from '../../support/demo.ts'
import type { XlsxCell } from '../../support/files/xlsx.ts'
import { book, openOffice } from '../../support/office.ts'
import { asOwner } from '../../support/run/database.ts'
import type { Caller } from '../../support/world.ts'

const world = demoWorld()
const toFile = (bytes: Buffer, name = '表.xlsx') => ({ file: { name, bytes } })
const getSample = async (type: string) =>
  (await world.product.app.inject({ method: 'GET', url: getImportSampleFile.path, query: { type } })).rawPayload

async function openInsuredOffice(names: readonly string[]) {
  const opened = await openOffice(world, names)
  const { templates } = await opened.clerk.must(insurance.getInsuranceSchemeList, {})
  const template = templates.find(({ city, valid_from }) => city === '上海' && valid_from === '2026-07')
  if (!template) throw new Error('no scheme')
  await opened.clerk.must(insurance.saveInsuranceScheme, { scheme_id: null, ...template })
  return opened
}

describe('contribution bases', () => {
  const head = ['姓名', '手机号', '社保基数', '公积金基数', '公积金比例']
  const importBases = (clerk: Caller, rows: XlsxCell[][], input: { city?: string; apply?: '1'; from?: string } = {}) =>
    clerk.call(insurance.importInsurance, { from: '2026-11', ...input }, toFile(book(head, rows)))
  const getBases = async (clerk: Caller) =>
    (await clerk.must(insurance.getMemberInsurance, {})).list.flatMap(({ name, entries: [newest] }) =>
      newest ? [[name, newest.from, newest.city, newest.social_fen, newest.housing_fund_fen, newest.housing_fund_ppm]] : [],
    )

  it('shows what would change row by row, saves it once, and changes nothing the second time', async () => {
    const { clerk, staff } = await openInsuredOffice(['赵一', '钱二', '孙三'])
    const [first, second] = staff
    const rows = [
      ['赵一', first?.mobile ?? '', 20_000, 18_000, '7%'],
      ['钱二', second?.mobile ?? '', 12_345.67, null, '5%'],
      ['无名', null, 9_000, null, null],
      ['孙三', first?.mobile ?? '', 9_000, null, null],
      ['合计', null, 41_345.67, null, null],
    ]
    expect((await importBases(clerk, rows, { city: '上海' })).data).toMatchObject({
      applied: false,
      people: 2,
      counts: { new: 2, changed: 0, same: 0, rejected: 2 },
      // The administrator and 孙三, whose row was refused, keep what they have.
      not_listed: 2,
      rows: [
        { row: 4, name: '无名', change: 'rejected', reason: expect.stringContaining('花名册里没有') },
        { row: 5, name: '孙三', change: 'rejected', reason: '手机号在花名册里是赵一的，请核对' },
        { name: '赵一', change: 'new', before_social_fen: null, social_fen: 2_000_000, housing_fund_fen: 1_800_000 },
        { name: '钱二', change: 'new', social_fen: 1_234_567, housing_fund_fen: 1_234_567, housing_fund_ppm: 50_000 },
      ],
    })
    expect(await getBases(clerk)).toEqual([])
    expect((await importBases(clerk, rows, { city: '上海', apply: '1' })).data).toMatchObject({ applied: true, people: 2 })
    expect(await getBases(clerk)).toEqual([
      ['赵一', '2026-11', '上海', 2_000_000, 1_800_000, 70_000],
      ['钱二', '2026-11', '上海', 1_234_567, null, 50_000],
    ])
    expect((await importBases(clerk, rows, { apply: '1' })).data).toMatchObject({ people: 0, counts: { same: 2, rejected: 2 } })
    // The next adjustment starts later, and keeps the city and the rate.
    const next = [['赵一', null, 21_000, null, null]]
    expect((await importBases(clerk, next, { from: '2026-12', apply: '1' })).data).toMatchObject({
      rows: [{ change: 'changed', before_social_fen: 2_000_000, social_fen: 2_100_000, housing_fund_fen: 1_800_000 }],
    })
    expect((await importBases(clerk, next)).data?.rows[0]?.reason).toContain('2026-12 起已有另一次调整')
    // Amounts are sealed: no column holds them.
    const { rows: stored } = await asOwner(world, (client) => client.query('select details::text as text from member_insurance'))
    expect(stored.map(({ text }) => String(text)).join()).not.toMatch(/2000000|social/)
  })

  it('asks for a city where several could be meant, and names repeated members', async () => {
    const { clerk } = await openInsuredOffice(['赵一', '钱二'])
    const rows = ['赵一', '钱二', '钱二'].map((name) => [name, null, 9_000, null, null])
    expect((await importBases(clerk, rows)).data?.rows.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('没有参保城市'),
      '这个人在文件里有几行，请只留一行',
      '这个人在文件里有几行，请只留一行',
    ])
  })

  it('finds only members of the own departments', async () => {
    const { corp } = await openInsuredOffice(['赵一'])
    const [inside, outside] = [await corp.department('一部'), await corp.department('二部')]
    await corp.person({ name: '周五', department_ids: [outside] })
    const clerk = await world.signIn(await corp.person({ power: ['2'], scope: { all: false, department_ids: [inside] } }))
    const { data } = await importBases(clerk, [['周五', null, 9_000, null, null]], { city: '上海' })
    expect(data?.rows[0]).toMatchObject({ change: 'rejected', reason: expect.stringContaining('不在您的管理范围内') })
  })

  it('reads its own template, csv, and refuses another file', async () => {
    const { clerk } = await openInsuredOffice(['张三', '李四'])
    const { data } = await clerk.call(insurance.importInsurance, { from: '2026-11' }, toFile(await getSample('insurance')))
    expect(data).toMatchObject({ unread_columns: [], other_sheets: [], counts: { rejected: 2 } })
    expect(data?.rows.map(({ reason }) => reason)).toEqual(
      [expect.stringContaining('工号'), expect.stringContaining('工号')].map(() => expect.any(String)),
    )
    const csv = Buffer.from('姓名,社保基数\n张三,9000\n')
    expect(
      (await clerk.call(insurance.importInsurance, { from: '2026-11', city: '上海' }, toFile(csv, '基数.csv'))).data,
    ).toMatchObject({ people: 1 })
    const other = await clerk.call(
      insurance.importInsurance,
      { from: '2026-11' },
      toFile(book(['姓名', '电话'], [['张三', '1']])),
    )
    expect([other.code, other.message]).toEqual([errorCodes.unreadable_sheet.code, expect.stringContaining('没有找到缴费基数表')])
  })
})

describe('incomes of a period', () => {
  const head = ['姓名', '本期收入', '基本养老保险费', '年终奖']
  const importIncomes = (clerk: Caller, period_id: string, rows: XlsxCell[][], apply?: '1') =>
    clerk.call(periods.importIncome, { period_id, ...(apply ? { apply } : {}) }, toFile(book(head, rows)))

  it('shows what would change, saves it once, and computes the month from it', async () => {
    const { clerk, staff } = await openOffice(world, ['赵一', '钱二', '孙三'])
    for (const { member_id } of staff) await clerk.must(editMemberInfo, { id: member_id, entry_date: '2026-11-02' })
    const { period_id } = await clerk.must(periods.createPeriod, { month: '2026-11' })
    const amounts = { income_fen: 1_000_000, annuity_fen: 10_000 }
    await clerk.must(periods.saveIncome, {
      period_id,
      rows: [staff[0], staff[2]].map((one) => ({ member_id: one?.member_id ?? '', amounts })),
    })
    const rows = [
      ['赵一', 20_000, 1_600, null],
      ['钱二', 30_000, null, 36_000],
      ['无名', 1, null, null],
    ]
    const { data: plan } = await importIncomes(clerk, period_id, rows)
    expect(plan).toMatchObject({
      applied: false,
      people: 2,
      counts: { new: 1, changed: 1, same: 0, rejected: 1 },
      not_listed: 1,
      rows: [
        { row: 4, name: '无名', change: 'rejected' },
        { name: '赵一', change: 'changed', before_income_fen: 1_000_000, income_fen: 2_000_000 },
        { name: '钱二', change: 'new', before_income_fen: null, income_fen: 3_000_000, special_fen: null, bonus_fen: 3_600_000 },
      ],
    })
    expect((await clerk.must(periods.getPeriod, { period_id })).member_count).toBe(2)
    await importIncomes(clerk, period_id, rows, '1')
    await clerk.must(periods.computePeriod, { period_id })
    await world.product.jobs.drain()
    const { list } = await clerk.must(history.getHistoryDetail, { period_id })
    // (20,000 − 5,000 − 1,600 − 100 of the annuity, which the file has no column for) × 3%.
    expect(list.map(({ name, result }) => [name, result?.tax_fen, result?.bonus_tax_fen])).toEqual([
      ['赵一', 39_900, 0],
      ['钱二', 75_000, 108_000],
      ['孙三', 14_700, 0],
    ])
    expect((await importIncomes(clerk, period_id, rows, '1')).data).toMatchObject({ people: 0, counts: { same: 2 } })
    // Nothing changed, so the computed month is still computed; and a locked one takes nothing.
    expect((await clerk.must(periods.getPeriod, { period_id })).status).toBe('computed')
  })

  it('reads its own template', async () => {
    const { clerk } = await openOffice(world, [])
    const { period_id } = await clerk.must(periods.createPeriod, { month: '2026-11' })
    const { data } = await clerk.call(periods.importIncome, { period_id }, toFile(await getSample('income')))
    expect(data).toMatchObject({ unread_columns: [], counts: { rejected: 2 }, people: 0 })
  })
})
