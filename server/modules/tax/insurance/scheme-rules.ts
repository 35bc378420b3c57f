/** Validates a scheme, alone and against the city's others. Pure. */

import type { SchemeItemView, SchemeTemplate } from '../../../contract/tax/insurance.ts'
import { insuranceLabels, isHousingFund } from '../../../contract/tax/kinds.ts'

export type SchemeError = { readonly field: string; readonly message: string }

function validateSchemeItem(item: SchemeItemView): (Omit<SchemeError, 'field'> & { readonly name: string }) | null {
  const name = insuranceLabels[item.code]
  const createError = (field: string, message: string) => ({ name: field, message: `${name}：${message}` })
  const isBand = item.from_ppm !== null || item.to_ppm !== null
  if (item.ceiling_fen !== null && item.ceiling_fen < item.floor_fen)
    return createError('ceiling_fen', '基数上限低于下限，请改正')
  if (isBand && !isHousingFund(item.code)) return createError('from_ppm', '只有公积金可以填写比例范围，请填写单位和个人的比例')
  if (isBand) {
    if (item.from_ppm === null) return createError('from_ppm', '请填写最低比例')
    if (item.to_ppm === null) return createError('to_ppm', '请填写最高比例')
    if (item.to_ppm < item.from_ppm) return createError('to_ppm', '最高比例低于最低比例，请改正')
    return null
  }
  if (item.employee_ppm === null) return createError('employee_ppm', '请填写个人比例；个人不缴请填 0')
  if (item.employer_ppm === null) return createError('employer_ppm', '请填写单位比例；单位不缴请填 0')
  return null
}

export function validateScheme({ valid_from, valid_to, items }: SchemeTemplate): SchemeError | null {
  if (valid_to !== null && valid_to < valid_from) return { field: 'valid_to', message: '结束月份早于开始月份，请改正' }
  for (const [at, item] of items.entries()) {
    if (items.findIndex(({ code }) => code === item.code) !== at)
      return { field: `items.${at}.code`, message: `${insuranceLabels[item.code]}写了两次，请只留一项` }
    const error = validateSchemeItem(item)
    if (error) return { field: `items.${at}.${error.name}`, message: error.message }
  }
  return null
}

type MonthRange = { readonly valid_from: string; readonly valid_to: string | null }
export type ExistingScheme = MonthRange & { readonly id: string; readonly city: string; readonly used_through: string | null }

const rangesOverlap = (a: MonthRange, b: MonthRange): boolean =>
  a.valid_from <= (b.valid_to ?? '9999') && b.valid_from <= (a.valid_to ?? '9999')
export const getPreviousMonth = (month: string): string => {
  const count = Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 2
  return `${Math.floor(count / 12)}-${String((count % 12) + 1).padStart(2, '0')}`
}

/** Returns which of the city's schemes has to end for this one, and any obstacle. */
export function findSchemePlacement(
  next: MonthRange & { readonly city: string },
  others: readonly ExistingScheme[],
): { readonly ends: ExistingScheme | null } | SchemeError {
  const citySchemes = others.filter(({ city }) => city === next.city)
  const replaced = citySchemes.find(({ valid_from, valid_to }) => valid_to === null && valid_from < next.valid_from) ?? null
  if (replaced?.used_through && replaced.used_through >= next.valid_from)
    return {
      field: 'valid_from',
      message: `已锁定的 ${replaced.used_through} 个税用的是 ${replaced.valid_from} 起的方案；新方案最早从它的下一个月开始`,
    }
  const overlapping = citySchemes.find((one) => one !== replaced && rangesOverlap(one, next))
  return overlapping
    ? {
        field: 'valid_from',
        message: `与${next.city} ${overlapping.valid_from} 至 ${overlapping.valid_to ?? '今'}的方案月份重叠；请先修改那个方案的结束月份`,
      }
    : { ends: replaced }
}
