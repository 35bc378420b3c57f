/**
 * Loads everything that the check needs from earlier months in one pass: a member's typical amounts and their tax year,
 * only for the members concerned.
 */
import { setImmediate } from 'node:timers/promises'
import { isTax } from '../../../contract/sheets/column-roles.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import type { TaxYearToDate } from '../../../rules/law/wages/tax-year-to-date.ts'
import { runCooperatively } from '../../../shared/cooperative.ts'
import { getEmployments } from '../../directory/index.ts'
import type { BatchRow } from '../access.ts'
import type { RecognizedSheet } from '../recognition.ts'
import type { PreviousPayRun } from '../rules/check/previous-run.ts'
import type { CheckCompletion, SheetCheck, TaxedRow } from '../rules/check/sheet-check.ts'
import { findTaxIssue } from '../rules/months/tax.ts'
import type { CheckCacheEntry } from './check-cache.ts'
import { EarlierMonths, getPreviousDecember, subtractMonths, typicalMonthCount } from './earlier-payslips.ts'
import { loadEarlierMonths } from './previous-pay-run.ts'

/**
 * Maximum number of payslips read for each question (members with the highest tax, members with unusual amounts). Takes
 * one second for ten thousand employees.
 */
const maxPayslips = 20_000

export async function loadMonthsBefore(
  ctx: Pick<HandlerContext, 'db' | 'currentUser' | 'company_id' | 'vault'>,
  batch: BatchRow,
  recognition: RecognizedSheet,
  check: SheetCheck,
  {
    previousRun,
    typicalMonths,
    taxYear,
  }: { readonly previousRun: PreviousPayRun | null } & Pick<CheckCacheEntry, 'typicalMonths' | 'taxYear'>,
): Promise<Pick<CheckCompletion, 'getEarlierAmounts' | 'taxIssues'>> {
  const month = batch.title_month
  if (!month) return { getEarlierAmounts: () => [], taxIssues: [] }
  const requested = new Set(
    [...(await runCooperatively(check.getMembersToExplain()))].slice(0, Math.floor(maxPayslips / typicalMonthCount)),
  )
  const taxed = batch.title_kind === 'monthly' ? check.taxed.filter(({ cumulative }) => cumulative === null) : []
  const number = Number(month.slice(5))
  // In January, the only earlier month is December.
  const taxYears = await loadTaxYears(ctx, { batch, month, taxed })
  const isClosed = ({ member_id }: TaxedRow) => taxYears.get(member_id)?.every(({ is_closed }) => is_closed) ?? false
  // Without known deductions an underpayment cannot be detected, so members who paid no tax are skipped.
  const underpayable = taxed.filter((row) => !isClosed(row) && (row.tax !== 0 || taxYears.has(row.member_id)))
  // Where deductions are known, the tax paid may also be too low; these members come first.
  const first = ({ member_id }: TaxedRow) => (taxYears.has(member_id) ? 1 : 0)
  const highest = underpayable.toSorted((a, b) => first(b) - first(a) || b.tax - a.tax).slice(0, Math.floor(maxPayslips / number))
  // Where every month is closed, only other payments of this month are needed.
  const sameMonthPay = new EarlierMonths()
  const closed = taxed.filter(isClosed)
  await loadEarlierMonths(ctx, batch, sameMonthPay, { people: sameMonthPay.addNew(closed.map(getMemberId)), since: month })
  await loadEarlierMonths(ctx, batch, typicalMonths, {
    people: typicalMonths.addNew([...requested]),
    since: subtractMonths(month, typicalMonthCount),
  })
  const newMembers = taxYear.addNew(highest.map(getMemberId))
  await loadEarlierMonths(ctx, batch, taxYear, { people: newMembers, since: getPreviousDecember(month) })
  for (const [id, { entry_on }] of await getEmployments(ctx, newMembers)) taxYear.entryDates.set(id, entry_on)
  const before = typicalMonths
    .listMonths()
    .filter(({ month: one, kind }) => kind === batch.title_kind && one < (previousRun?.month ?? month))
  const [months, sameMonth] = [taxYear.listMonths(), sameMonthPay.listMonths()]
  await setImmediate()
  const column = recognition.columns.find(({ role }) => isTax(role))?.key ?? ''
  const [inYear, inSame] = [new Set(highest), new Set(closed)]
  const tax = batch.title_kind === 'monthly' ? check.taxed : []
  return {
    // Others may be cached from an earlier check; only the members requested now count.
    getEarlierAmounts: (member_id, item) =>
      before
        .flatMap(({ amounts }) =>
          requested.has(member_id) && amounts.has(member_id) ? [amounts.getAmount(member_id, item)] : [],
        )
        .slice(0, typicalMonthCount - 1),
    taxIssues: tax.flatMap((row) => {
      const { member_id } = row
      const memberTaxYears = taxYears.get(member_id)
      if (inSame.has(row) && memberTaxYears && !sameMonthPay.partlyVisible.has(member_id))
        return findTaxIssue(row, month, column, { months: sameMonth, entryMonth: null, storedYears: memberTaxYears }) ?? []
      const isComplete = inYear.has(row) && !taxYear.partlyVisible.has(member_id)
      return (
        findTaxIssue(
          row,
          month,
          column,
          isComplete ? { months, entryMonth: taxYear.entryDates.get(member_id) ?? null, storedYears: memberTaxYears } : null,
        ) ?? []
      )
    }),
  }
}

