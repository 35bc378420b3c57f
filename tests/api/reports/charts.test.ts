/**
 * Chart data, each compared with a ledger of the test itself: after sends, corrections, withdrawals and new sends, for
 * users who see everything, a part, or only totals. And what users without access to payslips can deduce.
 */

import { readXlsx } from 'hucre'
import { describe, expect, test } from 'vitest'
import * as member from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { download } from '../../../server/contract/files/files.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import * as chart from '../../../server/contract/reports/charts.ts'
import { checkWageData, dealWithSalaryList } from '../../../server/contract/sheets/check.ts'
import * as titles from '../../../server/contract/sheets/titles.ts'
import { componentsJob, loadComponentTables } from '../../../server/modules/reports/component-tables.ts'
import { demo } from '../../support/demo.ts'
import { type TrialSize, trial } from '../../support/run/trial.ts'
import { getNet, makeBatch, salaries, send } from '../../support/slips.ts'
import type { Caller, Person } from '../../support/world.ts'
import { solvable } from '../../unit/system/solvable.ts'

const { world, corp, clerk, payroll } = demo({ each: true })

type Line = {
  member: number
  month: string
  base: number
  tax: number
  net: number
  paid: boolean
  owner: 'clerk' | 'boss'
  id: string
  batch_id: string
}
const sums = (lines: readonly Line[]) => ({
  people: new Set(lines.map(({ member }) => member)).size,
  gross_fen: lines.length > 0 ? lines.reduce((all, one) => all + one.base, 0) : null,
  net_fen: lines.length > 0 ? lines.reduce((all, one) => all + one.net, 0) : null,
  tax_fen: lines.length > 0 ? lines.reduce((all, one) => all + one.tax, 0) : null,
})

/** Creates a company of 12 members in a tree: 总部 (2) above 研发 (3) and 门店 (1), 门店 above 一店 (6). */
async function company() {
  const shop = await corp.department('门店')
  const first = await corp.department('一店', shop)
  const dev = await corp.department('研发')
  const places = [corp.root_id, corp.root_id, dev, dev, dev, shop, ...Array.from({ length: 6 }, () => first)]
  const people: Person[] = []
  for (const position of places) people.push(await corp.person({ department_ids: [position], name: `员工${people.length}` }))
  const below: Record<string, string[]> = { [corp.root_id]: places, [shop]: [shop, first], [first]: [first], [dev]: [dev] }
  return {
    shop,
    first,
    dev,
    places,
    people,
    inside: (id: string, member: number) => below[id]?.includes(places[member] ?? '') ?? false,
  }
}

async function getBatch(caller: Caller, owner: Person, people: readonly Person[], lines: Line[], month: string): Promise<string> {
  const batch_id = await makeBatch(world, owner, people, { month })
  // After months of random corrections amounts look shifted against last month: they are accepted.
  const { counts } = await caller.must(checkWageData, { batch_id })
  const actions = counts.kinds.flatMap(({ kind, level }) => (level === 'error' ? [{ kind, fix: 'accept' as const }] : []))
  if (actions.length > 0) await caller.must(dealWithSalaryList, { batch_id, actions })
  await send(caller, batch_id, ['link'])
  await world.product.jobs.drain()
  for (const [at, { id }] of (await salaries(world, corp, batch_id)).entries())
    lines.push({
      member: at,
      month,
      base: getNet(at + 2) + 12_345,
      tax: 12_345,
      net: getNet(at + 2),
      paid: true,
      owner: owner === clerk ? 'clerk' : 'boss',
      id,
      batch_id,
    })
  return batch_id
}

