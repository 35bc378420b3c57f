/** A preview of withholding and of changing one amount: the engine runs on the user's input. Nothing is read or stored. */

import type { CallInput, CallOutput } from '../../contract/call.ts'
import { sumFen } from '../../contract/shared/money.ts'
import * as contract from '../../contract/tax/preview.ts'
import { defineHandler, invalidInput } from '../../http/handler.ts'
import { LawError } from '../../rules/law/law-error.ts'
import { formatStep } from '../../rules/law/steps.ts'
import { computeWithholding, type WageMonth, type WageMonthInput } from '../../rules/law/wages/withholding.ts'

type PreviewInput = CallInput<typeof contract.previewTax>
type PreviewMonthInput = PreviewInput['months'][number]
type PreviewMonthOutput = CallOutput<typeof contract.previewTax>['months'][number]

const toLawAmounts = (one: Omit<PreviewMonthInput, 'month' | 'withheld_fen'>) => ({
  income: one.income_fen,
  exempt: one.exempt_fen,
  special: one.special_fen,
  additional: one.additional_fen,
  other: one.other_fen,
  donation: one.donation_fen,
  reduction: one.reduction_fen,
})

const toPreviewMonth = (one: WageMonth): PreviewMonthOutput => ({
  month: one.month,
  months_counted: one.months_counted,
  cum_income_fen: one.cum_income,
  cum_basic_fen: one.cum_basic,
  cum_taxable_fen: one.cum_taxable,
  rate_ppm: one.rate_ppm,
  quick_fen: one.quick_fen,
  cum_tax_fen: one.cum_tax,
  tax_fen: one.tax,
  credit_fen: one.credit,
  steps: one.steps.map(formatStep),
})

function computePreviewYear(
  input: PreviewInput,
  months: readonly PreviewMonthInput[],
): { months: PreviewMonthOutput[]; total_fen: number } {
  const { tax_year, hire_month, leave_month, first_income_of_year, prior_year_under_60000, opening } = input
  const employment = {
    year: tax_year,
    hire_month,
    leave_month,
    first_income_of_year,
    prior_year_under_60000,
  }
  const paid = months.map(
    (one): WageMonthInput => ({
      month: one.month,
      ...toLawAmounts(one),
      ...(one.withheld_fen !== null && { withheld: one.withheld_fen }),
    }),
  )
  const openingBalance = opening
    ? { through_month: opening.through_month, ...toLawAmounts(opening), withheld: opening.withheld_fen }
    : undefined
  const results = computeWithholding(employment, paid, { opening: openingBalance })
  return { months: results.map(toPreviewMonth), total_fen: sumFen(results.map(({ tax }) => tax)) }
}

/** Returns the months with one amount changed; the month must occur exactly once. */
function applyPreviewChange({ months, change }: PreviewInput): PreviewMonthInput[] | null {
  if (!change) return null
  const matches = months.filter(({ month }) => month === change.month)
  if (matches.length === 0) throw invalidInput('change.month', `没有 ${change.month} 月；请先填写这个月`)
  if (matches.length > 1) throw invalidInput('change.month', `${change.month} 月有 ${matches.length} 笔；请先合成一笔`)
  return months.map((one) => (one.month === change.month ? { ...one, [change.field]: change.to_fen } : one))
}

export const previewTax = defineHandler(contract.previewTax, async (_ctx, input) => {
  const changedMonths = applyPreviewChange(input)
  try {
    const current = computePreviewYear(input, input.months)
    if (!changedMonths) return { ...current, changed: null }
    const afterChange = computePreviewYear(input, changedMonths)
    return { ...current, changed: { ...afterChange, difference_fen: afterChange.total_fen - current.total_fen } }
  } catch (error) {
    // Input not covered by law must be corrected by the user; the error's message says how.
    if (error instanceof LawError) throw invalidInput(error.path, error.message)
    throw error
  }
})
