/** Checks use what other administrators have paid, without showing the user anything they may not see. */
import { describe, expect, it } from 'vitest'
import * as send from '../../../server/contract/payslips/send.ts'
import type { TitleKind } from '../../../server/contract/shared/schemas.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { demoWorld } from '../../support/demo.ts'
import { makeXlsx, type XlsxCell } from '../../support/files/xlsx.ts'
import { type Caller, type Corp, type Person } from '../../support/world.ts'

const world = demoWorld()

type Pay = [base: number, overtime: number, insurance: number]
const september: Pay[] = [
  [8_000, 120, 1_012.4],
  [9_500, 0, 1_208.2],
  [7_200, 310, 860.8],
  [12_000, 0, 1_468],
  [5_100, 88, 722.4],
  [6_100, 450, 790.4],
]
const october = september.map(([base, overtime, insurance], at): Pay => [base, overtime + 10 + at, insurance])
const shifted = [...october.slice(1), october[0] as Pay]
const labels = ['姓名', '手机号', '基本工资', '加班费', '社保', '实发工资']
const getNet = ([base, overtime, insurance]: Pay): number => Math.round((base + overtime - insurance) * 100) / 100
const names = ['赵一', '钱二', '孙三', '李四', '周五', '吴六']

type Clerk = Caller & {
  upload(month: string, people: readonly Person[], pays: readonly Pay[], kind?: TitleKind): Promise<string>
}
async function createClerk(corp: Corp, name: string, scope?: { all: boolean; department_ids?: string[] }): Promise<Clerk> {
  const caller = await world.signIn(await corp.person({ name, power: ['2'], ...(scope && { scope }) }))
  const upload = async (month: string, people: readonly Person[], pays: readonly Pay[], kind: TitleKind = 'monthly') => {
    const lines = people.map((one, at): XlsxCell[] => {
      const pay = pays[at] as Pay
      return [one.name, one.mobile, ...pay, getNet(pay)]
    })
    const bytes = makeXlsx({ sheets: [{ name: '工资', rows: [labels, ...lines] }] })
    const { batch_id } = await caller.must(wage.uploadWageExcel, {}, { file: { name: `${month}.xlsx`, bytes } })
    await caller.must(wage.insertBatchTitle, {
      batch_id,
      title: `${name} ${month}${kind === 'monthly' ? '' : ' 奖金'}`,
      month,
      kind,
    })
    return batch_id
  }
  return { ...caller, upload }
}
async function sent(clerk: Caller, batch_id: string): Promise<void> {
  const { plan_id } = await clerk.must(send.sendPaySheet, { batch_id })
  await clerk.must(send.doSend, { plan_id, looked: true })
  await world.product.jobs.drain()
  expect((await clerk.must(send.getSendInfo, { batch_id })).status).toBe('sent')
}
async function company() {
  const corp = await world.createCompany()
  const [front, back] = [await corp.department('前厅'), await corp.department('后厨')]
  const staff: Person[] = []
  for (const [at, name] of names.entries()) staff.push(await corp.person({ name, department_ids: [at < 4 ? front : back] }))
  return { corp, front, back, staff, before: await createClerk(corp, '前任') }
}
const notify = async (clerk: Caller, batch_id: string) =>
  (await clerk.must(wage.checkWageData, { batch_id })).problems.flatMap(({ id, level, kind }) =>
    // The same amounts are uploaded more than once here; that issue is tested elsewhere.
    kind === 'same_file' ? [] : [`${id} ${level}`],
  )
const labelTexts = async (clerk: Caller, batch_id: string) => JSON.stringify(await clerk.must(wage.checkWageData, { batch_id }))

