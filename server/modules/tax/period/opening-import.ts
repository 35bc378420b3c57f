/** Imports opening balances for all members: from the official client's result file, or from payslips sent earlier. */
import * as contract from '../../../contract/tax/opening.ts'
import { lockCompanySubject } from '../../../database/company-lock.ts'
import { defineHandler, fail, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import type { WithholdingResult } from '../../../spreadsheets/index.ts'
import { getEmployments } from '../../directory/index.ts'
import { requireBatchForPayslips } from '../../sheets/index.ts'
import { defaultTaxYearProfile, type TaxYearProfile } from '../rules/amounts.ts'
import { getIncomeItem } from '../rules/compare-withholding.ts'
import { countChanges, listRejectedFirst } from '../rules/import-plan.ts'
import { matchRowToMember } from '../rules/match-member.ts'
import { findMissingColumns, type OpeningBalance, type PaidMonth, sumPaidMonths, toOpeningBalance } from '../rules/opening.ts'
import { loadBatchIncome } from './batch-income.ts'
import { loadExistingMembers } from './compare.ts'
import { loadYearProfiles } from './compute.ts'
import { requirePeriod } from './period-rows.ts'
import { readUploadedResult } from './read-withheld.ts'
import { findLockedMonth, lockYearPeriods, saveYearProfiles } from './year-profiles.ts'

type Candidate = {
  readonly member_id: string | null
  readonly name: string
  readonly row: number | null
  readonly sheet: string
  /** The balance, or why there is none. */
  readonly opening: OpeningBalance | string
}
type Source = { readonly through_month: number | null; readonly other_sheets: readonly string[]; readonly isApplied: boolean }

export const importOpening = defineHandler(contract.importOpening, { kind: 'external' }, async (ctx, input) => {
  await ctx.inTransaction((tx) => requirePeriod(tx, input.period_id))
  const read = await readUploadedResult(ctx)
  const isApplied = input.apply === '1'
  const run = (tx: HandlerContext) => importFile(tx, read, { ...input, isApplied })
  return isApplied ? ctx.mutate(run) : ctx.inTransaction(run)
})

async function importFile(
  ctx: HandlerContext,
  read: WithholdingResult,
  input: { readonly period_id: string; readonly through_month?: number | undefined; readonly isApplied: boolean },
): Promise<contract.OpeningPlan> {
  const { month } = await requirePeriod(ctx, input.period_id)
  const rows = read.rows.filter((row) => getIncomeItem(row) === 'wages')
  const missing = findMissingColumns(rows)
  if (missing.length > 0)
    throw fail('unreadable_sheet', `文件里没有「${missing.join('」「')}」；请在扣缴端的「税款计算」里导出全部列`)
  const through_month = getLastMonth(rows, input.through_month, month)
  const members = await loadExistingMembers(ctx)
  const candidates = rows.map((row): Candidate => {
    const base = { row: row.row, sheet: row.sheet, name: row.name, member_id: null }
    if (row.error) return { ...base, opening: `${row.error.column}${row.row}：${row.error.reason}` }
    const member = matchRowToMember(row, members)
    if (typeof member === 'string') return { ...base, opening: member }
    return { ...base, member_id: member.id, opening: toOpeningBalance(row, through_month ?? 0) }
  })
  const source = { through_month, other_sheets: read.other_sheets, isApplied: input.isApplied }
  return planOpenings(ctx, Number(month.slice(0, 4)), candidates, source)
}

/** The month that the file includes last; null where neither the file nor the user says. */
function getLastMonth(rows: WithholdingResult['rows'], entered: number | undefined, periodMonth: string): number | null {
  const months = [...new Set(rows.flatMap(({ month }) => month ?? []))]
  if (months.length > 1) throw fail('unreadable_sheet', `文件里有几个月的税款：${months.join('、')}；请只导出最后一个月`)
  const [fileMonth = entered === undefined ? undefined : `${periodMonth.slice(0, 4)}-${String(entered).padStart(2, '0')}`] =
    months
  if (fileMonth === undefined) return null
  if (fileMonth.slice(0, 4) !== periodMonth.slice(0, 4) || fileMonth >= periodMonth)
    throw fail(
      'unreadable_sheet',
      `文件里是 ${fileMonth} 的累计数，这一期是 ${periodMonth}；请选择同一年、这一期之前最后一个月的文件`,
    )
  return Number(fileMonth.slice(5))
}

export const importSentMonths = defineHandler(contract.importSentMonths, async (ctx, input) => {
  const { month } = await requirePeriod(ctx, input.period_id)
  const [year, through_month] = [Number(month.slice(0, 4)), Number(month.slice(5)) - 1]
  if (through_month < 1) throw fail('wrong_state', '一月没有往月数据，不需要期初累计')
  const paid = new Map<string, PaidMonth[]>()
  for (const batch_id of new Set(input.batch_ids)) {
    const paidMonth = await requirePaidMonth(ctx, batch_id, { ...input, year, through_month })
    for (const [member_id, { amounts, tax_fen }] of await loadBatchIncome(ctx, batch_id, 'wages')) {
      const own = paid.get(member_id) ?? []
      paid.set(member_id, [...own, { month: paidMonth, amounts, tax_fen }])
    }
  }
  const employed = await getEmployments(ctx, [...paid.keys()])
  const candidates = [...paid].map(([member_id, months]): Candidate => {
    const { name = '', entry_on = null, left_on = null } = employed.get(member_id) ?? {}
    const employment = { hire_month: entry_on?.slice(0, 7) ?? null, leave_month: left_on?.slice(0, 7) ?? null }
    return { member_id, name, row: null, sheet: '', opening: sumPaidMonths(months, employment, { year, through_month }) }
  })
  return planOpenings(ctx, year, candidates, { through_month, other_sheets: [], isApplied: input.apply })
})

/** Requires a batch that was sent and paid in the year before the period, and returns the month of payment. */
async function requirePaidMonth(
  ctx: HandlerContext,
  batch_id: string,
  range: { readonly paid_after_months: number; readonly year: number; readonly through_month: number },
): Promise<number> {
  const { title_name, title_month, file_name, status, sent_at } = await requireBatchForPayslips(ctx, batch_id, 'view')
  const title = title_name ?? file_name
  if (sent_at === null || status === 'withdrawn' || title_month === null)
    throw fail('wrong_state', `「${title}」还没有发送或已经撤回，不能引入`, { status })
  const months = Number(title_month.slice(0, 4)) * 12 + Number(title_month.slice(5)) - 1 + range.paid_after_months
  const [year, month] = [Math.floor(months / 12), (months % 12) + 1]
  if (year !== range.year || month > range.through_month)
    throw fail('wrong_state', `「${title}」不是 ${range.year} 年 ${range.through_month} 月以前发放的，请不要选择它`, { status })
  return month
}

/** Compares the balances with the stored ones, and saves them if the user has confirmed. */
async function planOpenings(
  ctx: HandlerContext,
  year: number,
  candidates: readonly Candidate[],
  { through_month, other_sheets, isApplied }: Source,
): Promise<contract.OpeningPlan> {
  await lockCompanySubject(ctx, 'opening')
  const ids = [...new Set(candidates.flatMap(({ member_id }) => member_id ?? []))]
  const stored = await loadYearProfiles(ctx, ids, year)
  const periods = await lockYearPeriods(ctx, ids, year)
  const repeated = Map.groupBy(candidates, ({ member_id }) => member_id)
  const changed = new Map<string, TaxYearProfile>()
  const rows = candidates.map(({ member_id, opening: candidate, ...position }): contract.OpeningRow => {
    const profile = (member_id !== null && stored.get(member_id)) || defaultTaxYearProfile
    const opening =
      member_id !== null && (repeated.get(member_id)?.length ?? 0) > 1 ? '这个人在文件里有几行，请只留一行' : candidate
    const reason = typeof opening === 'string' ? opening : findLockedMonth(periods.get(member_id ?? '') ?? [], opening)
    if (typeof opening === 'string' || reason !== null || member_id === null)
      return { ...position, change: 'rejected', reason: reason ?? '', income_fen: null, special_fen: null, withheld_fen: null }
    const { income_fen, special_fen, withheld_fen } = opening
    const change = profile.opening === null ? 'new' : isSameOpening(profile.opening, opening) ? 'same' : 'changed'
    if (change !== 'same') changed.set(member_id, { ...profile, opening })
    return { ...position, change, reason: '', income_fen, special_fen, withheld_fen }
  })
  if (isApplied && through_month === null) throw invalidInput('through_month', '文件里没有税款所属期，请选择累计截至几月')
  const months_to_recompute = isApplied && changed.size > 0 ? await saveYearProfiles(ctx, year, changed, periods) : []
  ctx.addAuditDetails({ people: changed.size, applied: isApplied ? 1 : 0 })
  return {
    applied: isApplied,
    through_month,
    people: changed.size,
    counts: countChanges(rows),
    rows: listRejectedFirst(rows),
    other_sheets: [...other_sheets],
    months_to_recompute,
  }
}

const openingFields = [
  'through_month',
  'income_fen',
  'exempt_fen',
  'special_fen',
  'additional_fen',
  'other_fen',
  'donation_fen',
  'reduction_fen',
  'withheld_fen',
] as const satisfies readonly (keyof OpeningBalance)[]
const isSameOpening = (a: OpeningBalance, b: OpeningBalance): boolean => openingFields.every((field) => a[field] === b[field])
