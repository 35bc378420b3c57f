/**
 * 专项附加扣除 in withholding (国发 2018-41, 2023-13, 2022-7): a month counts if it lies within an item's window and the
 * employment with this company, up to the month of payment; months submitted late are thereby caught up. Serious
 * illness counts in the annual settlement only.
 */

import { multiplyByRate, sumFen, toFen } from '../../../contract/shared/money.ts'
import { deductionLabels } from '../../../contract/tax/kinds.ts'
import { clampToZero, minQuantity, toFraction } from '../fraction.ts'
import { LawError } from '../law-error.ts'
import { minusTerm, plusTerm, type Step, type Term } from '../steps.ts'
import { getDatedRow, type PaymentMonth } from '../tables/dated-table.ts'
import { currentLaw, type TaxLaw } from '../tables/law.ts'
import { formatYearMonth } from '../wages/employment.ts'
import { type AdditionalDeductionItem, getDeductionWindow, toMonthIndex } from './windows.ts'

export type AdditionalDeductionCode = AdditionalDeductionItem['code']
export type AdditionalDeductionYear = {
  readonly year: number
  /** Last month that counts, 1 to 12. */
  readonly as_of_month: number
  /** Months in the format `2026-03`. */
  readonly employment_start: string
  readonly employment_end?: string | null | undefined
}
export type AdditionalDeductionResult =
  | { readonly cumulative: ReadonlyMap<AdditionalDeductionCode, number>; readonly total: number; readonly steps: readonly Step[] }
  | { readonly refused: string; readonly message: string }

type DeductionStandard = TaxLaw['additional']['rows'][number]['value']
/** Returns an item's amount in a month, and the maximum of its kind: a degree, loan, home and the parents count once. */
function getMonthlyAmount(item: AdditionalDeductionItem, standard: DeductionStandard): { amount: number; most: number } {
  const applyShare = (amount: number, share_ppm: number) => multiplyByRate(toFen(amount), share_ppm)
  switch (item.code) {
    case 'infant_care':
      return { amount: applyShare(standard.infant_care_fen ?? 0, item.share_ppm), most: Number.MAX_SAFE_INTEGER }
    case 'child_education':
      return { amount: applyShare(standard.child_education_fen, item.share_ppm), most: Number.MAX_SAFE_INTEGER }
    case 'continuing_degree':
      return { amount: standard.degree_fen, most: standard.degree_fen }
    case 'continuing_certificate':
      return { amount: standard.certificate_fen, most: standard.certificate_fen }
    case 'housing_loan':
      return { amount: applyShare(standard.loan_fen, item.share_ppm), most: standard.loan_fen }
    case 'housing_rent': {
      const amount = standard.rent_fen[item.city_tier - 1]
      if (amount === undefined) throw new LawError('housing_rent.city_tier', `没有第 ${item.city_tier} 档；请写 1、2 或 3`)
      return { amount, most: amount }
    }
    case 'elderly':
      return item.share_fen === null
        ? { amount: standard.elderly_fen, most: standard.elderly_fen }
        : { amount: item.share_fen, most: standard.elderly_share_fen }
    case 'serious_illness':
      return { amount: 0, most: 0 }
  }
}

/** Rent and loan exclude each other for the year, whichever came first; a share of more than half is not allowed. */
function findConflict(
  items: readonly AdditionalDeductionItem[],
  year: number,
  standard: DeductionStandard,
): AdditionalDeductionResult | null {
  const first = year * 12
  const inYear = (code: AdditionalDeductionCode) =>
    items.some((item) => {
      if (item.code !== code) return false
      const window = getDeductionWindow(item, standard)
      return window !== null && Math.max(window.from, first) <= Math.min(window.to, first + 11)
    })
  if (inYear('housing_loan') && inYear('housing_rent'))
    return { refused: 'loan_and_rent_conflict', message: '住房贷款利息和住房租金在同一年度只能扣一项；请删去一项' }
  const maxShareFen = standard.elderly_share_fen
  const over = items.some((item) => item.code === 'elderly' && item.share_fen !== null && item.share_fen > maxShareFen)
  const yuan = Math.trunc(maxShareFen / 100)
  return over
    ? { refused: `elderly_share_over_${yuan}`, message: `赡养老人非独生子女每月最多分摊 ${yuan} 元；请改正分摊金额` }
    : null
}

