/**
 * Special additional deductions of members: entered, listed by open tasks, confirmed for a year, computed for a month
 * of the whole company.
 */
import { describe, expect, it } from 'vitest'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as contract from '../../../server/contract/tax/deductions.ts'
import { type DeductionState, emptyDeduction } from '../../../server/contract/tax/kinds.ts'
import { loadMonthDeductions } from '../../../server/modules/tax/deduction/reader.ts'
import { demo } from '../../support/demo.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'
import { asOwner } from '../../support/run/database.ts'

const { world, corp, clerk, payroll } = demo({ own: { now: '2026-11-20T10:00:00+08:00' } })

type Item = contract.DeductionItem
const item = (of: Partial<Item> & Pick<Item, 'kind'>): Item => ({ ...emptyDeduction, ...of })
const mother = item({ kind: 'elderly', whose: '母亲', born: '1960-03-08', only_child: true })
const rent = item({ kind: 'housing_rent', whose: '夜莺公寓', from: '2026-01', to: '2026-12', city_tier: 1 })
const loan = item({ kind: 'housing_loan', from: '2020-06' })
const of = (name: string) => payroll.must(contract.getDeductionList, { name })

it('shows the entered deductions of a member with their amounts and duration', async () => {
  const person = await corp.person({ name: '程清' })
  const save = { member_id: person.member_id, version: 0, items: [mother, rent] }
  expect(await payroll.must(contract.saveDeduction, save)).toEqual({ version: 1 })
  const { list, month, confirm_year } = await of('程清')
  expect({ month, confirm_year }).toEqual({ month: '2026-11', confirm_year: 2026 })
  expect(list[0]).toMatchObject({
    name: '程清',
    version: 1,
    confirmed_year: 2026,
    month_fen: 300_000 + 150_000,
    year_fen: 11 * 450_000,
    error_message: null,
    items: [
      { kind: 'elderly', period_state: 'counts', month_fen: 300_000, days_left: null },
      { kind: 'housing_rent', whose: '夜莺公寓', month_fen: 150_000, last_day: '2026-12-31', days_left: 41 },
    ],
  })
  expect(list[0]?.steps.join()).toContain('国发〔2018〕41号')

  const again = await payroll.call(contract.saveDeduction, { ...save, items: [mother] })
  expect([again.code, again.message]).toEqual([errorCodes.wrong_state.code, '这位员工的资料刚刚被其他人改过，请刷新后核对再保存'])
  await payroll.must(contract.saveDeduction, { ...save, version: 1, items: [] })
  expect((await of('程清')).list[0]).toMatchObject({ version: 2, items: [], month_fen: 0 })
})

it.each<[string, Item[], string, string]>([
  [
    'two deductions that exclude each other',
    [loan, rent],
    'items.1.kind',
    '2026 年度：住房贷款利息和住房租金在同一年度只能扣一项',
  ],
  [
    "more than half of a parent's deduction",
    [{ ...mother, only_child: false, amount_fen: 200_000 }],
    'items.0.amount_fen',
    '每月最多分摊 1,500.00',
  ],
  ['rent without a city', [{ ...rent, city_tier: null }], 'items.0.city_tier', '住房租金：请选择工作城市的档次'],
])('refuses %s', async (_what, items, field, message) => {
  const person = await corp.person()
  const answer = await payroll.call(contract.saveDeduction, { member_id: person.member_id, version: 0, items })
  expect(answer).toMatchObject({ code: errorCodes.invalid.code, data: { field }, message: expect.stringContaining(message) })
})

