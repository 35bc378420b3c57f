/**
 * 股权激励: for listed companies the year's sum is taxed separately by the annual table (财税 2018-164 art. 2); for others
 * the tax is deferred to the sale (财税 2016-101).
 */
import { computeBracketTax } from '../../../server/rules/law/bracket-tax.ts'
import { clampToZero, type Fraction, toFraction } from '../../../server/rules/law/fraction.ts'
import { minusTerm, plusTerm, type Step } from '../../../server/rules/law/steps.ts'
import { findDatedRow, getDatedRow } from '../../../server/rules/law/tables/dated-table.ts'
import { currentLaw, getAnnualBrackets, type TaxLaw } from '../../../server/rules/law/tables/law.ts'
import { formatYearMonth } from '../../../server/rules/law/wages/employment.ts'

/** Share prices are exact amounts in fen; `shares` is a plain number. */
export type EquityGrant = { readonly shares: Fraction } & (
  | { readonly type: 'option'; readonly market: Fraction; readonly exercise: Fraction }
  | { readonly type: 'restricted'; readonly market_register: Fraction; readonly market_unlock: Fraction; readonly cost: Fraction }
  | { readonly type: 'sar'; readonly market: Fraction; readonly grant: Fraction }
  | { readonly type: 'award'; readonly market: Fraction; readonly cost: Fraction }
)
export type EquityItem = {
  readonly income: Fraction
  readonly cum_income: Fraction
  readonly rate_ppm: number
  readonly quick_fen: number
  readonly cum_tax: number
  readonly tax: number
  readonly steps: readonly Step[]
}
export type EquityTaxResult =
  | { readonly items: readonly EquityItem[]; readonly total_tax: number }
  | { readonly refused: 'policy_expired' }

/**
 * Returns the market value and the price paid per share; for restricted stock the mean of registration and release (国税函
 * 2009-461).
 */
function getGrantPrices(one: EquityGrant): { readonly value: Fraction; readonly paid: Fraction; readonly how: string } {
  switch (one.type) {
    case 'option':
      return { value: one.market, paid: one.exercise, how: '行权日市价减施权价' }
    case 'restricted':
      return {
        value: one.market_register.plus(one.market_unlock).dividedBy(2),
        paid: one.cost,
        how: '登记日与解禁日市价的平均减成本',
      }
    case 'sar':
      return { value: one.market, paid: one.grant, how: '行权日市价减授权日市价' }
    case 'award':
      return { value: one.market, paid: one.cost, how: '取得日市价减成本' }
  }
}

/** Computes the tax of grants in order. A grant worth less than its cost is not income and does not reduce other income. */
export function computeEquityTax(year: number, grants: readonly EquityGrant[], law: TaxLaw = currentLaw): EquityTaxResult {
  const month = formatYearMonth(year, 12)
  if (!findDatedRow(law.equity_separate, month)) return { refused: 'policy_expired' }
  let cum_income: Fraction = toFraction(0)
  let before = 0
  const items = grants.map((one): EquityItem => {
    const { value, paid, how } = getGrantPrices(one)
    const market = value.times(one.shares)
    const cost = paid.times(one.shares)
    const income = clampToZero(market.minus(cost))
    const earlier = cum_income
    cum_income = cum_income.plus(income)
    const naming = { rule: 'equity_tax', name: '累计应纳税额', base_name: '全年累计股权激励收入' } as const
    const { rate_ppm, quick_fen, tax: cum_tax, step } = computeBracketTax(getAnnualBrackets(law, month), cum_income, naming)
    const tax = cum_tax - before
    const own = [plusTerm('市价合计', market), minusTerm('支付合计', cost)]
    const all = [plusTerm('此前累计', earlier), plusTerm('本次收入', income)]
    const due = [plusTerm('累计应纳税额', cum_tax), minusTerm('此前已纳', before)]
    const rule = 'equity_tax'
    const steps: Step[] = [
      {
        rule: 'equity_income',
        name: `市价合计（${how}）`,
        result: market,
        formula: { kind: 'times', base: plusTerm('每股市价', value), by: one.shares, over: 1 },
      },
      { rule: 'equity_income', name: '本次收入', result: income, formula: { kind: 'sum', terms: own, floor: true } },
      { rule, name: '全年累计股权激励收入', result: cum_income, formula: { kind: 'sum', terms: all, floor: false } },
      step,
      { rule, name: '本次应纳税额', result: tax, formula: { kind: 'sum', terms: due, floor: false } },
    ]
    before = cum_tax
    return { income, cum_income, rate_ppm, quick_fen, cum_tax, tax, steps }
  })
  return { items, total_tax: before }
}

export type ShareTransfer = {
  readonly shares: Fraction
  readonly price: Fraction
  readonly cost: Fraction
  readonly expenses: number
}
/** A loss does not count as negative income. */
export function computeDeferredTransferTax({ shares, price, cost, expenses }: ShareTransfer, law: TaxLaw = currentLaw) {
  const rule = 'equity_deferred'
  const { rate_ppm } = getDatedRow(law.transfer, null).value
  const proceeds = price.times(shares)
  const totalCost = cost.times(shares)
  const income = clampToZero(proceeds.minus(totalCost).minus(expenses))
  const tax = income.timesPpm(rate_ppm).rounded()
  const terms = [plusTerm('转让收入', proceeds), minusTerm('取得成本', totalCost), minusTerm('合理税费', expenses)]
  const base = plusTerm('转让所得', income)
  const steps: Step[] = [
    { rule, name: '转让所得', result: income, formula: { kind: 'sum', terms, floor: true } },
    { rule, name: '应纳税额', result: tax, formula: { kind: 'part', base, rate_ppm, unit_fen: 1, mode: 'half_up' } },
  ]
  return { income, rate_ppm, tax, steps }
}

/** Converts a price in yuan to an exact amount in fen. */
export const toFenFraction = (yuan: Fraction): Fraction => yuan.times(100)