const anyOrder = 'shows every figure of every chart correct to the fen after any sends, corrections and withdrawals'
const changes: TrialSize = { full: 1_000, sample: 14, of: 'sends, corrections and withdrawals' }
trial('charts', anyOrder, changes, async ({ size, random, says }) => {
  const { shop, dev, places, people, inside } = await company()
  const boss = await corp.person({ power: ['4'], name: '系统管理员' })
  const part = await corp.person({ power: ['2'], name: '门店会计', scope: { all: false, department_ids: [shop] } })
  const [all, current, head] = [await world.signIn(boss), payroll, await world.signIn(await corp.person({ power: ['1'] }))]
  const shopClerk = await world.signIn(part)
  const lines: Line[] = []
  const batches = [
    await getBatch(current, clerk, people, lines, '2026-09'),
    await getBatch(current, clerk, people, lines, '2026-10'),
    await getBatch(all, boss, people, lines, '2026-10'),
  ]
  // One of the payroll administrator's pay runs is shared with the shop's, who sees their own members in it.
  const { list } = await current.must(titles.getTitleList, {})
  await current.must(titles.shareTitle, {
    title_id: list.find(({ month }) => month === '2026-10')?.title_id ?? '',
    user_ids: [part.admin_id ?? ''],
    rights: 'view',
  })
  const viewers: [string, Caller, (line: Line) => boolean][] = [
    ['power 4', all, () => true],
    ['the clerk', current, ({ owner }) => owner === 'clerk'],
    [
      'the shop’s clerk',
      shopClerk,
      ({ owner, month, member }) => owner === 'clerk' && month === '2026-10' && inside(shop, member),
    ],
  ]
  const check = async () => {
    for (const [who, caller, sees] of viewers) {
      const paid = lines.filter((line) => line.paid && sees(line))
      for (const department_id of who === 'the shop’s clerk' ? [undefined, shop] : [undefined, corp.root_id, shop, dev]) {
        const some = paid.filter(({ member }) => !department_id || inside(department_id, member))
        const months = [...new Set(some.map(({ month }) => month))].toSorted()
        const { trend } = await caller.must(chart.chartData, { year: 2026, department_id, kind: 'trend' })
        expect(trend, who).toMatchObject(months.map((month) => ({ month, ...sums(some.filter((line) => line.month === month)) })))
        const { structure } = await caller.must(chart.chartData, { year: 2026, department_id, kind: 'structure' })
        const full = sums(some)
        expect(Object.fromEntries(structure.map((one) => [one.component, one.sum_fen])), who).toEqual(
          some.length > 0 ? { base: full.gross_fen, tax: full.tax_fen } : {},
        )
        const { departments } = await caller.must(chart.chartData, { year: 2026, department_id, kind: 'department' })
        expect(
          departments.reduce((sum, one) => sum + (one.net_fen ?? 0), 0),
          who,
        ).toBe(full.net_fen ?? 0)
        for (const { id, ...one } of departments)
          if (id) expect(one, who).toMatchObject(sums(some.filter(({ member }) => inside(id, member))))
        const detail = await caller.must(chart.getAveragewageDetail, { year: 2026, department_id, by: 'person', pagesize: 100 })
        expect(detail.page.total, who).toBe(full.people)
        for (const line of detail.list) {
          const his = some.filter(({ member }) => people[member]?.member_id === line.id)
          expect(line, who).toMatchObject({ ...sums(his), months: new Set(his.map(({ month }) => month)).size })
        }
        const { distribution } = await caller.must(chart.chartData, { year: 2026, department_id, kind: 'distribution' })
        expect(
          distribution.reduce((sum, one) => sum + one.people, 0),
          who,
        ).toBe(full.people)
        const at_once = await caller.must(chart.chartData, { year: 2026, department_id, kind: 'all' })
        expect(at_once, who).toMatchObject({ trend, structure, departments, distribution })
      }
      const year = await caller.must(chart.getYearSalaryCharts, { year: 2026 })
      expect(
        year.list.reduce((sum, one) => sum + (one.net_fen ?? 0), 0),
        who,
      ).toBe(sums(paid).net_fen ?? 0)
    }
    // An enterprise administrator sees the totals of all pay runs with at least three employees.
    const paid = lines.filter((line) => line.paid)
    const { trend, is_suppressed } = await head.must(chart.chartData, { year: 2026, kind: 'trend' })
    const months = [...new Set(paid.map(({ month }) => month))].toSorted()
    const notified = months
      .map((month) => ({ month, ...sums(paid.filter((line) => line.month === month)) }))
      .filter((one) => one.people >= 3)
    // Single changes are hidden until there are three.
    if (!is_suppressed) expect(trend).toMatchObject(notified)
    expect((await head.must(chart.chartData, { year: 2026, kind: 'all' })).trend).toEqual(trend)
  }
  await check()
  const { pick, next: chance } = random
  const done = { sent: 0, corrected: 0, withdrawn: 0, 'sent anew': 0 }
  const change = async () => {
    const line = pick(lines)
    const caller = line.owner === 'clerk' ? current : all
    const what = chance()
    if (what < 0.02) {
      const [ownerId, owner] = chance() < 0.5 ? ([current, clerk] as const) : ([all, boss] as const)
      await getBatch(ownerId, owner, people, lines, pick(['2026-06', '2026-07', '2026-08']))
      done.sent += 1
    } else if (what < 0.5) {
      const base = 300_000 + Math.floor(chance() * 2_000_000)
      if (base === line.base) return
      const cells = [
        { key: 'c2', value: (base / 100).toFixed(2) },
        { key: 'c4', value: ((base - line.tax) / 100).toFixed(2) },
      ]
      await caller.must(slip.editSalaryDetail, { salary_id: line.id, cells, reason: '更正', mismatch_reason: '按实际' })
      Object.assign(line, { base, net: base - line.tax })
      done.corrected += 1
    } else if (line.paid) {
      await caller.must(slip.withdrawSingleSalary, { salary_id: line.id })
      line.paid = false
      done.withdrawn += 1
    } else {
      await caller.must(slip.sendBatch, { batch_id: line.batch_id, salary_ids: [line.id], only: 'withdrawn' })
      await world.product.jobs.drain()
      line.paid = true
      done['sent anew'] += 1
    }
  }
  const views = size > 100 ? 100 : 8
  for (let step = 1; step <= size; step += 1) {
    await change()
    if (step === Math.floor((size * 2) / 3)) {
      await current.must(slip.withdrawBatchPaySheet, { batch_id: batches[0] ?? '' })
      for (const line of lines) if (line.batch_id === batches[0]) line.paid = false
    }
    if (step % views === 0) await check()
  }
  says(
    `${Object.entries(done)
      .map(([what, times]) => `${what} ${times}`)
      .join(', ')}; ${lines.length} slips`,
  )
  expect(places).toHaveLength(12)
})

