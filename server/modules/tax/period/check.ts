/** Checks a month before it is locked: all members against last month, the payslips and the sheets. The result is not stored. */

import { setImmediate } from 'node:timers/promises'
import * as contract from '../../../contract/tax/periods.ts'
import { type TaxIssueKind, taxIssueKinds } from '../../../contract/tax/statuses.ts'
import { AppError, defineHandler, type HandlerContext } from '../../../http/handler.ts'
import { getEmployments } from '../../directory/index.ts'
import { loadMonthDeductions } from '../deduction/reader.ts'
import { loadMonthInsurance } from '../insurance/reader.ts'
import { defaultTaxYearProfile, getEffectiveAmounts, type ImportedIncome, sumSheetTax } from '../rules/amounts.ts'
import { type CheckedMember, createMissingMemberIssue, findTaxIssues, type TaxIssue } from '../rules/check.ts'
import { TaxTotals } from '../rules/totals.ts'
import { loadBatchIncome } from './batch-income.ts'
import { loadEarlierMonths, loadYearProfiles } from './compute.ts'
import { decryptTaxResult } from './documents.ts'
import { type IncomeRow, type PeriodRow, requirePeriod, streamIncomes } from './period-rows.ts'
import { parseSources } from './periods.ts'

export const checkPeriod = defineHandler(contract.checkPeriod, async (ctx, { period_id, kind, page, pagesize }) => {
  const { issues, totals, previous, sheet_tax_fen } = await inspectPeriod(ctx, await requirePeriod(ctx, period_id))
  const matches = sortIssues(issues).filter((one) => kind === undefined || one.kind === kind)
  return {
    list: matches.slice((page - 1) * pagesize, page * pagesize),
    page: { page, pagesize, total: matches.length },
    kinds: countIssueKinds(issues),
    current: totals.sums,
    previous: previous && { ...previous.sums, month: previous.month },
    sheet_tax_fen,
  }
})

/** Finds the issues of all members within the user's scope, and adds up the month. */
export async function inspectPeriod(ctx: HandlerContext, period: PeriodRow) {
  const sources = await loadCurrentSources(ctx, period)
  const previous = await loadPreviousMonth(ctx, period.month)
  const issues: TaxIssue[] = []
  const totals = new TaxTotals()
  const memberIds = new Set<string>()
  let sheet_tax_fen: number | null = null
  for await (const rows of streamIncomes(ctx, period.id)) {
    for (const one of await buildCheckedMembers(ctx, rows, { period, runs: sources, last: previous })) {
      memberIds.add(one.member_id)
      totals.add(one.result)
      if (one.sheet_tax_fen !== null) sheet_tax_fen = (sheet_tax_fen ?? 0) + one.sheet_tax_fen
      issues.push(...findTaxIssues(one, { month: period.month, has_previous: previous !== null }))
    }
    await setImmediate()
  }
  if (previous) issues.push(...(await findMissingMembers(ctx, previous, memberIds)))
  return { issues, totals, previous, sheet_tax_fen }
}

const issueOrder = new Map(taxIssueKinds.map((one, at) => [one, at]))
const sortIssues = (problems: readonly TaxIssue[]): TaxIssue[] =>
  problems.toSorted(
    (a, b) =>
      Number(b.level === 'error') - Number(a.level === 'error') || (issueOrder.get(a.kind) ?? 0) - (issueOrder.get(b.kind) ?? 0),
  )

export function countIssueKinds(problems: readonly TaxIssue[]) {
  const counts = new Map<TaxIssueKind, { kind: TaxIssueKind; level: 'error' | 'warning'; count: number }>()
  for (const { kind, level } of sortIssues(problems)) {
    const existing = counts.get(kind)
    if (existing) existing.count += 1
    else counts.set(kind, { kind, level, count: 1 })
  }
  return [...counts.values()]
}

type IncomeBySource = ReadonlyMap<string, ReadonlyMap<string, ImportedIncome>>
/** Loads the batches' current income. Batches not visible to the user are not compared; deleted or withdrawn ones have none. */
async function loadCurrentSources(ctx: HandlerContext, period: PeriodRow): Promise<IncomeBySource> {
  const runs = new Map<string, ReadonlyMap<string, ImportedIncome>>()
  for (const { batch_id, way: incomeKind } of parseSources(period.sources))
    try {
      runs.set(batch_id, await loadBatchIncome(ctx, batch_id, incomeKind))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (error.error === 'wrong_state') runs.set(batch_id, new Map())
    }
  return runs
}

