/** Builds the steps of a month of wages from its computed values. */
import { minusTerm, plusTerm, type Step, type StepFormula, type Term } from '../steps.ts'
import type { WageMonthData } from './month-values.ts'

/** A month with the tax to withhold. */
type TaxedMonth = WageMonthData & { readonly tax: number }

export function buildMonthSteps(wageMonth: TaxedMonth): readonly Step[] {
  const relief = buildReliefSteps(wageMonth)
  const name = relief.length > 0 ? '减免前累计税额' : '累计应纳税额'
  return [
    new WageStep(wageMonth, wageMonth.basic_rule, '累计减除费用', wageMonth.cum_basic),
    new WageStep(wageMonth, 'wage_sums', '累计应纳税所得额', wageMonth.cum_taxable),
    new WageStep(wageMonth, 'wage_tax', name, wageMonth.full_tax),
    ...relief,
    new WageStep(wageMonth, 'wage_withheld', '本期应预扣预缴税额', wageMonth.tax),
  ]
}

/** A step of a month: its value is stored, and its operands are built when they are read. */
class WageStep implements Step {
  readonly rule: WageMonthData['basic_rule'] | 'wage_sums' | 'wage_tax' | 'wage_withheld'
  readonly name: string
  readonly result: number
  private readonly wageMonth: TaxedMonth

  constructor(of: TaxedMonth, rule: WageStep['rule'], name: string, result: number) {
    this.wageMonth = of
    this.rule = rule
    this.name = name
    this.result = result
  }
  get formula(): StepFormula {
    const { wageMonth } = this
    switch (this.rule) {
      case 'wage_sums':
        return getTaxableFormula(wageMonth)
      case 'wage_tax': {
        const { rate_ppm, quick_fen } = wageMonth
        return { kind: 'tax', base: plusTerm('累计应纳税所得额', wageMonth.cum_taxable), rate_ppm, quick_fen, times: 1 }
      }
      case 'wage_withheld': {
        const terms = [plusTerm('累计应纳税额', wageMonth.cum_tax), minusTerm('累计已预扣预缴', wageMonth.cum_withheld)]
        return { kind: 'sum', terms, floor: true }
      }
      default:
        return getBasicFormula(wageMonth)
    }
  }
}

const getBasicFormula = ({ basic_rule, month_basic, months_counted }: WageMonthData): StepFormula =>
  basic_rule === 'wage_under_60000'
    ? { kind: 'given', note: '全年减除费用一次减' }
    : { kind: 'times', base: plusTerm('每月减除费用', month_basic), by: months_counted, over: 1 }

function getTaxableFormula({ sums, cum_basic }: WageMonthData): StepFormula {
  const terms: Term[] = [plusTerm('累计收入', sums.income)]
  if (sums.exempt) terms.push(minusTerm('累计免税收入', sums.exempt))
  terms.push(minusTerm('累计减除费用', cum_basic))
  if (sums.special) terms.push(minusTerm('累计专项扣除', sums.special))
  if (sums.additional) terms.push(minusTerm('累计专项附加扣除', sums.additional))
  if (sums.other) terms.push(minusTerm('累计其他扣除', sums.other))
  if (sums.donation) terms.push(minusTerm('累计准予扣除的捐赠', sums.donation))
  return { kind: 'sum', terms, floor: true }
}

const emptySteps: readonly Step[] = []
function buildReliefSteps({ full_tax, province, sums, cum_tax }: WageMonthData): readonly Step[] {
  if (!province && sums.reduction === 0) return emptySteps
  const steps: Step[] = []
  if (province) {
    const { rate_ppm, year_fen, share, within } = province
    const base = plusTerm('减免前累计税额', full_tax)
    const how = { kind: 'part', base, rate_ppm, unit_fen: 1, mode: 'half_up' } as const
    steps.push({ rule: 'wage_relief', name: '减征比例计算的税额', result: share, formula: how })
    const terms = [plusTerm('减征比例计算的税额', share), plusTerm('全年减征限额', year_fen)]
    steps.push({ rule: 'wage_relief', name: '按比例减征', result: within, formula: { kind: 'least', terms } })
  }
  const relief = sums.reduction + (province?.within ?? 0)
  const terms = [plusTerm('减免前累计税额', full_tax), minusTerm('累计减免税额', relief)]
  steps.push({ rule: 'wage_relief', name: '累计应纳税额', result: cum_tax, formula: { kind: 'sum', terms, floor: true } })
  return steps
}