describe('an enterprise administrator without the payroll power', () => {
  /** Pays 2ⁿ fen to the nth employee: a sum reveals whose pay it contains. */
  async function payPowersOfTwo(batch_id: string, from = 0): Promise<void> {
    for (const [n, { id }] of (await salaries(world, corp, batch_id)).entries())
      await payroll.must(slip.editSalaryDetail, {
        salary_id: id,
        cells: [{ key: 'c4', value: (2 ** (from + n) / 100).toFixed(2) }],
        reason: '试',
        mismatch_reason: '试',
      })
  }
  /** Returns every sum that the user can see. */
  async function notifiedOf(head: Caller, months: readonly string[]): Promise<Set<number>> {
    const { departments } = await head.must(chart.getYearList, {})
    const masks = new Set<number>()
    for (const department_id of [undefined, ...departments.map(({ id }) => id)])
      for (const month of [undefined, ...months]) {
        const request = { year: 2026, month, department_id }
        const { trend } = await head.must(chart.chartData, { ...request, kind: 'trend' })
        const below = await head.must(chart.chartData, { ...request, kind: 'department' })
        const { list } = await head.must(chart.getAveragewageDetail, request)
        for (const one of [...trend, ...below.departments, ...list]) {
          if (one.net_fen !== null) masks.add(one.net_fen)
          expect(one.people === 0 || one.people >= 3).toBe(true)
        }
        const { distribution } = await head.must(chart.chartData, { ...request, kind: 'distribution' })
        expect(distribution.every((one) => one.people >= 3)).toBe(true)
        if (department_id) expect(distribution).toEqual([])
      }
    return masks
  }

  test('prevents isolating an employee by moving them between two requests, because counts keep their original department', async () => {
    const { people, shop, first, dev } = await company()
    const head = await world.signIn(await corp.person({ power: ['1'], name: '总经理' }))
    const friend = await world.signIn(await corp.person({ power: ['3'], name: '人事' }))
    const batch_id = await makeBatch(world, clerk, people, { month: '2026-10' })
    await send(payroll, batch_id, ['link'])
    await world.product.jobs.drain()
    await payPowersOfTwo(batch_id)
    const masks = await notifiedOf(head, ['2026-10'])
    const named = (n: number) => people[n]?.member_id ?? ''
    const { id: fresh } = await friend.must(member.insertDepartment, { name: '新部门', pid: corp.root_id })
    const changes: (() => Promise<unknown>)[] = [
      () => friend.must(member.editMemberInfo, { id: named(6), department_ids: [dev] }),
      () => friend.must(member.editMemberInfo, { id: named(7), department_ids: [fresh] }),
      () => friend.must(member.clearMember, { id: named(8) }),
      () => friend.must(member.editDepartment, { id: first, pid: dev }),
      () => friend.must(member.clearDepartment, { id: first, move_to: shop }),
    ]
    for (const change of changes) {
      await change()
      for (const mask of await notifiedOf(head, ['2026-10'])) masks.add(mask)
    }
    expect(masks.size).toBeGreaterThan(2)
    expect(solvable([...masks], people.length)).toEqual([])
  })

  test('prevents isolating a late, corrected or withdrawn payslip by repeated requests, because changes wait for two others', async () => {
    const { people } = await company()
    const head = await world.signIn(await corp.person({ power: ['1'], name: '总经理' }))
    const masks = new Set<number>()
    const view = async () => {
      for (const mask of await notifiedOf(head, ['2026-10'])) masks.add(mask)
      const { is_suppressed } = await head.must(chart.chartData, { year: 2026, kind: 'trend' })
      return is_suppressed
    }
    const pay = async (from: number, to: number) => {
      const batch_id = await getBatch(payroll, clerk, people.slice(from, to), [], '2026-10')
      await payPowersOfTwo(batch_id, from)
      return salaries(world, corp, batch_id)
    }
    const correct = (salary_id: string, n: number) =>
      payroll.must(slip.editSalaryDetail, {
        salary_id,
        cells: [{ key: 'c4', value: (2 ** n / 100).toFixed(2) }],
        reason: '更正',
        mismatch_reason: '更正',
      })
    const slips = await pay(0, 9)
    const id = (n: number) => slips[n]?.id ?? ''
    const views = [await view()]
    for (const n of [9, 10, 11]) {
      await pay(n, n + 1)
      views.push(await view())
    }
    // Previous and current amounts are distinct.
    for (const change of [
      () => correct(id(2), 12),
      () => correct(id(3), 13),
      () => correct(id(4), 14),
      () => payroll.must(slip.withdrawSingleSalary, { salary_id: id(6), reason: '发错了' }),
    ]) {
      await change()
      views.push(await view())
    }
    expect(solvable([...masks], 15)).toEqual([])
    // Three changes together are shown.
    expect(views).toEqual([false, true, true, false, true, true, false, true])
    const { trend } = await head.must(chart.chartData, { year: 2026, kind: 'trend' })
    expect(trend).toMatchObject([{ people: 12, net_fen: 2 ** 15 - 1 - 2 ** 2 - 2 ** 3 - 2 ** 4 }])
  })

  test('hides an item that only one employee of a group has: their tax is shown among the deductions', async () => {
    const people = await corp.people(4)
    const head = await world.signIn(await corp.person({ power: ['1'], name: '总经理' }))
    const batch_id = await makeBatch(world, clerk, people, { month: '2026-10' })
    await send(payroll, batch_id, ['link'])
    await world.product.jobs.drain()
    for (const { id: salary_id } of (await salaries(world, corp, batch_id)).slice(1))
      await payroll.must(slip.editSalaryDetail, {
        salary_id,
        cells: [{ key: 'c3', value: '0.00' }],
        reason: '免税',
        mismatch_reason: '免税',
      })
    const notified = await head.must(chart.chartData, { year: 2026, kind: 'all' })
    expect(notified.structure.map(({ component }) => component)).not.toContain('tax')
    expect(notified.trend).toMatchObject([{ people: 4, tax_fen: 0 }])
    expect((await payroll.must(chart.chartData, { year: 2026, kind: 'trend' })).trend).toMatchObject([{ tax_fen: 12_345 }])
    expect(notified.has_merged_components).toBe(true)
  })

  test('prevents deducing the pay of one or two employees from any request', async () => {
    const { people } = await company()
    const head = await world.signIn(await corp.person({ power: ['1'], name: '总经理' }))
    const batch_id = await makeBatch(world, clerk, people, { month: '2026-10' })
    await send(payroll, batch_id, ['link'])
    await world.product.jobs.drain()
    await payPowersOfTwo(batch_id)
    expect((await head.must(chart.getYearList, {})).can_open_payslips).toBe(false)
    const masks = await notifiedOf(head, ['2026-10'])
    expect(masks.size).toBeGreaterThan(1)
    expect(solvable([...masks], people.length)).toEqual([])
    expect((await head.call(chart.getAveragewageDetail, { year: 2026, by: 'person' })).code).toBe(errorCodes.not_permitted.code)
    // The year export shows the same, department by department.
    const { job_id } = await head.must(chart.exportMemberWageByYear, { year: 2026 })
    await world.product.jobs.drain()
    const { oss_path, file_name } = await head.must(chart.getYearWageFileStatus, { job_id })
    expect(file_name).toBe('2026年部门工资汇总.xlsx')
    expect(oss_path).not.toBeNull()
  })

  test('shows nothing of a company of two', async () => {
    const people = await corp.people(2)
    const head = await world.signIn(await corp.person({ power: ['1'] }))
    await send(payroll, await makeBatch(world, clerk, people), ['link'])
    await world.product.jobs.drain()
    expect(await head.must(chart.chartData, { year: 2026, kind: 'trend' })).toMatchObject({ trend: [], is_suppressed: true })
    expect((await payroll.must(chart.chartData, { year: 2026, kind: 'trend' })).trend).toMatchObject([{ people: 2 }])
  })
})

