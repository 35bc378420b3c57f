/**
 * Schemes of social insurance and housing fund: a city's figures for some months, as data with their document (tax-rules §11). Read strictly, chosen
 * by the month, never the nearest; two that hold for the same month are refused.
 */
import { type InsuranceCode, insuranceCodes, insuranceNames, isFund } from '../../../contract/wage/kinds.ts'
import { type Rounding, roundings } from '../exact.ts'
import { StrictFields } from '../read.ts'
import { LawRefusal } from '../refused.ts'
import { defaults, type Settings } from '../settings.ts'

export { type InsuranceCode, insuranceCodes, insuranceNames } from '../../../contract/wage/kinds.ts'

export type SchemeItem = {
  readonly code: InsuranceCode
  readonly base_key: string
  readonly floor: number
  /** Null: none. */
  readonly ceiling: number | null
  readonly unit_fen: number
  readonly mode: Rounding
  readonly employee_fixed: number
  readonly employer_fixed: number
  /** What still has to be confirmed, for whoever keeps the figures. */
  readonly check: string | null
  /** Rates of law, or for a fund the band in which the company chooses one. */
  readonly rates:
    | { readonly employee_ppm: number; readonly employer_ppm: number }
    | { readonly from_ppm: number; readonly to_ppm: number }
}
export type Scheme = {
  readonly city: string
  readonly valid_from: string
  readonly valid_to: string | null
  readonly document: string
  /** As it was written, for telling. */
  readonly written_from: string
  readonly items: readonly SchemeItem[]
}

function itemOf(value: unknown, place: string, { insurance_rounding }: Settings): SchemeItem {
  const of = new StrictFields(value, place)
  const code = of.choice('code', insuranceCodes)
  const isBand = isFund(code) && (of.has('min_rate') || of.has('max_rate'))
  const rates: SchemeItem['rates'] = isBand
    ? { from_ppm: of.rate('min_rate'), to_ppm: of.rate('max_rate') }
    : { employee_ppm: of.rate('employee_rate', 0), employer_ppm: of.rate('employer_rate', 0) }
  const item: SchemeItem = {
    code,
    base_key: of.text('base_key', isFund(code) ? 'housing_fund' : 'social'),
    floor: of.money('floor', 0),
    ceiling: of.has('ceiling') ? of.money('ceiling') : null,
    unit_fen: of.money('unit', insurance_rounding.unit_fen),
    mode: of.choice('mode', roundings, insurance_rounding.mode),
    employee_fixed: of.money('employee_fixed', 0),
    employer_fixed: of.money('employer_fixed', 0),
    check: of.has('check') ? of.text('check') : null,
    rates,
  }
  of.close()
  if (item.ceiling !== null && item.ceiling < item.floor) throw new LawRefusal(of.at('ceiling'), '上限低于下限；请改正')
  if (item.unit_fen <= 0) throw new LawRefusal(of.at('unit'), '取整单位应大于 0，如 0.01、0.1、1')
  if ('from_ppm' in rates && rates.to_ppm < rates.from_ppm)
    throw new LawRefusal(of.at('max_rate'), '最高比例低于最低比例；请改正')
  return item
}

export function schemeOf(value: unknown, place: string, settings: Settings = defaults): Scheme {
  const of = new StrictFields(value, place)
  const scheme = {
    city: of.text('city', '未写城市'),
    valid_from: of.month('valid_from'),
    valid_to: of.has('valid_to') ? of.month('valid_to') : null,
    document: of.text('document', '未写出处'),
    written_from: of.text('valid_from'),
    items: of.list('items', (one, at) => itemOf(one, at, settings)),
  }
  of.close()
  const twice = scheme.items.find(({ code }, at) => scheme.items.findIndex((one) => one.code === code) !== at)
  if (twice) throw new LawRefusal(of.at('items'), `${insuranceNames[twice.code]}（${twice.code}）写了两次；请只留一项`)
  if (scheme.valid_to !== null && scheme.valid_to < scheme.valid_from)
    throw new LawRefusal(of.at('valid_to'), `${scheme.valid_to} 早于开始的 ${scheme.valid_from}；请改正`)
  return scheme
}

/** Schemes as they may be kept: of one city no two for the same month. */
export function schemesOf(values: readonly unknown[], place: string, settings: Settings = defaults): Scheme[] {
  const schemes = values.map((one, at) => schemeOf(one, `${place}[${at}]`, settings))
  for (const [at, one] of schemes.entries()) {
    const beside = schemes.findIndex((other, to) => to < at && other.city === one.city && overlap(other, one))
    if (beside >= 0)
      throw new LawRefusal(
        `${place}[${at}].valid_from`,
        `${one.city}的方案与第 ${beside + 1} 个方案的月份重叠；请先填写前一个方案的结束月份`,
      )
  }
  return schemes
}
const overlap = (a: Scheme, b: Scheme): boolean =>
  a.valid_from <= (b.valid_to ?? '9999') && b.valid_from <= (a.valid_to ?? '9999')

/** Months are compared, days are not. Null: none holds. */
export const schemeFor = (schemes: readonly Scheme[], month: string): Scheme | null =>
  schemes.find(({ valid_from, valid_to }) => valid_from <= month && (valid_to === null || month <= valid_to)) ?? null