describe('administrator who never paid these members', () => {
  it('asks an administrator who never paid the members about shifted amounts without showing previous amounts', async () => {
    const { corp, staff, before } = await company()
    await sent(before, await before.upload('2026-09', staff, september))
    const after = await createClerk(corp, '新来的')
    const wrong = await after.upload('2026-10', staff, shifted)
    const { problems, counts, new_members, missing_members } = await after.must(wage.checkWageData, { batch_id: wrong })
    const errors = problems.filter(({ level }) => level === 'error')
    expect(errors.map(({ kind }) => kind)).toContain('shifted_rows')
    for (const { message } of errors) expect(message).toContain('（与公司此前发过的工资比对，那次不由您经手，不显示金额）')
    // No totals, no new or missing members: that pay run is not visible to them.
    expect({ last: counts.previous, joined: new_members, missing: missing_members }).toEqual({
      last: null,
      joined: [],
      missing: [],
    })
    expect(await after.call(send.sendPaySheet, { batch_id: wrong })).toMatchObject({ code: 100409 })

    // With the right names nothing is questioned, and the review of a first wage sheet is required.
    const right = await after.upload('2026-10', staff, october)
    expect(await notify(after, right)).toEqual([])
    const { spot_checks, count } = await after.must(send.sendPaySheet, { batch_id: right })
    expect(spot_checks).toHaveLength(count)
    await sent(after, right)
    // From now on, their own pay run is compared, with amounts.
    const november = await after.upload(
      '2026-11',
      staff,
      october.map(([base, overtime, insurance], at): Pay => [at === 4 ? base * 3 : base, overtime + 3, insurance]),
    )
    expect(await labelTexts(after, november)).toContain('上次 ')
  })

  it('reveals no previous amount to the administrator, whatever they enter', async () => {
    const { corp, staff, before } = await company()
    await sent(before, await before.upload('2026-09', staff, september))
    const after = await createClerk(corp, '好奇的')
    const attempts = [0.1, 0.4, 0.66, 1, 1.51, 2.5, 10, 100]
    const amounts = september.flatMap((pay) => [...pay, getNet(pay)]).filter((yuan) => yuan > 0)
    for (const times of attempts) {
      const pays = september.map(([base, overtime, insurance], at): Pay => {
        const own = at === 2 ? times * 1.013 : times
        return [Math.round(base * own) + 7, overtime + 11 + at, Math.round(insurance * own) + 3]
      })
      const batch = await after.upload('2026-10', staff, pays)
      const text = await labelTexts(after, batch)
      const { problems } = await after.must(wage.checkWageData, { batch_id: batch })
      expect(text).not.toContain('上次 ')
      for (const yuan of amounts)
        expect(problems.map(({ message }) => message).join('\n')).not.toContain(
          yuan.toLocaleString('en', { minimumFractionDigits: 2 }),
        )
      if (times === 2.5) expect(problems.map(({ kind }) => kind)).toContain('net_outlier')
    }
  })

  it('reveals nothing about members out of scope in the comparison', async () => {
    const { corp, front, staff, before } = await company()
    await sent(before, await before.upload('2026-09', staff, september))
    const clerk = await createClerk(corp, '前厅的', { all: false, department_ids: [front] })
    // Two members of another department are in the sheet with each other's amounts, but only the scope is reported.
    const pays = [...october.slice(0, 4), october[5] as Pay, october[4] as Pay]
    const batch = await clerk.upload('2026-10', staff, pays)
    expect(await notify(clerk, batch)).toEqual(['6:out_of_scope:c0 error', '7:out_of_scope:c0 error'])
    // The comparison works within the scope.
    const own = staff.slice(0, 4)
    expect(await notify(clerk, await clerk.upload('2026-10', own, shifted.slice(0, 4)))).not.toEqual([])
    expect(await notify(clerk, await clerk.upload('2026-10', own, october.slice(0, 4)))).toEqual([])
  })

  it('compares with corrected amounts, and not with withdrawn pay runs', async () => {
    const { corp, staff, before } = await company()
    const first = await before.upload('2026-09', staff, september)
    await sent(before, first)
    const after = await createClerk(corp, '接手的')
    const wrong = await after.upload('2026-10', staff, shifted)
    expect(await notify(after, wrong)).not.toEqual([])

    // The previous administrator finds two exchanged payslips and corrects them: this month is compared with the
    // correction.
    const { list } = await before.must(send.getWageDetail, { batch_id: first })
    const getId = (name: string) => list.find((one) => one.name === name)?.salary_id ?? ''
    const getCells = (pay: Pay) => [...pay, getNet(pay)].map((yuan, at) => ({ key: `c${at + 2}`, value: String(yuan) }))
    const [one, other] = [september[1] as Pay, september[3] as Pay]
    for (const [name, pay] of [
      ['钱二', other],
      ['李四', one],
    ] as const)
      await before.must(send.editSalaryDetail, { salary_id: getId(name), cells: getCells(pay), reason: '两人写反了' })
    const turned = october.map((pay, at) => (at === 1 ? (october[3] as Pay) : at === 3 ? (october[1] as Pay) : pay))
    expect(await notify(after, await after.upload('2026-10', staff, turned))).toEqual([])
    expect((await notify(after, await after.upload('2026-10', staff, october))).join()).toContain('swapped_rows')

    await before.must(send.withdrawBatchPaySheet, { batch_id: first, reason: '重发' })
    expect(await notify(after, wrong)).toEqual([])
  })

  it('compares with the later of two pay runs with the same members, and never with a bonus', async () => {
    const { corp, staff, before } = await company()
    // One member received three times their pay in August, and the usual pay again in September.
    await sent(
      before,
      await before.upload(
        '2026-08',
        staff,
        september.map(([base, ...rest], at): Pay => [at === 4 ? base * 3 : base, ...rest]),
      ),
    )
    await sent(before, await before.upload('2026-09', staff, september))
    const bonus = september.map(([base]): Pay => [base / 10, 0, 0])
    await sent(before, await before.upload('2026-09', staff, bonus, 'bonus'))
    const after = await createClerk(corp, '新来的')
    expect(await notify(after, await after.upload('2026-10', staff, october))).toEqual([])
  })

  it('compares with an older pay run if the last one had other members, never with another kind or the fourth month back', async () => {
    const { corp, staff, before } = await company()
    await sent(before, await before.upload('2026-05', staff, september))
    const after = await createClerk(corp, '接手的')
    expect(await notify(after, await after.upload('2026-10', staff, shifted))).not.toEqual([])
    const other = [await corp.person({ name: '郑七' })]
    for (const month of ['2026-07', '2026-08']) await sent(before, await before.upload(month, other, [september[0] as Pay]))
    expect(await notify(after, await after.upload('2026-10', staff, shifted))).not.toEqual([])
    await sent(before, await before.upload('2026-09', other, [september[0] as Pay]))
    expect(await notify(after, await after.upload('2026-10', staff, shifted))).toEqual([])
  })
})

