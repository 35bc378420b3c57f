/** City schemes, contribution bases of members, and monthly contributions of both sides. */
import { describe, expect, it } from 'vitest'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import * as sheet from '../../../server/contract/sheets/sheet.ts'
import * as contract from '../../../server/contract/tax/insurance.ts'
import { loadMonthInsurance } from '../../../server/modules/tax/insurance/reader.ts'
import { markSchemesUsed } from '../../../server/modules/tax/insurance/schemes.ts'
import { demo } from '../../support/demo.ts'
import { book, getUpload } from '../../support/office.ts'
import { asOwner } from '../../support/run/database.ts'
import type { Caller, Corp, Person } from '../../support/world.ts'

const { world, corp, payroll } = demo({ each: true })

const entry: contract.InsuranceEntry = {
  from: '2026-07',
  insured: true,
  city: '上海',
  social_fen: 2_000_000,
  housing_fund_fen: null,
  housing_fund_ppm: 70_000,
  supplementary_ppm: null,
  not_enrolled: [],
}
async function addShanghai(clerk: Caller, valid_from = '2026-07') {
  const { templates } = await clerk.must(contract.getInsuranceSchemeList, {})
  const template = templates.find((one) => one.city === '上海' && one.valid_from === valid_from)
  if (!template) throw new Error(`no scheme of ${valid_from}`)
  return { template, ...(await clerk.must(contract.saveInsuranceScheme, { scheme_id: null, ...template })) }
}
const getContext = async <T>(of: Corp, work: (ctx: Parameters<typeof loadMonthInsurance>[0]) => Promise<T>): Promise<T> =>
  world.database.inCompany(of.company_id, async (db) =>
    work({ db, company_id: of.company_id, vault: await world.secrets.vault(db, of.company_id) }),
  )

/** Sends a wage sheet of one member with this gross pay. */
async function pay(clerk: Caller, { name, mobile }: Person, month: string, gross: number): Promise<string> {
  const { batch_id } = await getUpload(clerk, book(['姓名', '手机号', '应发工资', '实发工资'], [[name, mobile, gross, gross]]))
  await clerk.must(sheet.insertBatchTitle, { batch_id, title: `${month}工资`, month })
  await clerk.must(sheet.checkWageData, { batch_id })
  const { plan_id } = await clerk.must(slip.sendPaySheet, { batch_id })
  await clerk.must(slip.doSend, { plan_id, looked: true })
  await world.product.jobs.drain()
  return batch_id
}

describe('insurance schemes', () => {
  it('starts with the published schemes of the cities, which then belong to the company', async () => {
    const { template } = await addShanghai(payroll)
    const { list } = await payroll.must(contract.getInsuranceSchemeList, {})
    expect(list).toMatchObject([{ ...template, version: 1, locked_through: null, replaced: false }])
    const outsider = await world.signIn(await (await world.createCompany()).person({ power: ['4'] }))
    expect((await outsider.must(contract.getInsuranceSchemeList, {})).list).toEqual([])
  })

  it('ends a scheme without an end date where the next one starts, and refuses two for the same months', async () => {
    const { template } = await addShanghai(payroll, '2025-07')
    const open = { ...template, valid_to: null }
    const [one] = (await payroll.must(contract.getInsuranceSchemeList, {})).list
    const scheme_id = one?.scheme_id ?? ''
    await payroll.must(contract.saveInsuranceScheme, { ...open, scheme_id, version: 1 })
    const next = await payroll.must(contract.saveInsuranceScheme, { ...open, scheme_id: null, valid_from: '2026-07' })
    expect(next.previous_period).toEqual({ valid_from: '2025-07', valid_to: '2026-06' })
    const again = await payroll.call(contract.saveInsuranceScheme, {
      ...open,
      scheme_id: null,
      valid_from: '2026-09',
      valid_to: '2026-12',
    })
    expect(again).toMatchObject({ code: 0 })
    const over = await payroll.call(contract.saveInsuranceScheme, {
      ...open,
      scheme_id: null,
      valid_from: '2026-08',
      valid_to: '2026-08',
    })
    expect(over).toMatchObject({ code: errorCodes.invalid.code, data: { field: 'valid_from' } })
  })

  it('does not change a scheme used by a locked period, but adds a new version', async () => {
    const { scheme_id, template } = await addShanghai(payroll)
    const person = await corp.person()
    await payroll.must(contract.saveMemberInsurance, { members: [{ member_id: person.member_id, version: 0, entries: [entry] }] })
    await getContext(corp, (ctx) => markSchemesUsed(ctx, '2026-09', [scheme_id]))
    await getContext(corp, (ctx) => markSchemesUsed(ctx, '2026-08', [scheme_id]))
    const items = template.items.map((one) => (one.code === 'injury' ? { ...one, employer_ppm: 4_000 } : one))
    const change = { ...template, scheme_id, version: 1, items }
    const refused = await payroll.call(contract.saveInsuranceScheme, change)
    expect([refused.code, refused.message]).toEqual([
      errorCodes.wrong_state.code,
      '已锁定的 2026-09 个税用的是这个方案，不能修改；请另存为新版本',
    ])
    const made = await payroll.must(contract.saveInsuranceScheme, { ...change, as_new_version: true })
    expect(made.version).toBe(2)
    const { list } = await payroll.must(contract.getInsuranceSchemeList, {})
    expect(list.map(({ version, replaced, locked_through }) => ({ version, replaced, used_through: locked_through }))).toEqual([
      { version: 2, replaced: false, used_through: null },
      { version: 1, replaced: true, used_through: '2026-09' },
    ])
    expect(list[1]?.items).toEqual(template.items)
    const now = await getContext(corp, (ctx) => loadMonthInsurance(ctx, '2026-11', [person.member_id]))
    expect(now.get(person.member_id)).toMatchObject({ scheme_id: made.scheme_id })
    const old = await payroll.call(contract.saveInsuranceScheme, { ...change, as_new_version: true })
    expect(old.message).toContain('这个方案已经有更新的版本')
  })
})