type TaxQuery = { readonly batch: BatchRow; readonly month: string; readonly taxed: readonly TaxedRow[] }
/** Loads the stored tax data of these members, highest earners first if there are too many. */
async function loadTaxYears(
  ctx: Pick<HandlerContext, 'db' | 'currentUser' | 'company_id' | 'vault'>,
  { batch, month, taxed }: TaxQuery,
): Promise<ReadonlyMap<string, readonly TaxYearToDate[]>> {
  if (taxed.length === 0) return new Map()
  const highestPaid = taxed.toSorted((a, b) => (b.gross ?? 0) - (a.gross ?? 0)).slice(0, maxPayslips / 2)
  const insured = taxed.every(({ wages }) => wages?.special === null)
  return taxYearProvider.getTaxYears(
    ctx,
    { id: batch.id, month },
    { memberIds: [...new Set(highestPaid.map(getMemberId))], insured },
  )
}

const getMemberId = ({ member_id }: TaxedRow): string => member_id

type TaxContext = Pick<HandlerContext, 'db' | 'company_id' | 'vault'>
/** `insured`: the wage sheet has no insurance columns, so the amounts come from the member's scheme. */
export type TaxYearRequest = { readonly memberIds: readonly string[]; readonly insured: boolean }
/**
 * Tax data that the company stores besides its payslips: closed months, deductions, answers about a year. The tax
 * module depends on the sheet module and not the reverse, so the provider is injected when the server starts.
 */
export type TaxYearProvider = {
  /** Digest of everything that `getTaxYears` can return; it changes when any of it changes. */
  digest(ctx: TaxContext): Promise<string>
  /**
   * Tax data by member, with one entry for each month in which the pay run may be paid. Members without certain data
   * are absent.
   */
  getTaxYears(
    ctx: TaxContext,
    run: Pick<BatchRow, 'id'> & { readonly month: string },
    request: TaxYearRequest,
  ): Promise<Map<string, readonly TaxYearToDate[]>>
}
let taxYearProvider: TaxYearProvider = { digest: async () => '', getTaxYears: async () => new Map() }
export const setTaxYearProvider = (provider: TaxYearProvider): void => void (taxYearProvider = provider)

export const getTaxYearDigest = (ctx: TaxContext): Promise<string> => taxYearProvider.digest(ctx)
