/**
 * Schemes of social insurance and housing fund: a city's values for a period, as data with their source document
 * (tax-rules §11). They are read strictly and selected by the exact month, never the nearest one; two schemes for the
 * same month are rejected.
 */
import { type InsuranceCode, insuranceCodes, insuranceLabels, isHousingFund } from '../../../contract/tax/kinds.ts'
import { type RoundingMode, roundingModes } from '../fraction.ts'
import { LawError } from '../law-error.ts'
import { defaultTaxSettings, type TaxSettings } from '../settings.ts'
import { StrictFields } from '../strict-fields.ts'

export { type InsuranceCode, insuranceCodes, insuranceLabels } from '../../../contract/tax/kinds.ts'

export type InsuranceSchemeItem = {
  readonly code: InsuranceCode
  readonly base_key: string
  readonly floor: number
  /** Null: no ceiling. */
  readonly ceiling: number | null
  readonly unit_fen: number
  readonly mode: RoundingMode
  readonly employee_fixed: number
  readonly employer_fixed: number
  /** What remains to be confirmed, for the maintainer of the values. */
  readonly check: string | null
  /** Statutory rates, or for a fund the range within which the company chooses one. */
  readonly rates:
    | { readonly employee_ppm: number; readonly employer_ppm: number }
    | { readonly from_ppm: number; readonly to_ppm: number }
}
export type InsuranceScheme = {
  readonly city: string
  readonly valid_from: string
  readonly valid_to: string | null
  readonly document: string
  /** The original text, for messages. */
  readonly written_from: string
  readonly items: readonly InsuranceSchemeItem[]
}

function readSchemeItem(value: unknown, path: string, { insurance_rounding }: TaxSettings): InsuranceSchemeItem {
  const fields = new StrictFields(value, path)
  const code = fields.choice('code', insuranceCodes)
  const isBand = isHousingFund(code) && (fields.has('min_rate') || fields.has('max_rate'))
  const rates: InsuranceSchemeItem['rates'] = isBand
    ? { from_ppm: fields.rate('min_rate'), to_ppm: fields.rate('max_rate') }
    : { employee_ppm: fields.rate('employee_rate', 0), employer_ppm: fields.rate('employer_rate', 0) }
  const item: InsuranceSchemeItem = {
    code,
    base_key: fields.text('base_key', isHousingFund(code) ? 'housing_fund' : 'social'),
    floor: fields.money('floor', 0),
    ceiling: fields.has('ceiling') ? fields.money('ceiling') : null,
    unit_fen: fields.money('unit', insurance_rounding.unit_fen),
    mode: fields.choice('mode', roundingModes, insurance_rounding.mode),
    employee_fixed: fields.money('employee_fixed', 0),
    employer_fixed: fields.money('employer_fixed', 0),
    check: fields.has('check') ? fields.text('check') : null,
    rates,
  }
  fields.close()
  if (item.ceiling !== null && item.ceiling < item.floor) throw new LawError(fields.getPath('ceiling'), '上限低于下限；请改正')
  if (item.unit_fen <= 0) throw new LawError(fields.getPath('unit'), '取整单位应大于 0，如 0.01、0.1、1')
  if ('from_ppm' in rates && rates.to_ppm < rates.from_ppm)
    throw new LawError(fields.getPath('max_rate'), '最高比例低于最低比例；请改正')
  return item
}

export function readScheme(value: unknown, path: string, settings: TaxSettings = defaultTaxSettings): InsuranceScheme {
  const fields = new StrictFields(value, path)
  const scheme = {
    city: fields.text('city', '未写城市'),
    valid_from: fields.month('valid_from'),
    valid_to: fields.has('valid_to') ? fields.month('valid_to') : null,
    document: fields.text('document', '未写出处'),
    written_from: fields.text('valid_from'),
    items: fields.list('items', (one, at) => readSchemeItem(one, at, settings)),
  }
  fields.close()
  const duplicate = scheme.items.find(({ code }, at) => scheme.items.findIndex((one) => one.code === code) !== at)
  if (duplicate)
    throw new LawError(fields.getPath('items'), `${insuranceLabels[duplicate.code]}（${duplicate.code}）写了两次；请只留一项`)
  if (scheme.valid_to !== null && scheme.valid_to < scheme.valid_from)
    throw new LawError(fields.getPath('valid_to'), `${scheme.valid_to} 早于开始的 ${scheme.valid_from}；请改正`)
  return scheme
}

/** Reads the schemes and rejects two of one city for the same month. */
export function readSchemes(
  values: readonly unknown[],
  path: string,
  settings: TaxSettings = defaultTaxSettings,
): InsuranceScheme[] {
  const schemes = values.map((one, at) => readScheme(one, `${path}[${at}]`, settings))
  for (const [at, one] of schemes.entries()) {
    const overlapping = schemes.findIndex((other, to) => to < at && other.city === one.city && rangesOverlap(other, one))
    if (overlapping >= 0)
      throw new LawError(
        `${path}[${at}].valid_from`,
        `${one.city}的方案与第 ${overlapping + 1} 个方案的月份重叠；请先填写前一个方案的结束月份`,
      )
  }
  return schemes
}
const rangesOverlap = (a: InsuranceScheme, b: InsuranceScheme): boolean =>
  a.valid_from <= (b.valid_to ?? '9999') && b.valid_from <= (a.valid_to ?? '9999')

/** Compares months, not days. Null: no scheme applies. */
export const findScheme = (schemes: readonly InsuranceScheme[], month: string): InsuranceScheme | null =>
  schemes.find(({ valid_from, valid_to }) => valid_from <= month && (valid_to === null || month <= valid_to)) ?? null