describe('contribution bases', () => {
  it('applies a contribution base per item with its own rounding, also for the whole company at once', async () => {
    await addShanghai(payroll)
    const [one, low, out] = [
      await corp.person({ name: '甲' }),
      await corp.person({ name: '乙' }),
      await corp.person({ name: '丙' }),
    ]
    const members = [
      { member_id: one.member_id, version: 0, entries: [entry] },
      { member_id: low.member_id, version: 0, entries: [{ ...entry, social_fen: 300_000, housing_fund_ppm: null }] },
      { member_id: out.member_id, version: 0, entries: [{ ...entry, insured: false }] },
    ]
    expect(await payroll.must(contract.saveMemberInsurance, { members })).toEqual({ saved: 3 })
    const { list, counts } = await payroll.must(contract.getMemberInsurance, {})
    const of = (name: string) => list.find((person) => person.name === name)
    expect(of('甲')?.current).toMatchObject({ employee_fen: 350_000, employer_fen: 654_000 })
    // The minimum base applies.
    expect(of('乙')?.current?.items[0]).toEqual({
      code: 'pension',
      base_fen: 754_600,
      employee_fen: 60_368,
      employer_fen: 120_736,
    })
    expect(of('丙')).toMatchObject({ current: null, refused: null, version: 1 })
    expect(counts).toEqual({ people: 4, entered: 3, missing: 1, faulty: 0, adjust: 0 })

    const ids = [one, low, out].map(({ member_id }) => member_id)
    const read = await getContext(corp, (ctx) => loadMonthInsurance(ctx, '2026-11', ids))
    expect(read.get(one.member_id)).toMatchObject({
      city: '上海',
      special: { pension: 160_000, medical: 40_000, unemployment: 10_000, housing_fund: 140_000 },
      employee_total: 350_000,
    })
    expect(read.has(out.member_id)).toBe(false)
    const before = await getContext(corp, (ctx) => loadMonthInsurance(ctx, '2026-05', ids))
    expect(before.size).toBe(0)
  })

  it('reports a month without a scheme for the city instead of using the nearest one', async () => {
    await addShanghai(payroll, '2025-07')
    const person = await corp.person()
    const entries = [{ ...entry, from: '2025-07' }]
    await payroll.must(contract.saveMemberInsurance, { members: [{ member_id: person.member_id, version: 0, entries }] })
    const { list, counts } = await payroll.must(contract.getMemberInsurance, { state: 'faulty' })
    expect(list[0]).toMatchObject({ current: null, refused: '没有适用于 2026-11 的参保方案；请先录入该月份的方案' })
    expect(counts.faulty).toBe(1)
    const read = await getContext(corp, (ctx) => loadMonthInsurance(ctx, '2026-11', [person.member_id]))
    expect(read.get(person.member_id)).toEqual({ refused: '没有适用于 2026-11 的参保方案；请先录入该月份的方案' })
  })

  it("lists the members due in the annual adjustment, with last year's average from payslips", async () => {
    await addShanghai(payroll, '2025-07')
    await addShanghai(payroll)
    const person = await corp.person({ name: '待调整' })
    const entries = [{ ...entry, from: '2025-07' }]
    await payroll.must(contract.saveMemberInsurance, { members: [{ member_id: person.member_id, version: 0, entries }] })
    await pay(payroll, person, '2025-11', 21_000)
    await pay(payroll, person, '2025-12', 24_001)
    // Withdrawn payslips do not count as pay.
    await payroll.must(slip.withdrawBatchPaySheet, { batch_id: await pay(payroll, person, '2025-10', 99_000) })
    const { list } = await payroll.must(contract.getMemberInsurance, { state: 'adjust' })
    expect(list).toMatchObject([{ name: '待调整', needs_adjustment: true, last_year: { months: 2, average_fen: 2_250_050 } }])
    const average_fen = list[0]?.last_year?.average_fen ?? 0
    const adjusted = [...entries, { ...entry, social_fen: average_fen }]
    await payroll.must(contract.saveMemberInsurance, {
      members: [{ member_id: person.member_id, version: 1, entries: adjusted }],
    })
    expect((await payroll.must(contract.getMemberInsurance, { state: 'adjust' })).list).toEqual([])
    // Earlier months are unchanged.
    const before = await getContext(corp, (ctx) => loadMonthInsurance(ctx, '2026-06', [person.member_id]))
    expect(before.get(person.member_id)).toMatchObject({ employee_total: 350_000 })
  })

  it('saves contribution bases of all members or none', async () => {
    await addShanghai(payroll)
    const [one, other] = [await corp.person(), await corp.person()]
    const wrong = await payroll.call(contract.saveMemberInsurance, {
      members: [
        { member_id: one.member_id, version: 0, entries: [entry] },
        { member_id: other.member_id, version: 0, entries: [{ ...entry, housing_fund_ppm: 120_000 }] },
      ],
    })
    expect(wrong).toMatchObject({ code: errorCodes.invalid.code, data: { field: 'members.1.entries.0.housing_fund_ppm' } })
    const below = await payroll.call(contract.saveMemberInsurance, {
      members: [{ member_id: one.member_id, version: 0, entries: [{ ...entry, social_fen: -1 }] }],
    })
    expect(below).toMatchObject({ code: errorCodes.invalid.code, message: '金额不能小于零' })
    const stale = await payroll.call(contract.saveMemberInsurance, {
      members: [{ member_id: one.member_id, version: 3, entries: [entry] }],
    })
    expect(stale.code).toBe(errorCodes.wrong_state.code)
    expect((await payroll.must(contract.getMemberInsurance, {})).counts.entered).toBe(0)
  })

  it('hides bases from administrators of other departments and other companies, and stores them encrypted', async () => {
    await addShanghai(payroll)
    const kitchen = await corp.department('后厨')
    const canary = await corp.person({ name: '金丝雀', department_ids: [kitchen] })
    const members = [{ member_id: canary.member_id, version: 0, entries: [{ ...entry, social_fen: 2_183_719 }] }]
    await payroll.must(contract.saveMemberInsurance, { members })
    const hall = await corp.department('前厅')
    const scope = { all: false, department_ids: [hall] }
    const elsewhere = await world.signIn(await corp.person({ power: ['1', '2'], scope, department_ids: [hall] }))
    const outsider = await world.signIn(await (await world.createCompany()).person({ power: ['4'] }))
    for (const who of [elsewhere, outsider]) {
      const listed = await who.call(contract.getMemberInsurance, { pagesize: 100 })
      const saved = await who.call(contract.saveMemberInsurance, {
        members: [{ member_id: canary.member_id, version: 1, entries: [] }],
      })
      expect(JSON.stringify([listed, saved])).not.toMatch(/金丝雀|2183719/)
      expect([listed.code, saved.code]).toEqual([0, errorCodes.not_found.code])
    }
    const rows = await asOwner({ owner: world.owner }, async (owner) => {
      const of = [corp.company_id]
      const stored = await owner.query<{ text: string }>(
        'select t::text as text from member_insurance as t where company_id = $1',
        of,
      )
      const audit = await owner.query<{ text: string }>(
        'select t::text as text from audit_log_entry as t where company_id = $1',
        of,
      )
      return [...stored.rows, ...audit.rows].map(({ text }) => text)
    })
    const text = rows.join('\n')
    expect(text).toContain(canary.member_id)
    for (const word of ['2183719', Buffer.from('2183719').toString('hex'), '上海']) expect(text).not.toContain(word)
  })
})
