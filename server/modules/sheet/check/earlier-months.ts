/** What the check asks of earlier months, read in one go: a person's usual figures, and his tax year. Only for those of whom it is asked. */
import { setImmediate } from 'node:timers/promises'
import type { HandlerContext } from '../../../http/handler.ts'
import type { TaxYearToDate } from '../../../rules/law/wages/tax-year-to-date.ts'
import { runCooperatively } from '../../../shared/cooperative.ts'
import { getEmployments } from '../../member/index.ts'
import type { BatchRow } from '../access.ts'
import type { RecognizedSheet } from '../recognition.ts'
import type { CheckCompletion, SheetCheck, TaxedRow } from '../rules/check/sheet-check.ts'
import { findTaxIssue } from '../rules/months/tax.ts'
import type { CheckCacheEntry } from './check-cache.ts'
import { EarlierMonths, getPreviousDecember, subtractMonths, typicalMonthCount } from './earlier-payslips.ts'
import { loadEarlierMonths } from './previous-pay-run.ts'

/** Slips that are read at most for each question: those with the highest tax, those who stand out. A second of work for ten thousand people. */
const maxPayslips = 20_000

export async function loadMonthsBefore(
  ctx: Pick<HandlerContext, 'db' | 'currentUser' | 'company_id' | 'vault'>,
  batch: BatchRow,
  recognition: RecognizedSheet,
  check: SheetCheck,
  { previousRun, typicalMonths, taxYear }: CheckCacheEntry,
): Promise<Pick<CheckCompletion, 'getEarlierAmounts' | 'taxIssues'>> {
  const month = batch.title_month
  if (!month) return { getEarlierAmounts: () => [], taxIssues: [] }
  const requested = new Set(
    [...(await runCooperatively(check.getMembersToExplain()))].slice(0, Math.floor(maxPayslips / typicalMonthCount)),
  )
  const taxed = batch.title_kind === 'monthly' ? check.taxed.filter(({ cumulative }) => cumulative === null) : []
  const number = Number(month.slice(5))
  // In January there is nothing before but a December.
  const taxYears = await loadTaxYears(ctx, { batch, month, taxed })
  const isClosed = ({ member_id }: TaxedRow) => taxYears.get(member_id)?.every(({ is_closed }) => is_closed) ?? false
  // Without deductions that are known nobody can have paid too little: who paid nothing is not asked about.
  const underpayable = taxed.filter((row) => !isClosed(row) && (row.tax !== 0 || taxYears.has(row.member_id)))
  // Whose deductions are known may have paid too little too: they are asked about first.
  const first = ({ member_id }: TaxedRow) => (taxYears.has(member_id) ? 1 : 0)
  const highest = underpayable.toSorted((a, b) => first(b) - first(a) || b.tax - a.tax).slice(0, Math.floor(maxPayslips / number))
  // Of whom every month is closed only what else is paid in this one is asked.
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
  const column = recognition.columns.find(({ role }) => role === 'tax')?.key ?? ''
  const [inYear, inSame] = [new Set(highest), new Set(closed)]
  const tax = batch.title_kind === 'monthly' ? check.taxed : []
  return {
    // Others may be known from a check before: only those who are asked about now count.
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
/** What is kept of these people's tax: of whoever earns most, where they are more than can be asked about. */
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
/** `insured`: of whom the sheet has no insurance, so that his scheme has to say it. */
export type TaxYearRequest = { readonly memberIds: readonly string[]; readonly insured: boolean }
/**
 * What the company keeps of people's tax beside its slips: months that are closed, deductions, what was said of a year. Tax knows sheets, and sheets do
 * not know tax: it is told to them when the server starts.
 */
export type TaxYearProvider = {
  /** Of all that `of` can say; another one when something of it changed. */
  digest(ctx: TaxContext): Promise<string>
  /** By person, a line for each month in which the run may be paid. Of whom nothing certain is known there is none. */
  getTaxYears(
    ctx: TaxContext,
    run: Pick<BatchRow, 'id'> & { readonly month: string },
    asked: TaxYearRequest,
  ): Promise<Map<string, readonly TaxYearToDate[]>>
}
let taxYearProvider: TaxYearProvider = { digest: async () => '', getTaxYears: async () => new Map() }
export const setTaxYearProvider = (provider: TaxYearProvider): void => void (taxYearProvider = provider)

export const getTaxYearDigest = (ctx: TaxContext): Promise<string> => taxYearProvider.digest(ctx)