describe('roster data used to verify matches', () => {
  const getSheet = (rows: XlsxCell[][]) => makeXlsx({ sheets: [{ name: '工资', rows }] })
  const uploaded = async (clerk: Caller, rows: XlsxCell[][], month = '2026-10') => {
    const { batch_id } = await clerk.must(wage.uploadWageExcel, {}, { file: { name: '十月.xlsx', bytes: getSheet(rows) } })
    await clerk.must(wage.insertBatchTitle, { batch_id, title: `${month} 工资`, month, kind: 'monthly' })
    return batch_id
  }

  it('stops a first wage sheet with shifted names and phones, even if only the parent department is given', async () => {
    const { corp, staff } = await company()
    const clerk = await createClerk(corp, '薪资员')
    const head = ['姓名', '手机号', '部门', '基本工资', '实发工资']
    const of = (departments: readonly string[]) => [
      head,
      ...staff.map(({ name, mobile }, at): XlsxCell[] => [
        name,
        mobile,
        departments[at] ?? '',
        5_000 + at * 210,
        5_000 + at * 210,
      ]),
    ]
    const right = ['前厅', '前厅', '前厅', '前厅', '后厨', '后厨']
    const slipped = await uploaded(clerk, of([...right.slice(1), '前厅']))
    const { problems } = await clerk.must(wage.checkWageData, { batch_id: slipped })
    expect(problems.map(({ id, level }) => `${id} ${level}`)).toEqual(['0:roster_differs: error'])
    expect(problems[0]?.message).toContain('例如第 5 行「李四」表里的部门是「后厨」，花名册里是「前厅」')
    expect(await clerk.call(send.sendPaySheet, { batch_id: slipped })).toMatchObject({ code: 100409, data: { errors: 1 } })
    const { counts } = await clerk.must(wage.dealWithSalaryList, {
      batch_id: slipped,
      actions: [{ problem_id: '0:roster_differs:', fix: 'accept' }],
    })
    expect(counts).toMatchObject({ errors: 0, status: 'checked' })

    const moved = await uploaded(clerk, of(right.map((one, at) => (at === 1 ? '后厨' : one))))
    expect(await notify(clerk, moved)).toEqual(['3:roster_differs:c2 warning'])
    const plan = await clerk.must(send.sendPaySheet, { batch_id: moved })
    expect(plan.spot_checks.map(({ row, reason, departments }) => `${row} ${reason} ${departments}`)).toContain('3 differs 前厅')
    expect(await notify(clerk, await uploaded(clerk, of(right)))).toEqual([])
    // Everybody is below the company itself.
    expect(await notify(clerk, await uploaded(clerk, of(right.map(() => corp.name))))).toEqual([])
  })

  it('counts members matched by name only for review until last month confirms them', async () => {
    const { corp, staff } = await company()
    const clerk = await createClerk(corp, '薪资员')
    const lines = (people: readonly Person[], more: number) =>
      people.map(({ name }, at): XlsxCell[] => [name, 5_000 + at * 210, more, 5_000 + at * 210 + more])
    const head = ['姓名', '基本工资', '加班费', '实发工资']
    const first = await uploaded(clerk, [head, ...lines(staff, 10)], '2026-09')
    expect(await notify(clerk, first)).toEqual([])
    const plan = await clerk.must(send.sendPaySheet, { batch_id: first })
    expect(plan.matched_by_name_count).toBe(6)
    expect(plan.spot_checks.map(({ row, reason }) => `${row} ${reason}`)[0]).toBe('2 name_only')
    expect(await clerk.call(send.doSend, { plan_id: plan.plan_id })).toMatchObject({ code: 100409, data: { spot_checks: 6 } })
    await sent(clerk, first)

    const next = await clerk.must(send.sendPaySheet, { batch_id: await uploaded(clerk, [head, ...lines(staff, 20)]) })
    expect(next).toMatchObject({ matched_by_name_count: 0, spot_checks: [] })
    const more = [...staff, await corp.person({ name: '郑七' })]
    const joined = await clerk.must(send.sendPaySheet, { batch_id: await uploaded(clerk, [head, ...lines(more, 30)]) })
    expect(joined).toMatchObject({ matched_by_name_count: 1, spot_checks: [{ row: 8, reason: 'name_only', name: '郑七' }] })
  })
})