type PreviousMonth = {
  readonly month: string
  readonly income: ReadonlyMap<string, number>
  readonly sums: TaxTotals['sums']
}
/** The value is null if the previous month has no period. */
async function loadPreviousMonth(ctx: HandlerContext, month: string): Promise<PreviousMonth | null> {
  const previousMonth = getPreviousMonth(month)
  const row = await ctx.db
    .selectFrom('tax_period')
    .select('id')
    .where('company_id', '=', ctx.company_id)
    .where('month', '=', previousMonth)
    .executeTakeFirst()
  if (!row) return null
  const [income, totals] = [new Map<string, number>(), new TaxTotals()]
  for await (const page of streamIncomes(ctx, row.id))
    for (const one of page) {
      income.set(one.member_id, getEffectiveAmounts(one.stored).income_fen)
      totals.add(decryptTaxResult(ctx.vault, one))
    }
  return { month: previousMonth, income, sums: totals.sums }
}
function getPreviousMonth(month: string): string {
  const [year = 0, monthNumber = 0] = month.split('-').map(Number)
  return monthNumber === 1 ? `${year - 1}-12` : `${year}-${String(monthNumber - 1).padStart(2, '0')}`
}

type CheckInput = { readonly period: PeriodRow; readonly runs: IncomeBySource; readonly last: PreviousMonth | null }
async function buildCheckedMembers(
  ctx: HandlerContext,
  rows: readonly IncomeRow[],
  { period, runs: sources, last: previous }: CheckInput,
): Promise<CheckedMember[]> {
  const { month } = period
  const ids = rows.map(({ member_id }) => member_id)
  const employed = await getEmployments(ctx, ids)
  const yearProfiles = await loadYearProfiles(ctx, ids, Number(month.slice(0, 4)))
  const earlierMonths = await loadEarlierMonths(ctx, ids, month)
  const spans = ids.map((member_id) => ({
    member_id,
    hire_month: employed.get(member_id)?.entry_on?.slice(0, 7) ?? null,
    leave_month: employed.get(member_id)?.left_on?.slice(0, 7) ?? null,
  }))
  const deductions = await loadMonthDeductions(ctx, month, spans)
  const insurance = await loadMonthInsurance(ctx, month, ids)
  return rows.map((row, at): CheckedMember => {
    const { member_id, stored: income } = row
    const { first_income_of_year, prior_year_under_60000, opening } = yearProfiles.get(member_id) ?? defaultTaxYearProfile
    const months = (earlierMonths.get(member_id) ?? []).filter((one) => one.month > (opening?.through_month ?? 0))
    const isComparable = income.accepted.every(({ batch_id }) => sources.has(batch_id))
    return {
      member_id,
      name: employed.get(member_id)?.name ?? '',
      has_card: employed.get(member_id)?.has_card ?? false,
      hire_month: spans[at]?.hire_month ?? null,
      leave_month: spans[at]?.leave_month ?? null,
      imported: income.accepted,
      is_manual: income.own !== null,
      amounts: getEffectiveAmounts(income),
      sheet_tax_fen: sumSheetTax(income),
      result: decryptTaxResult(ctx.vault, row),
      current_income: isComparable ? getCurrentIncome(sources, member_id) : null,
      covered_month_count: months.length + (opening?.through_month ?? 0),
      first_income_of_year,
      prior_year_under_60000,
      deductions: deductions.get(member_id) ?? null,
      insurance: insurance.get(member_id) ?? null,
      last_income_fen: previous?.income.get(member_id) ?? null,
    }
  })
}

function getCurrentIncome(runs: IncomeBySource, member_id: string): ReadonlyMap<string, ImportedIncome> {
  return new Map(
    [...runs].flatMap(([batch_id, incomeByMember]) => {
      const income = incomeByMember.get(member_id)
      return income ? [[batch_id, income] as const] : []
    }),
  )
}

/** Finds members with income in the previous month who are missing and have not left. */
async function findMissingMembers(
  ctx: HandlerContext,
  previous: PreviousMonth,
  memberIds: ReadonlySet<string>,
): Promise<TaxIssue[]> {
  const missingIncomes = [...previous.income].filter(([member_id]) => !memberIds.has(member_id))
  const employed = await getEmployments(
    ctx,
    missingIncomes.map(([member_id]) => member_id),
  )
  return missingIncomes.flatMap(([member_id, income_fen]) => {
    const member = employed.get(member_id)
    return member && member.left_on === null ? [createMissingMemberIssue({ member_id, name: member.name }, income_fen)] : []
  })
}