/** Builds the amounts of one kind for each month: every child counts, other kinds at most once. */
function buildKindTerms(
  items: readonly AdditionalDeductionItem[],
  { year }: AdditionalDeductionYear,
  months: readonly number[],
  law: TaxLaw,
): Term[] {
  const terms: Term[] = []
  let hasCertificate = false
  for (const month of months) {
    const when = formatYearMonth(year, month)
    const standard = getDatedRow(law.additional, when).value
    const active = items.filter((item) => {
      const window = getDeductionWindow(item, standard)
      return window !== null && window.from <= toMonthIndex(when) && toMonthIndex(when) <= window.to
    })
    const amounts = active.map((item) => getMonthlyAmount(item, standard))
    const all = sumFen(amounts.map(({ amount }) => amount))
    const highestMax = amounts.reduce((highest, one) => Math.max(highest, one.most), 0)
    const amount = Math.min(all, highestMax)
    if (amount === 0 || hasCertificate) continue
    // Counts once a year, regardless of the number of certificates.
    hasCertificate = items.some(({ code }) => code === 'continuing_certificate')
    terms.push(plusTerm(`${month} 月`, amount))
  }
  return terms
}

/** The result contains every code among the items, with 0 if nothing counts. */
export function computeAdditionalDeduction(
  period: AdditionalDeductionYear,
  items: readonly AdditionalDeductionItem[],
  law: TaxLaw = currentLaw,
): AdditionalDeductionResult {
  const standard = getDatedRow(law.additional, formatYearMonth(period.year, period.as_of_month)).value
  const refused = findConflict(items, period.year, standard)
  if (refused) return refused
  const infant = items.some(({ code }) => code === 'infant_care')
  if (infant && standard.infant_care_fen === null)
    throw new LawError('infant_care', `${period.year} 年还没有3岁以下婴幼儿照护扣除；请删去这一项`)
  const from = Math.max(period.year * 12, toMonthIndex(period.employment_start))
  const to = Math.min(
    period.year * 12 + period.as_of_month - 1,
    period.employment_end ? toMonthIndex(period.employment_end) : Number.MAX_SAFE_INTEGER,
  )
  const months: number[] = []
  for (let at = from; at <= to; at++) months.push((at % 12) + 1)
  const cumulative = new Map<AdditionalDeductionCode, number>()
  const steps: Step[] = []
  for (const code of new Set(items.map((item) => item.code))) {
    const kindItems = items.filter((item) => item.code === code)
    const terms = buildKindTerms(kindItems, period, months, law)
    const result = sumFen(terms.map((term) => (typeof term.value === 'number' ? term.value : 0)))
    cumulative.set(code, result)
    steps.push({ rule: 'additional', name: deductionLabels[code], result, formula: { kind: 'sum', terms, floor: false } })
  }
  const total = sumFen(cumulative.values())
  const terms = steps.map(({ name, result }) => plusTerm(name, result))
  steps.push({ rule: 'additional', name: '累计专项附加扣除', result: total, formula: { kind: 'sum', terms, floor: false } })
  return { cumulative, total, steps }
}

/** Computes 大病医疗 for one person in the annual settlement: the self-paid amount above the threshold, up to the cap. */
export function computeIllnessDeduction(self_paid: number, month: PaymentMonth = null, law: TaxLaw = currentLaw): Step[] {
  const rule = 'additional'
  const { illness_from_fen, illness_up_to_fen } = getDatedRow(law.additional, month).value
  const above = clampToZero(toFraction(self_paid).minus(illness_from_fen))
  const result = minQuantity(above, illness_up_to_fen)
  const terms = [plusTerm('个人负担的医药费', self_paid), minusTerm('起扣额', illness_from_fen)]
  const bounds = [plusTerm('超过起扣额的部分', above), plusTerm('每人限额', illness_up_to_fen)]
  return [
    { rule, name: '超过起扣额的部分', result: above, formula: { kind: 'sum', terms, floor: true } },
    { rule, name: '大病医疗', result, formula: { kind: 'least', terms: bounds } },
  ]
}
