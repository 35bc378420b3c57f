/** A first wage sheet without earlier pay, with roster data besides name and phone, some of it out of date. */

import { selectSpotChecks } from '../../../server/modules/payslips/rules/spot-checks.ts'
import type { CheckColumn } from '../../../server/modules/sheets/rules/check/amount-issues.ts'
import { type PayrollMember, Roster } from '../../../server/modules/sheets/rules/check/member-match.ts'
import { SheetCheck, type SheetCheckResult } from '../../../server/modules/sheets/rules/check/sheet-check.ts'
import { nothingStored, typed } from '../check.ts'
import type { Random } from '../random.ts'
import { getRoster, type PaidLine, twoMonths } from './pay-months.ts'
import type { Slip } from './slips.ts'

type Details = { readonly department: string; readonly position: string; readonly entry_on: string }
export type FirstLine = PaidLine & { details: Details }
export type FirstSheet = {
  readonly people: readonly PayrollMember[]
  readonly lines: FirstLine[]
  readonly visible: readonly (keyof Details)[]
}

const departments: Record<string, readonly string[]> = {
  财务部: ['会计', '出纳', '主管'],
  销售部: ['销售', '主管', '内勤'],
  生产一部: ['操作工', '班长', '质检'],
  生产二部: ['操作工', '班长', '质检'],
  行政部: ['文员', '司机', '主管'],
  仓储部: ['仓管', '叉车工'],
}
const labels: Record<keyof Details, string> = { department: '部门', position: '岗位', entry_on: '入职日期' }
/** Share of employees who moved since the roster was last updated. */
const stale = 0.02

/** Pay factors by position; others have 1. */
const byPosition: Record<string, number> = { 主管: 1.9, 班长: 1.4, 会计: 1.2, 质检: 1.15, 销售: 1.3, 司机: 0.9, 文员: 0.85 }

/**
 * Creates a first wage sheet. `isPaidByPosition`: base pay depends on the position, as it usually does; else pay tells
 * nothing about the employee.
 */
export function firstSheet(random: Random, isPaidByPosition = false): FirstSheet {
  const { below, pick, chance } = random
  const { lines } = twoMonths(random)
  const detailsOf = (): Details => {
    const department = pick(Object.keys(departments))
    const entry_on = `20${String(10 + below(14))}-${String(1 + below(12)).padStart(2, '0')}-${String(1 + below(28)).padStart(2, '0')}`
    return { department, position: pick(departments[department] ?? []), entry_on }
  }
  const all = lines.map((line): FirstLine => ({ ...line, details: detailsOf() }))
  if (isPaidByPosition)
    for (const line of all) {
      const base = Math.round((450_000 + (line.pay.base - 450_000) / 5) * (byPosition[line.details.position] ?? 1))
      line.pay = { ...line.pay, base }
    }
  // Most wage sheets are sorted by department.
  const sorted = chance(0.7) ? all.toSorted((a, b) => (a.details.department < b.details.department ? -1 : 1)) : all
  const people = sorted.map((line): PayrollMember => {
    const { department, position, entry_on } = line.details
    const departments_now = chance(stale) ? pick(Object.keys(departments)) : department
    return { ...getRoster(line), departments: departments_now, position: chance(stale) ? '' : position, entry_on }
  })
  const visible = (['department', 'position', 'entry_on'] as const).filter((fact) => fact === 'department' || chance(0.4))
  return { people, lines: sorted, visible }
}

/**
 * Shifts names and phones in the way of `slip` and leaves the rest: department and amounts stay together, next to
 * another name.
 */
export function identitySlips({ lines }: FirstSheet, slip: Slip, random: Random): void {
  const rows = lines.map(({ details, pay }) => ({ details, pay }))
  slip.slip(lines, random, [])
  // The shift moved amounts against names, whereas the details move along here.
  const detailsOf = new Map(rows.map(({ details, pay }) => [pay, details]))
  for (const line of lines) line.details = detailsOf.get(line.pay) ?? line.details
}

export type FirstChecked = SheetCheckResult & { readonly looked: ReadonlySet<number> }
export function checkedFirst({ people, lines, visible }: FirstSheet): FirstChecked {
  const columns: CheckColumn[] = [
    { key: 'c0', label: '姓名', role: 'name' },
    { key: 'c1', label: '手机号', role: 'mobile' },
    ...visible.map(
      (fact, at): CheckColumn => ({ key: `c${at + 2}`, label: labels[fact], role: fact === 'department' ? fact : 'info' }),
    ),
    { key: `c${visible.length + 2}`, label: '基本工资', role: 'earning' },
    { key: `c${visible.length + 3}`, label: '实发工资', role: 'net' },
  ]
  const roster = new Roster(people)
  const check = new SheetCheck(
    { ...nothingStored, columns },
    { roster, lastMonth: null, alreadyPaid: new Set(), getIdCardIndex: (card) => card },
  )
  lines.forEach(({ name, mobile, details, pay }, at) => {
    const amount = (pay.base / 100).toFixed(2)
    const cells = typed(columns, [name, mobile, ...visible.map((fact) => details[fact]), amount, amount])
    check.add({ row: at + 2, cells, member_id: null, skipped: false, accepted: [] })
  })
  const checked = check.finish({ same_file: null, getEarlierAmounts: () => [], taxIssues: [] })
  const placesMap = new Map(
    people.map(({ id, departments, position = '' }) => [
      id,
      [position && `${departments}/${position}`, position, departments].filter(Boolean),
    ]),
  )
  const rows = checked.rows.map((row) => ({
    ...row,
    wasPaidBefore: false,
    isUnproven: false,
    positions: placesMap.get(row.member_id ?? '') ?? [],
  }))
  return { ...checked, looked: new Set(selectSpotChecks(rows).map(({ row }) => row)) }
}
