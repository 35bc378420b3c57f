/** Interns in full-time education (2020-13 art. 2), insurance agents and securities brokers (财税 2018-164 art. 3): cumulatively, like wages. */
import { fen } from '../../../contract/words/money.ts'
import { taxBy } from '../by-table.ts'
import { type Exact, exact, floored } from '../exact.ts'
import { LawRefusal } from '../refused.ts'
import { less, plus, type Step } from '../steps.ts'
import { rowFor } from '../tables/dated.ts'
import { annualLevels, type Law, statutes } from '../tables/law.ts'
import { monthOf } from '../wages/employment.ts'

export const laborPersons = ['intern', 'insurance_agent', 'securities_broker'] as const
export type LaborPerson = {
  readonly person_type: (typeof laborPersons)[number]
  readonly year: number
  /** The month in which the work here began; 1 where it began before this year. */
  readonly start_month: number
  readonly prior_year_under_60000?: boolean | undefined
}
/** `surtax`: 附加税费, of agents and brokers. `withheld`: really, where that is not what comes out. */
export type LaborMonth = {
  readonly month: number
  readonly income: number
  readonly surtax?: number | undefined
  readonly withheld?: number | undefined
}
export type LaborMonthTax = {
  readonly month: number
  readonly months_counted: number
  readonly cum_amount: Exact
  readonly cum_taxable: Exact
  readonly rate_ppm: number
  readonly quick_fen: number
  readonly cum_tax: number
  readonly tax: number
  readonly steps: readonly Step[]
}

type Sums = { readonly income: number; readonly surtax: number; readonly withheld: number }
const rule = 'labor_cumulative'

function amountSteps({ person_type }: LaborPerson, { income, surtax }: Sums, month: string, law: Law): Step[] {
  const { share_ppm, agent_ppm } = rowFor(law.labor_cumulative, month).value
  const part = (name: string, base: ReturnType<typeof plus>, rate_ppm: number): Step => {
    const how = { does: 'part', base, rate_ppm, unit_fen: null, mode: 'half_up' } as const
    return { rule, name, result: exact(base.of).part(rate_ppm), how }
  }
  const share = part(person_type === 'intern' ? '累计收入额' : '减除费用后的累计收入', plus('累计收入', income), share_ppm)
  if (person_type === 'intern') return [share]
  const left = part('扣除展业成本后', plus(share.name, share.result), agent_ppm)
  const terms = [plus('扣除展业成本后', left.result), less('累计附加税费', surtax)]
  const how = { does: 'sum', terms, floor: false } as const
  return [share, left, { rule, name: '累计收入额', result: exact(left.result).minus(surtax), how }]
}

function oneMonth(person: LaborPerson, number: number, sums: Sums, law: Law): LaborMonthTax {
  const month = monthOf(person.year, number)
  const months_counted = Math.max(0, number - person.start_month + 1)
  const { month_fen, year_fen } = rowFor(law.basic_deduction, month).value
  if (person.prior_year_under_60000) rowFor(law.under_60000, month)
  const basic = person.prior_year_under_60000 ? year_fen : month_fen * months_counted
  const amounts = amountSteps(person, sums, month, law)
  const cum_amount = exact(amounts.at(-1)?.result ?? 0)
  const cum_taxable = floored(cum_amount.minus(basic))
  const naming = { rule, name: '累计应纳税额', base_name: '累计应纳税所得额' } as const
  const { rate_ppm, quick_fen, tax: cum_tax, step } = taxBy(annualLevels(law, month), cum_taxable, naming)
  const tax = Math.max(0, cum_tax - sums.withheld)
  const terms = [plus('累计收入额', cum_amount), less('累计减除费用', basic)]
  const due = [plus('累计应纳税额', cum_tax), less('累计已预扣预缴', sums.withheld)]
  const steps: Step[] = [
    ...amounts,
    { rule, name: '累计应纳税所得额', result: cum_taxable, how: { does: 'sum', terms, floor: true } },
    step,
    { rule, name: '本期应预扣预缴税额', result: tax, how: { does: 'sum', terms: due, floor: true } },
  ]
  return { month: number, months_counted, cum_amount, cum_taxable, rate_ppm, quick_fen, cum_tax, tax, steps }
}

export function withholdLabor(person: LaborPerson, months: readonly LaborMonth[], law: Law = statutes): LaborMonthTax[] {
  let sums: Sums = { income: 0, surtax: 0, withheld: 0 }
  return months
    .toSorted((a, b) => a.month - b.month)
    .map(({ month, income, surtax = 0, withheld }) => {
      if (person.person_type === 'intern' && surtax !== 0)
        throw new LawRefusal(`months ${month} 月 surtax`, '实习学生没有附加税费；请删去，或改正人员类型')
      sums = { ...sums, income: fen(sums.income + income), surtax: fen(sums.surtax + surtax) }
      const found = oneMonth(person, month, sums, law)
      sums = { ...sums, withheld: sums.withheld + (withheld ?? found.tax) }
      return found
    })
}
