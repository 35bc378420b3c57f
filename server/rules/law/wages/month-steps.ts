/** How a month of wages came about: its steps, said of figures that are there. */
import { type How, less, plus, type Step, type Term } from '../steps.ts'
import type { MonthFigures, WageMonth } from './withholding.ts'

export function monthSteps(of: WageMonth): readonly Step[] {
  const relief = reliefSteps(of)
  const name = relief.length > 0 ? '减免前累计税额' : '累计应纳税额'
  return [
    new WageStep(of, of.basic_rule, '累计减除费用', of.cum_basic),
    new WageStep(of, 'wage_sums', '累计应纳税所得额', of.cum_taxable),
    new WageStep(of, 'wage_tax', name, of.full_tax),
    ...relief,
    new WageStep(of, 'wage_withheld', '本期应预扣预缴税额', of.tax),
  ]
}

/** A step of a month: its figure is there, and what went into it is put together when somebody reads it. */
class WageStep implements Step {
  readonly rule: MonthFigures['basic_rule'] | 'wage_sums' | 'wage_tax' | 'wage_withheld'
  readonly name: string
  readonly result: number
  private readonly of: WageMonth

  constructor(of: WageMonth, rule: WageStep['rule'], name: string, result: number) {
    this.of = of
    this.rule = rule
    this.name = name
    this.result = result
  }
  get how(): How {
    const { of } = this
    switch (this.rule) {
      case 'wage_sums':
        return taxableHow(of)
      case 'wage_tax': {
        const { rate_ppm, quick_fen } = of
        return { does: 'tax', base: plus('累计应纳税所得额', of.cum_taxable), rate_ppm, quick_fen, times: 1 }
      }
      case 'wage_withheld': {
        const terms = [plus('累计应纳税额', of.cum_tax), less('累计已预扣预缴', of.cum_withheld)]
        return { does: 'sum', terms, floor: true }
      }
      default:
        return basicHow(of)
    }
  }
}

const basicHow = ({ basic_rule, month_basic, months_counted }: MonthFigures): How =>
  basic_rule === 'wage_under_60000'
    ? { does: 'given', note: '全年减除费用一次减' }
    : { does: 'times', base: plus('每月减除费用', month_basic), by: months_counted, over: 1 }

function taxableHow({ sums, cum_basic }: MonthFigures): How {
  const terms: Term[] = [plus('累计收入', sums.income)]
  if (sums.exempt) terms.push(less('累计免税收入', sums.exempt))
  terms.push(less('累计减除费用', cum_basic))
  if (sums.special) terms.push(less('累计专项扣除', sums.special))
  if (sums.additional) terms.push(less('累计专项附加扣除', sums.additional))
  if (sums.other) terms.push(less('累计其他扣除', sums.other))
  if (sums.donation) terms.push(less('累计准予扣除的捐赠', sums.donation))
  return { does: 'sum', terms, floor: true }
}

const noSteps: readonly Step[] = []
function reliefSteps({ full_tax, province, sums, cum_tax }: MonthFigures): readonly Step[] {
  if (!province && sums.reduction === 0) return noSteps
  const steps: Step[] = []
  if (province) {
    const { rate_ppm, year_fen, share, within } = province
    const base = plus('减免前累计税额', full_tax)
    const how = { does: 'part', base, rate_ppm, unit_fen: 1, mode: 'half_up' } as const
    steps.push({ rule: 'wage_relief', name: '减征比例计算的税额', result: share, how })
    const terms = [plus('减征比例计算的税额', share), plus('全年减征限额', year_fen)]
    steps.push({ rule: 'wage_relief', name: '按比例减征', result: within, how: { does: 'least', terms } })
  }
  const relief = sums.reduction + (province?.within ?? 0)
  const terms = [plus('减免前累计税额', full_tax), less('累计减免税额', relief)]
  steps.push({ rule: 'wage_relief', name: '累计应纳税额', result: cum_tax, how: { does: 'sum', terms, floor: true } })
  return steps
}
