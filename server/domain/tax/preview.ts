/** What would be withheld, and what changes when one figure does: the engine asked with what somebody typed. Nothing is read or kept. */

import type { InputOf, OutputOf } from '../../contract/call.ts'
import * as contract from '../../contract/wage/tax/tax.ts'
import { sum } from '../../contract/words/money.ts'
import { LawRefusal } from '../../rules/law/refused.ts'
import { said } from '../../rules/law/steps.ts'
import { type Month, type WageMonth, withhold } from '../../rules/law/wages/withholding.ts'
import { handle, invalid } from '../../runtime/handle.ts'

type Asked = InputOf<typeof contract.previewTax>
type AskedMonth = Asked['months'][number]
type Told = OutputOf<typeof contract.previewTax>['months'][number]

const amountsOf = (one: Omit<AskedMonth, 'month' | 'withheld_fen'>) => ({
  income: one.income_fen,
  exempt: one.exempt_fen,
  special: one.special_fen,
  additional: one.additional_fen,
  other: one.other_fen,
  donation: one.donation_fen,
  reduction: one.reduction_fen,
})

const told = (one: WageMonth): Told => ({
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
  steps: one.steps.map(said),
})

function yearOf(asked: Asked, months: readonly AskedMonth[]): { months: Told[]; total_fen: number } {
  const { tax_year, hire_month, leave_month, first_income_of_year, prior_year_under_60000, opening } = asked
  const employment = { year: tax_year, hired: hire_month, left: leave_month, first_income_of_year, prior_year_under_60000 }
  const paid = months.map(
    (one): Month => ({ month: one.month, ...amountsOf(one), ...(one.withheld_fen !== null && { withheld: one.withheld_fen }) }),
  )
  const before = opening
    ? { through_month: opening.through_month, ...amountsOf(opening), withheld: opening.withheld_fen }
    : undefined
  const found = withhold(employment, paid, { opening: before })
  return { months: found.map(told), total_fen: sum(found.map(({ tax }) => tax)) }
}

/** The months with one figure changed; the month must be there, once. */
function changed({ months, change }: Asked): AskedMonth[] | null {
  if (!change) return null
  const own = months.filter(({ month }) => month === change.month)
  if (own.length === 0) throw invalid('change.month', `没有 ${change.month} 月；请先填写这个月`)
  if (own.length > 1) throw invalid('change.month', `${change.month} 月有 ${own.length} 笔；请先合成一笔`)
  return months.map((one) => (one.month === change.month ? { ...one, [change.field]: change.to_fen } : one))
}

export const previewTax = handle(contract.previewTax, async (_ctx, asked) => {
  const other = changed(asked)
  try {
    const now = yearOf(asked, asked.months)
    if (!other) return { ...now, changed: null }
    const then = yearOf(asked, other)
    return { ...now, changed: { ...then, difference_fen: then.total_fen - now.total_fen } }
  } catch (error) {
    // What the law has no answer to is the asker's to mend; its sentence says how.
    if (error instanceof LawRefusal) throw invalid(error.place, error.message)
    throw error
  }
})