it('filters deductions by open tasks, with counts of all', async () => {
  const office = await world.createCompany()
  const clerk = await world.signIn(await office.person({ power: ['2'], name: '薪酬' }))
  const [ending, fine] = [await office.person({ name: '快到期' }), await office.person({ name: '长期' })]
  await clerk.must(contract.saveDeduction, { member_id: ending.member_id, version: 0, items: [rent] })
  await clerk.must(contract.saveDeduction, { member_id: fine.member_id, version: 0, items: [mother] })
  const names = async (state: DeductionState) =>
    (await clerk.must(contract.getDeductionList, { state })).list.map(({ name }) => name)
  expect(await names('expiring')).toEqual(['快到期'])
  expect(await names('none')).toEqual(['薪酬'])
  expect(await names('unconfirmed')).toEqual([])
  const all = await clerk.must(contract.getDeductionList, { kind: 'elderly' })
  expect(all.list.map(({ name }) => name)).toEqual(['长期'])
  expect(all.counts).toEqual({ people: 3, entered: 2, expiring: 1, unconfirmed: 0, invalid: 0, none: 1 })
})

it('previews and imports the official deduction lists, and changes nothing on repetition', async () => {
  const office = await world.createCompany()
  const clerk = await world.signIn(await office.person({ power: ['2'], name: '薪酬' }))
  await office.person({ name: '程清', employee_no: 'A01' })
  await office.person({ name: '卫青' })
  const who = ['工号', '*姓名', '*证件号码']
  const bytes = makeXlsx({
    sheets: [
      {
        name: '赡养老人',
        rows: [
          [...who, '*是否独生子女', '本年度月扣除金额', '*被赡养人姓名', '*出生日期'],
          ['A01', '程清', '', '是', '', '程母', '1960-03-08'],
          ['', '卫青', '', '否', '1500', '卫父', '1958年1月2日'],
          ['', '卫青', '', '否', '一半', '卫母', '1959-01-02'],
          ['', '无此人', '', '是', '', '某人', '1959-01-02'],
        ],
      },
      { name: '说明', rows: [['请如实填写']] },
    ],
  })
  const file = { name: '专项附加扣除信息表.xlsx', bytes }
  const plan = await clerk.must(contract.importDeduction, {}, { file })
  expect(plan).toMatchObject({
    applied: false,
    people: 2,
    counts: { new: 2, changed: 0, same: 0, fault: 2 },
    other_sheets: ['说明'],
    rows: [
      { sheet: '赡养老人', row: 4, cell: 'E4', name: '卫青', what: 'fault', reason: '不是金额，请写成数字' },
      { sheet: '赡养老人', row: 5, cell: 'B5', name: '无此人', what: 'fault' },
      { row: 2, name: '程清', kind: 'elderly', what: 'new' },
      { row: 3, name: '卫青', kind: 'elderly', what: 'new' },
    ],
  })
  expect((await clerk.must(contract.getDeductionList, {})).counts.entered).toBe(0)
  expect(await clerk.must(contract.importDeduction, { apply: '1' }, { file })).toMatchObject({ applied: true, people: 2 })
  const versions = async () =>
    (await clerk.must(contract.getDeductionList, {})).list.map(({ version, month_fen }) => [version, month_fen])
  const after = await versions()
  expect(after).toEqual([
    [0, 0],
    [1, 300_000],
    [1, 150_000],
  ])
  const again = await clerk.must(contract.importDeduction, { apply: '1' }, { file })
  expect(again).toMatchObject({ people: 0, counts: { new: 0, changed: 0, same: 2, fault: 2 } })
  expect(await versions()).toEqual(after)
  const wrong = await clerk.call(
    contract.importDeduction,
    {},
    { file: { name: '工资.csv', bytes: Buffer.from('姓名,实发\n程清,1\n') } },
  )
  expect([wrong.code, wrong.message]).toEqual([
    errorCodes.unreadable_sheet.code,
    expect.stringContaining('没有找到专项附加扣除的表'),
  ])
})