test('compares two months: whose pay rose or fell by which items, and who joined or left', async () => {
  const people = await corp.people(4)
  const [before, after] = [people.slice(0, 3), people.slice(1)]
  for (const [some, month] of [
    [before, '2026-09'],
    [after, '2026-10'],
  ] as const) {
    await send(payroll, await makeBatch(world, clerk, some, { month }), ['link'])
    await world.product.jobs.drain()
  }
  const { list, counts } = await payroll.must(chart.compareMonths, { from: '2026-09', to: '2026-10' })
  // In the second sheet each row is one row higher: 1.01 less of the wages.
  expect(counts).toEqual({ more: 0, less: 2, same: 0, joined: 1, left: 1 })
  expect(list.filter(({ change }) => change === 'less')).toMatchObject([
    { difference_fen: -101, components: [{ part: 'base', difference_fen: -101 }] },
    { difference_fen: -101 },
  ])
  const only = await payroll.must(chart.compareMonths, { from: '2026-09', to: '2026-10', filter: 'joined' })
  expect(only.list).toMatchObject([{ member_id: people[3]?.member_id, before_fen: null, after_fen: getNet(4) }])
})

test('counts headcount by the roster: joined, left, paid', async () => {
  const people = await corp.people(3)
  const of = (member_id: string, change: object) =>
    world.database.inCompany(corp.company_id, (tx) => tx.updateTable('member').set(change).where('id', '=', member_id).execute())
  await of(people[0]?.member_id ?? '', { entry_on: '2026-03-15' })
  await of(people[1]?.member_id ?? '', { entry_on: '2025-01-01', status: 'left', left_on: '2026-05-20' })
  const { headcount, missing_entry_date_count } = await payroll.must(chart.chartData, { year: 2026, kind: 'headcount' })
  // The payroll administrator and the third member have no entry date.
  expect(missing_entry_date_count).toBe(2)
  const viewed = headcount.map(({ staff, joined, terminated }) => [staff, joined, terminated].join(' '))
  expect(viewed).toEqual(['3 0 0', '3 0 0', '4 1 0', '4 0 0', '3 0 1', '3 0 0', '3 0 0', '3 0 0', '3 0 0', '3 0 0', '3 0 0'])
})

