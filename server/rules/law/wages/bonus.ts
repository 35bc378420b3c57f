/** 全年一次性奖金 (财税 2018-164 art. 1, 国税发 2005-9): taxed apart from wages once a person and year, or merged, and which is better. */
import { type Fen, fen } from '../../../contract/words/money.ts'
import { taxBy } from '../by-table.ts'
import { exact } from '../exact.ts'
import { less, plus, type Step } from '../steps.ts'
import { rowFor, rowIn, type When } from '../tables/dated.ts'
import { annualLevels, type Law, monthlyLevels, statutes } from '../tables/law.ts'

export type Refused = { readonly allowed: false; readonly reason: 'already_used_this_year' | 'policy_expired' }
type Taxed = {
  readonly allowed: true
  readonly rate_ppm: number
  readonly quick_fen: number
  readonly tax: number
  readonly net: number
  readonly steps: readonly Step[]
}
export type Bonus = Taxed | Refused

/** `month`: of payment. A twelfth chooses the level and is not rounded; the quick deduction is taken off once. */
export function bonusApart(amount_fen: number, month: When, used_this_year: boolean, law: Law = statutes): Bonus {
  const row = rowIn(law.separate_bonus, month)
  if (!row) return { allowed: false, reason: 'policy_expired' }
  if (used_this_year) return { allowed: false, reason: 'already_used_this_year' }
  const by = row.value.share_months
  const share = exact(amount_fen).over(by)
  const rule = 'bonus_apart'
  const naming = { rule, name: '全年一次性奖金应纳税额', base_name: '奖金全额' } as const
  const { rate_ppm, quick_fen, tax, step } = taxBy(monthlyLevels(law, month), amount_fen, naming, share)
  const how = { does: 'times', base: plus('奖金全额', amount_fen), by: 1, over: by } as const
  const steps: Step[] = [{ rule, name: '按月换算找级距', result: share, how }, step]
  return { allowed: true, rate_ppm, quick_fen, tax, net: amount_fen - tax, steps }
}

export type YearBeside = {
  readonly income: number
  readonly special?: number | undefined
  readonly additional?: number | undefined
  readonly other?: number | undefined
}
export type Compared = {
  readonly separate: { readonly salary_tax: number; readonly bonus_tax: number; readonly total: number }
  readonly merged: { readonly total: number }
  /** Separate less merged. */
  readonly difference: number
  readonly better: 'separate' | 'merged' | 'same'
  readonly steps: readonly Step[]
}

/** Both ways for a whole year; what the wages leave unused of the deductions is used by a merged bonus. */
export function compareBonus(year: YearBeside, bonus_fen: number, month: When = null, law: Law = statutes): Compared {
  const rule = 'bonus_compare'
  const { income, special = 0, additional = 0, other = 0 } = year
  const { year_fen } = rowFor(law.basic_deduction, month).value
  const terms = [plus('全年工资收入', income), less('减除费用', year_fen), less('专项扣除', special)]
  terms.push(less('专项附加扣除', additional), less('其他扣除', other))
  const own = income - year_fen - special - additional - other
  const taxable = (name: string, with_fen: number): Step => ({
    rule,
    name,
    result: fen(Math.max(0, own + with_fen)),
    how: { does: 'sum', terms: with_fen ? [...terms, plus('奖金', with_fen)] : terms, floor: true },
  })
  const tax = (base: Step, name: string) => taxBy(annualLevels(law, month), base.result, { rule, name, base_name: base.name })
  const apart = taxable('全年工资应纳税所得额', 0)
  const salary = tax(apart, '工资应纳税额')
  const all = taxable('并入后应纳税所得额', bonus_fen)
  const merged = tax(all, '并入后应纳税额')
  const bonus = bonusApart(bonus_fen, month, false, law)
  const steps = [apart, salary.step, all, merged.step]
  // Where the bonus may not be taxed apart, merging is what there is.
  if (!bonus.allowed) {
    const total = merged.tax
    return {
      separate: { salary_tax: salary.tax, bonus_tax: 0, total },
      merged: { total },
      difference: 0,
      better: 'merged',
      steps,
    }
  }
  const total = salary.tax + bonus.tax
  const difference = total - merged.tax
  const compared = [plus('单独计税合计', total), less('并入合计', merged.tax)]
  const sum = [plus('工资应纳税额', salary.tax), plus('全年一次性奖金应纳税额', bonus.tax)]
  return {
    separate: { salary_tax: salary.tax, bonus_tax: bonus.tax, total },
    merged: { total: merged.tax },
    difference,
    better: difference < 0 ? 'separate' : difference > 0 ? 'merged' : 'same',
    steps: [
      ...steps,
      ...bonus.steps,
      { rule, name: '单独计税合计', result: total, how: { does: 'sum', terms: sum, floor: false } },
      { rule, name: '单独比并入多', result: difference, how: { does: 'sum', terms: compared, floor: false } },
    ],
  }
}

/** Bonuses that leave less than the end of the level before does: from a fen above that end up to and with `to_fen`. */
export type BonusTrap = { readonly end_fen: Fen; readonly to_fen: Fen; readonly costs_fen: Fen }
export function bonusTraps(month: When = null, law: Law = statutes): BonusTrap[] {
  const kept = (amount: number): number => {
    const bonus = bonusApart(amount, month, false, law)
    return bonus.allowed ? bonus.net : amount
  }
  const months = rowFor(law.separate_bonus, month).value.share_months
  const levels = monthlyLevels(law, month)
  return levels.flatMap(({ up_to }, at) => {
    const next = levels[at + 1]
    if (up_to === null || !next) return []
    const end = up_to * months
    const wanted = kept(end)
    // net = amount × (1 − rate) + quick; where it comes back to what was kept, to the fen.
    let to = exact(wanted - next.quick_fen)
      .over(1_000_000 - next.rate_ppm)
      .times(1_000_000)
      .rounded('down')
    while (kept(to) >= wanted) to = fen(to - 1)
    while (kept(to + 1) < wanted) to = fen(to + 1)
    return [{ end_fen: fen(end), to_fen: to, costs_fen: fen(wanted - kept(end + 1)) }]
  })
}
