/** A member's new insurance entry from a row of an imported list, or why there is none. Pure. */
import { formatFen } from '../../../contract/shared/money.ts'
import type { InsuranceEntry } from '../../../contract/tax/insurance.ts'
import { type InsuranceCode, insuranceLabels, socialInsuranceCodes } from '../../../contract/tax/kinds.ts'
import { findScheme, type InsuranceScheme } from '../../../rules/law/insurance/scheme.ts'
import type { MemberAmountRow } from '../../../spreadsheets/rules.ts'
import { normalizeEntries, validateEntries } from './entries.ts'
import { findEntry } from './month.ts'
import type { SchemesByCity } from './schemes.ts'

export type InsuranceRow = Pick<MemberAmountRow, 'fen' | 'city' | 'housing_fund_ppm' | 'supplementary_ppm'>
type PlanOptions = {
  /** The first month of the new bases. */
  readonly from: string
  /** The city of members without an earlier entry whose row does not name one. */
  readonly city: string
  readonly schemes: SchemesByCity
}
type PlannedEntry = {
  /** What applies so far; null where nothing was entered. */
  readonly before: InsuranceEntry | null
  readonly entry: InsuranceEntry
  /** All entries of the member with the new one, oldest first. */
  readonly entries: readonly InsuranceEntry[]
}

/**
 * Returns the declared base. Lists often state each insurance within its own limits, which one declared base explains:
 * 4,000 is 4,492 for pensions where that is the floor. Bases that no single one explains are refused.
 */
function findSocialBase({ fen }: InsuranceRow, scheme: InsuranceScheme | null): number | null | string {
  const stated = socialInsuranceCodes.flatMap((code) => (fen[code] === undefined ? [] : [{ code, base: fen[code] }]))
  const bases = [...new Set([...(fen.social === undefined ? [] : [fen.social]), ...stated.map(({ base }) => base)])]
  if (bases.includes(0)) return '基数不能是 0；没有参保的，请在列表里修改，不要写在表里'
  const [first = null] = bases
  if (bases.length <= 1) return first
  const limit = (code: InsuranceCode, base: number) => {
    const item = scheme?.items.find((one) => one.code === code)
    return item ? Math.min(Math.max(base, item.floor), item.ceiling ?? base) : base
  }
  const explaining = bases.filter(
    (base) => (fen.social ?? base) === base && stated.every((one) => one.base === base || one.base === limit(one.code, base)),
  )
  const [only] = explaining
  if (explaining.length === 1 && only !== undefined) return only
  const texts = stated.map(({ code, base }) => `${insuranceLabels[code]} ${formatFen(base)}`)
  return `${texts.join('、')}，不是同一个基数按上下限得出的；每人只有一个社保基数，请核对`
}

export function planInsuranceEntry(
  row: InsuranceRow,
  stored: readonly InsuranceEntry[],
  { from, city, schemes }: PlanOptions,
): PlannedEntry | string {
  const before = findEntry({ entries: [...stored] }, from)
  if (before && !before.insured) return `从 ${before.from} 起没有参保；要参保，请在列表里修改`
  const later = stored.find((one) => one.from > from)
  if (later) return `从 ${later.from} 起已有另一次调整；请选择这个月份或更晚的月份`
  const entryCity = row.city ?? before?.city ?? city
  if (entryCity === '') return '没有参保城市；请在表里加「参保城市」一列，或在上面选择'
  if (row.city !== null && before && before.city !== row.city)
    return `参保城市是${before.city}，表里是${row.city}；换城市请在列表里修改`
  const scheme = findScheme(schemes.get(entryCity) ?? [], from)
  const social = findSocialBase(row, scheme)
  if (typeof social === 'string') return social
  const social_fen = social ?? before?.social_fen ?? 0
  if (social_fen === 0) return '没有社保基数，请在表里填写'
  const housing_fund_ppm = row.housing_fund_ppm ?? before?.housing_fund_ppm ?? null
  if (row.fen.housing_fund === 0) return '公积金基数不能是 0；不缴公积金的，请在列表里修改'
  if (row.fen.housing_fund !== undefined && housing_fund_ppm === null)
    return '有公积金基数，没有比例；请在表里加「公积金比例」一列'
  const entry: InsuranceEntry = {
    from,
    insured: true,
    city: entryCity,
    social_fen,
    housing_fund_fen: row.fen.housing_fund ?? before?.housing_fund_fen ?? null,
    housing_fund_ppm,
    supplementary_ppm: row.supplementary_ppm ?? before?.supplementary_ppm ?? null,
    not_enrolled: before?.not_enrolled ?? [],
  }
  const error = validateEntries([entry], schemes)
  if (error) return error.message
  return { before, entry, entries: normalizeEntries([...stored.filter((one) => one.from !== from), entry]) }
}

const comparedFields = ['city', 'social_fen', 'housing_fund_ppm', 'supplementary_ppm'] as const

/** The base of the housing fund; null where the member pays none. */
export const getHousingFundBase = ({ housing_fund_ppm, housing_fund_fen, social_fen }: InsuranceEntry): number | null =>
  housing_fund_ppm === null ? null : (housing_fund_fen ?? social_fen)

export const isSameEntry = (a: InsuranceEntry, b: InsuranceEntry): boolean =>
  comparedFields.every((field) => a[field] === b[field]) && getHousingFundBase(a) === getHousingFundBase(b)
