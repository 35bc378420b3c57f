/** What somebody's deductions come to in a month and in its year up to it. Pure. */
import type { DeductionItem } from '../../../contract/wage/deductions.ts'
import { additionalDeduction } from '../../../rules/law/deductions/additional.ts'
import { personalPension } from '../../../rules/law/deductions/caps.ts'
import { LawRefusal } from '../../../rules/law/refused.ts'
import { type Step, said } from '../../../rules/law/steps.ts'
import { rowIn } from '../../../rules/law/tables/dated.ts'
import { statutes } from '../../../rules/law/tables/law.ts'
import type { KeptDeductions } from './document.ts'
import { asLaw } from './items.ts'

export type DeductionsOfMonth = {
  /** 累计, from January (or entry) up to and including the month, as 累计子女教育 … of the declaration. Every key is always there. */
  readonly cumulative: {
    readonly child_education: number
    readonly infant_care: number
    /** Degree and certificate. */
    readonly continuing_education: number
    readonly housing_loan: number
    readonly housing_rent: number
    readonly elderly: number
    /** Within its limit; of 其他扣除, not of 专项附加扣除. */
    readonly personal_pension: number
  }
  /** The six of 专项附加扣除 together, year to date. The month's own is this without what the year's earlier months have taken. */
  readonly additional_cumulative: number
  /** In Chinese, each with its article. */
  readonly steps: readonly string[]
  /** Nothing counts, and why; null: all well. */
  readonly refused: string | null
}
/** Months; null: before this year, and: still here. */
export type Employed = { readonly hired: string | null; readonly left: string | null }

const none = {
  child_education: 0,
  infant_care: 0,
  continuing_education: 0,
  housing_loan: 0,
  housing_rent: 0,
  elderly: 0,
  personal_pension: 0,
} as const
const refusedFor = (refused: string): DeductionsOfMonth => ({ cumulative: none, additional_cumulative: 0, steps: [], refused })

/** Whether it was confirmed for the year: what is entered in a year is. */
export const isConfirmed = ({ confirmed_year }: KeptDeductions, year: number): boolean =>
  confirmed_year !== null && year <= confirmed_year

export function deductionsIn(kept: KeptDeductions, month: string, { hired, left }: Employed): DeductionsOfMonth {
  const [year, of] = [Number(month.slice(0, 4)), Number(month.slice(5, 7))]
  if (!isConfirmed(kept, year)) return refusedFor(`还没有确认 ${year} 年度的专项附加扣除；确认以后才扣除`)
  const items = kept.items.flatMap((item) => asLaw(item) ?? [])
  try {
    const start = hired ?? `${year}-01`
    const found = additionalDeduction({ year, as_of_month: of, employment_start: start, employment_end: left }, items)
    if ('refused' in found) return refusedFor(found.message)
    const pension = pensionUpTo(kept.items, year, of)
    const given = (code: Parameters<typeof found.cumulative.get>[0]) => found.cumulative.get(code) ?? 0
    return {
      cumulative: {
        child_education: given('child_education'),
        infant_care: given('infant_care'),
        continuing_education: given('continuing_degree') + given('continuing_certificate'),
        housing_loan: given('housing_loan'),
        housing_rent: given('housing_rent'),
        elderly: given('elderly'),
        personal_pension: pension.cumulative,
      },
      additional_cumulative: found.total,
      // Said only where somebody reads them.
      get steps() {
        return [...found.steps.filter(({ result }) => result !== 0), ...pension.steps].map(said)
      },
      refused: null,
    }
  } catch (error) {
    if (error instanceof LawRefusal) return refusedFor(error.message)
    throw error
  }
}

function pensionUpTo(
  items: readonly DeductionItem[],
  year: number,
  month: number,
): { cumulative: number; steps: readonly Step[] } {
  const paid: { month: number; paid: number }[] = []
  for (let at = 1; at <= month; at += 1) {
    const when = `${year}-${String(at).padStart(2, '0')}`
    const here = items.filter(
      ({ kind, from, to }) => kind === 'personal_pension' && (from ?? '9999') <= when && when <= (to ?? '9999'),
    )
    const fen = here.reduce((sum, { amount_fen }) => sum + (amount_fen ?? 0), 0)
    if (fen > 0) paid.push({ month: at, paid: fen })
  }
  const last = `${year}-${String(month).padStart(2, '0')}`
  // Before there was such a pension nothing of it is taken off.
  if (paid.length === 0 || rowIn(statutes.personal_pension, last) === null) return { cumulative: 0, steps: [] }
  const found = personalPension(paid, last)
  return { cumulative: found.at(-1)?.cumulative ?? 0, steps: found.flatMap(({ steps }) => steps) }
}