test('exports a year as a sheet with one row per employee, not available after losing a department', async () => {
  const { shop, people } = await company()
  const part = await corp.person({ power: ['2'], scope: { all: false, department_ids: [shop] } })
  const batch_id = await makeBatch(world, part, people.slice(5), { month: '2026-10' })
  const caller = await world.signIn(part)
  await send(caller, batch_id, ['link'])
  await world.product.jobs.drain()
  const { job_id } = await caller.must(chart.exportMemberWageByYear, { year: 2026 })
  await world.product.jobs.drain()
  const { oss_path } = await caller.must(chart.getYearWageFileStatus, { job_id })
  const file = await caller.call(download, { oss_path: oss_path ?? '' })
  const rows = (await readXlsx(file.data as unknown as Buffer)).sheets[0]?.rows ?? []
  expect(rows).toHaveLength(8)
  expect(rows[0]).toContain('10月实发')
  expect(rows.slice(1).map((row) => row.at(-1))).toEqual(people.slice(5).map((_, at) => getNet(at + 2) / 100))
  expect((await payroll.call(chart.getYearWageFileStatus, { job_id })).code).toBe(errorCodes.not_found.code)
  await world.database.inCompany(corp.company_id, (tx) =>
    tx
      .deleteFrom('admin_department')
      .where('admin_id', '=', part.admin_id ?? '')
      .execute(),
  )
  const later = await (await world.signIn(part)).must(chart.getYearWageFileStatus, { job_id })
  expect(later).toMatchObject({ oss_path: null, failed: '您的权限或管理范围已经变动，请重新导出' })
})

