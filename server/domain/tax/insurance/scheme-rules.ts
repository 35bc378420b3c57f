/** What is wrong with a scheme, alone and beside the city's others. Pure. */

import type { SchemeItemInfo, SchemeTemplate } from '../../../contract/wage/insurance.ts'
import { insuranceNames, isFund } from '../../../contract/wage/kinds.ts'

export type SchemeFault = { readonly field: string; readonly message: string }

function itemFault(item: SchemeItemInfo): (Omit<SchemeFault, 'field'> & { readonly name: string }) | null {
  const name = insuranceNames[item.code]
  const said = (field: string, message: string) => ({ name: field, message: `${name}：${message}` })
  const isBand = item.from_ppm !== null || item.to_ppm !== null
  if (item.ceiling_fen !== null && item.ceiling_fen < item.floor_fen) return said('ceiling_fen', '基数上限低于下限，请改正')
  if (isBand && !isFund(item.code)) return said('from_ppm', '只有公积金可以填写比例范围，请填写单位和个人的比例')
  if (isBand) {
    if (item.from_ppm === null) return said('from_ppm', '请填写最低比例')
    if (item.to_ppm === null) return said('to_ppm', '请填写最高比例')
    if (item.to_ppm < item.from_ppm) return said('to_ppm', '最高比例低于最低比例，请改正')
    return null
  }
  if (item.employee_ppm === null) return said('employee_ppm', '请填写个人比例；个人不缴请填 0')
  if (item.employer_ppm === null) return said('employer_ppm', '请填写单位比例；单位不缴请填 0')
  return null
}

export function schemeFault({ valid_from, valid_to, items }: SchemeTemplate): SchemeFault | null {
  if (valid_to !== null && valid_to < valid_from) return { field: 'valid_to', message: '结束月份早于开始月份，请改正' }
  for (const [at, item] of items.entries()) {
    if (items.findIndex(({ code }) => code === item.code) !== at)
      return { field: `items.${at}.code`, message: `${insuranceNames[item.code]}写了两次，请只留一项` }
    const fault = itemFault(item)
    if (fault) return { field: `items.${at}.${fault.name}`, message: fault.message }
  }
  return null
}

type Span = { readonly valid_from: string; readonly valid_to: string | null }
export type Beside = Span & { readonly id: string; readonly city: string; readonly used_through: string | null }

const overlap = (a: Span, b: Span): boolean => a.valid_from <= (b.valid_to ?? '9999') && b.valid_from <= (a.valid_to ?? '9999')
export const monthBefore = (month: string): string => {
  const count = Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 2
  return `${Math.floor(count / 12)}-${String((count % 12) + 1).padStart(2, '0')}`
}

/** Which of the city's schemes has to end for this one, and what is in its way. */
export function placeFor(
  next: Span & { readonly city: string },
  others: readonly Beside[],
): { readonly ends: Beside | null } | SchemeFault {
  const own = others.filter(({ city }) => city === next.city)
  const ends = own.find(({ valid_from, valid_to }) => valid_to === null && valid_from < next.valid_from) ?? null
  if (ends?.used_through && ends.used_through >= next.valid_from)
    return {
      field: 'valid_from',
      message: `已锁定的 ${ends.used_through} 个税用的是 ${ends.valid_from} 起的方案；新方案最早从它的下一个月开始`,
    }
  const beside = own.find((one) => one !== ends && overlap(one, next))
  return beside
    ? {
        field: 'valid_from',
        message: `与${next.city} ${beside.valid_from} 至 ${beside.valid_to ?? '今'}的方案月份重叠；请先修改那个方案的结束月份`,
      }
    : { ends }
}