it('hides deductions from administrators of other departments and other companies, and stores them encrypted', async () => {
  const kitchen = await corp.department('后厨')
  const canary = await corp.person({ name: '金丝雀', department_ids: [kitchen] })
  const input = { member_id: canary.member_id, version: 0, items: [{ ...rent, whose: '金丝雀公寓 8371 室' }] }
  await payroll.must(contract.saveDeduction, input)
  const hall = await corp.department('前厅')
  const reader = { power: ['1' as const, '2' as const], scope: { all: false, department_ids: [hall] } }
  const elsewhere = await world.signIn(await corp.person({ ...reader, department_ids: [hall] }))
  const outsider = await world.signIn(await (await world.createCompany()).person({ power: ['4'] }))
  for (const who of [elsewhere, outsider]) {
    const answers = [
      await who.call(contract.getDeductionList, { pagesize: 100 }),
      await who.call(contract.getDeductionList, { kind: 'housing_rent' }),
      await who.call(contract.saveDeduction, { ...input, version: 1 }),
      await who.call(contract.confirmDeduction, { year: 2026, member_ids: [canary.member_id] }),
    ]
    expect(JSON.stringify(answers)).not.toMatch(/金丝雀|8371/)
    expect(answers.slice(2).map(({ code }) => code)).toEqual([errorCodes.not_found.code, errorCodes.not_found.code])
  }
  const rows = await asOwner({ owner: world.owner }, async (owner) => {
    const tables = ['member_deduction', 'audit_log_entry']
    const all = await Promise.all(
      tables.map((table) => owner.query<{ text: string }>(`select t::text as text from ${table} as t`)),
    )
    return all.flatMap((one) => one.rows.map(({ text }) => text))
  })
  const text = rows.join('\n')
  expect(text).toContain(canary.member_id)
  for (const word of ['金丝雀公寓', 'housing_rent', Buffer.from('金丝雀公寓').toString('hex')]) expect(text).not.toContain(word)
})

describe('deductions of the whole company for a month', () => {
  it('sums deductions year to date by the columns of the tax return; next year only confirmed ones count', async () => {
    const [one, other, anonymous] = [await corp.person(), await corp.person(), await corp.person()]
    for (const { member_id } of [one, other])
      await payroll.must(contract.saveDeduction, { member_id, version: 0, items: [mother, { ...loan, share: 'half' }] })
    const people = [one, other, anonymous].map(({ member_id }) => ({ member_id, hire_month: null, leave_month: null }))
    const read = (month: string) =>
      world.database.inCompany(corp.company_id, async (db) =>
        loadMonthDeductions({ db, company_id: corp.company_id, vault: await world.secrets.vault(db, corp.company_id) }, month, [
          { ...people[0], member_id: one.member_id, hire_month: '2026-10', leave_month: null },
          ...people.slice(1),
        ]),
      )
    const november = await read('2026-11')
    expect(november.get(one.member_id)?.additional_cumulative).toBe(2 * 350_000)
    expect(november.get(other.member_id)).toMatchObject({
      cumulative: { elderly: 11 * 300_000, housing_loan: 11 * 50_000, child_education: 0, personal_pension: 0 },
      additional_cumulative: 11 * 350_000,
      refused: null,
    })
    expect(november.has(anonymous.member_id)).toBe(false)

    expect((await read('2027-01')).get(other.member_id)).toMatchObject({
      additional_cumulative: 0,
      refused: '还没有确认 2027 年度的专项附加扣除；确认以后才扣除',
    })
    const early = await payroll.call(contract.confirmDeduction, { year: 2027, member_ids: [other.member_id] })
    expect([early.code, early.message]).toEqual([errorCodes.wrong_state.code, '2027 年度要到上一年 12 月才开始确认'])
    world.clock.set('2026-12-05T10:00:00+08:00')
    const december = await world.signIn(clerk)
    const requested = await december.must(contract.getDeductionList, { state: 'unconfirmed' })
    expect(requested.confirm_year).toBe(2027)
    expect(requested.list.map(({ member_id }) => member_id)).toContain(other.member_id)
    const member_ids = [other.member_id, anonymous.member_id]
    expect(await december.must(contract.confirmDeduction, { year: 2027, member_ids })).toEqual({ confirmed: 1, nothing: 1 })
    expect((await read('2027-01')).get(other.member_id)?.additional_cumulative).toBe(350_000)
    expect((await read('2027-01')).get(one.member_id)?.additional_cumulative).toBe(0)
  })
})