describe('stored chart data', () => {
  const loadStored = () =>
    world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('chart_figures').select(['batch_id', 'stamp', 'figures']).execute(),
    )
  const paid = async () => {
    const batch_id = await makeBatch(world, clerk, await corp.people(3))
    await send(payroll, batch_id, ['link'])
    await world.product.jobs.drain()
    return batch_id
  }

  test('encrypts stored chart data, builds it once, and rebuilds it after a correction', async () => {
    const batch_id = await paid()
    await payroll.must(chart.chartData, { year: 2026, kind: 'trend' })
    const [one] = await loadStored()
    expect(one?.figures.includes(Buffer.from(String(getNet(2))))).toBe(false)
    await payroll.must(chart.chartData, { year: 2026, kind: 'structure' })
    expect(await loadStored()).toEqual([one])
    const [first] = await salaries(world, corp, batch_id)
    const cells = [{ key: 'c4', value: '1.00' }]
    await payroll.must(slip.editSalaryDetail, { salary_id: first?.id ?? '', cells, reason: '更正', mismatch_reason: '更正' })
    await payroll.must(chart.chartData, { year: 2026, kind: 'trend' })
    expect((await loadStored())[0]?.stamp).not.toBe(one?.stamp)
  })

  test('prepares chart data in one job if a request would decrypt too much, and returns nothing until complete', async () => {
    const batch_id = await paid()
    const { company_id } = corp
    const view = () =>
      world.database.inCompany(company_id, async (tx) => {
        const vault = await world.secrets.vault(tx, company_id)
        const call = (batch_ids: readonly string[], id: string) =>
          world.product.jobs.send(tx, componentsJob, { company_id, batch_ids: [...batch_ids] }, { id })
        return loadComponentTables({ db: tx, company_id, vault, canWrite: true }, [batch_id], call, 2)
      })
    const waiting = { preparing: { done: 0, total: 3 } }
    expect([await view(), await view()]).toMatchObject([waiting, waiting])
    expect(await loadStored()).toEqual([])
    expect(await world.product.jobs.drain()).toBe(1)
    const { tables, preparing } = await view()
    expect([tables.get(batch_id)?.memberKeys.length, preparing]).toEqual([3, null])
  })
})
