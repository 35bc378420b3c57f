/**
 * 专项附加扣除 in withholding (国发 2018-41, 2023-13, 2022-7): what counts is the months inside an item's window and employed here, up to the
 * month of payment; what was handed in late is caught up by itself. An illness is of the year's settlement only.
 */

import { deductionWords } from '../../../contract/wage/kinds.ts'
import { fen, sum, timesHalfUp } from '../../../contract/words/money.ts'
import { exact, floored, least } from '../exact.ts'
import { LawRefusal } from '../refused.ts'
import { less, plus, type Step, type Term } from '../steps.ts'
import { rowFor, type When } from '../tables/dated.ts'
import { type Law, statutes } from '../tables/law.ts'
import { monthOf } from '../wages/employment.ts'
import { type AdditionalItem, count, windowOf } from './windows.ts'

export type AdditionalCode = AdditionalItem['code']
export type AdditionalYear = {
  readonly year: number
  /** Up to this month, 1 to 12. */
  readonly as_of_month: number
  /** Months as `2026-03`. */
  readonly employment_start: string
  readonly employment_end?: string | null | undefined
}
export type Additional =
  | { readonly cumulative: ReadonlyMap<AdditionalCode, number>; readonly total: number; readonly steps: readonly Step[] }
  | { readonly refused: string; readonly message: string }

type Standard = Law['additional']['rows'][number]['value']
/** What an item gives in a month, and the most that all items of its kind give together: a degree, a loan, a home and one's parents count once. */
function monthly(item: AdditionalItem, standard: Standard): { amount: number; most: number } {
  const shared = (amount: number, share_ppm: number) => timesHalfUp(fen(amount), share_ppm)
  switch (item.code) {
    case 'infant_care':
      return { amount: shared(standard.infant_care_fen ?? 0, item.share_ppm), most: Number.MAX_SAFE_INTEGER }
    case 'child_education':
      return { amount: shared(standard.child_education_fen, item.share_ppm), most: Number.MAX_SAFE_INTEGER }
    case 'continuing_degree':
      return { amount: standard.degree_fen, most: standard.degree_fen }
    case 'continuing_certificate':
      return { amount: standard.certificate_fen, most: standard.certificate_fen }
    case 'housing_loan':
      return { amount: shared(standard.loan_fen, item.share_ppm), most: standard.loan_fen }
    case 'housing_rent': {
      const amount = standard.rent_fen[item.city_tier - 1]
      if (amount === undefined) throw new LawRefusal('housing_rent.city_tier', `没有第 ${item.city_tier} 档；请写 1、2 或 3`)
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

/** Rent and loan exclude each other for the year, whichever came first in it; a share of more than half is nobody's. */
function conflict(items: readonly AdditionalItem[], year: number, standard: Standard): Additional | null {
  const first = year * 12
  const inYear = (code: AdditionalCode) =>
    items.some((item) => {
      if (item.code !== code) return false
      const window = windowOf(item, standard)
      return window !== null && Math.max(window.from, first) <= Math.min(window.to, first + 11)
    })
  if (inYear('housing_loan') && inYear('housing_rent'))
    return { refused: 'loan_and_rent_conflict', message: '住房贷款利息和住房租金在同一年度只能扣一项；请删去一项' }
  const most = standard.elderly_share_fen
  const over = items.some((item) => item.code === 'elderly' && item.share_fen !== null && item.share_fen > most)
  const yuan = Math.trunc(most / 100)
  return over
    ? { refused: `elderly_share_over_${yuan}`, message: `赡养老人非独生子女每月最多分摊 ${yuan} 元；请改正分摊金额` }
    : null
}

/** What one kind gives in each month that counts: of children each, of the rest no more than once. */
function ofKind(items: readonly AdditionalItem[], { year }: AdditionalYear, months: readonly number[], law: Law): Term[] {
  const terms: Term[] = []
  let hasCertificate = false
  for (const month of months) {
    const when = monthOf(year, month)
    const standard = rowFor(law.additional, when).value
    const active = items.filter((item) => {
      const window = windowOf(item, standard)
      return window !== null && window.from <= count(when) && count(when) <= window.to
    })
    const given = active.map((item) => monthly(item, standard))
    const all = sum(given.map(({ amount }) => amount))
    const most = given.reduce((highest, one) => Math.max(highest, one.most), 0)
    const amount = Math.min(all, most)
    if (amount === 0 || hasCertificate) continue
    // Once a year, whatever the number.
    hasCertificate = items.some(({ code }) => code === 'continuing_certificate')
    terms.push(plus(`${month} 月`, amount))
  }
  return terms
}

/** Every code that is among the items appears, with 0 where nothing counts. */
export function additionalDeduction(of: AdditionalYear, items: readonly AdditionalItem[], law: Law = statutes): Additional {
  const standard = rowFor(law.additional, monthOf(of.year, of.as_of_month)).value
  const refused = conflict(items, of.year, standard)
  if (refused) return refused
  const infant = items.some(({ code }) => code === 'infant_care')
  if (infant && standard.infant_care_fen === null)
    throw new LawRefusal('infant_care', `${of.year} 年还没有3岁以下婴幼儿照护扣除；请删去这一项`)
  const from = Math.max(of.year * 12, count(of.employment_start))
  const to = Math.min(of.year * 12 + of.as_of_month - 1, of.employment_end ? count(of.employment_end) : Number.MAX_SAFE_INTEGER)
  const months: number[] = []
  for (let at = from; at <= to; at++) months.push((at % 12) + 1)
  const cumulative = new Map<AdditionalCode, number>()
  const steps: Step[] = []
  for (const code of new Set(items.map((item) => item.code))) {
    const own = items.filter((item) => item.code === code)
    const terms = ofKind(own, of, months, law)
    const result = sum(terms.map((term) => (typeof term.of === 'number' ? term.of : 0)))
    cumulative.set(code, result)
    steps.push({ rule: 'additional', name: deductionWords[code], result, how: { does: 'sum', terms, floor: false } })
  }
  const total = sum(cumulative.values())
  const terms = steps.map(({ name, result }) => plus(name, result))
  steps.push({ rule: 'additional', name: '累计专项附加扣除', result: total, how: { does: 'sum', terms, floor: false } })
  return { cumulative, total, steps }
}

/** 大病医疗 of one person in the year's settlement: the part of what was paid oneself above the start, up to the cap. */
export function illnessDeduction(self_paid: number, month: When = null, law: Law = statutes): Step[] {
  const rule = 'additional'
  const { illness_from_fen, illness_up_to_fen } = rowFor(law.additional, month).value
  const above = floored(exact(self_paid).minus(illness_from_fen))
  const result = least(above, illness_up_to_fen)
  const terms = [plus('个人负担的医药费', self_paid), less('起扣额', illness_from_fen)]
  const bounds = [plus('超过起扣额的部分', above), plus('每人限额', illness_up_to_fen)]
  return [
    { rule, name: '超过起扣额的部分', result: above, how: { does: 'sum', terms, floor: true } },
    { rule, name: '大病医疗', result, how: { does: 'least', terms: bounds } },
  ]
}
