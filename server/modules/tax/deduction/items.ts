/** Deduction items as defined by law. Pure: required fields by kind, validation, and mutually exclusive items. */

import { formatFen } from '../../../contract/shared/money.ts'
import type { DeductionFieldName, DeductionItem } from '../../../contract/tax/deductions.ts'
import { type DeductionKind, deductionLabels, emptyDeduction } from '../../../contract/tax/kinds.ts'
import { computeAdditionalDeduction } from '../../../rules/law/deductions/additional.ts'
import type { AdditionalDeductionItem } from '../../../rules/law/deductions/windows.ts'
import { LawError } from '../../../rules/law/law-error.ts'
import { getDatedRow } from '../../../rules/law/tables/dated-table.ts'
import { currentLaw } from '../../../rules/law/tables/law.ts'

/** `required`: nothing can be computed without it; `optional`: additional data. Other fields are not stored. */
type DeductionFields = { readonly required: readonly DeductionFieldName[]; readonly optional: readonly DeductionFieldName[] }
const fieldsByKind: Readonly<Record<DeductionKind, DeductionFields>> = {
  infant_care: { required: ['born'], optional: ['whose', 'share'] },
  child_education: { required: ['born'], optional: ['whose', 'share', 'from', 'to'] },
  elderly: { required: ['born'], optional: ['whose', 'only_child', 'amount_fen', 'to'] },
  housing_loan: { required: ['from'], optional: ['whose', 'share', 'to'] },
  housing_rent: { required: ['from', 'city_tier'], optional: ['whose', 'to'] },
  continuing_degree: { required: ['from'], optional: ['whose', 'to'] },
  continuing_certificate: { required: ['from'], optional: ['whose'] },
  serious_illness: { required: ['from', 'amount_fen'], optional: ['whose'] },
  personal_pension: { required: ['from', 'amount_fen'], optional: ['to'] },
}
const requiredFieldMessages: Readonly<Record<DeductionKind, Partial<Record<DeductionFieldName, string>>>> = {
  infant_care: { born: '请填写孩子的出生日期' },
  child_education: { born: '请填写孩子的出生日期' },
  elderly: { born: '请填写被赡养人的出生日期' },
  housing_loan: { from: '请填写首次还款的月份' },
  housing_rent: { from: '请填写租赁开始的月份', city_tier: '请选择工作城市的档次' },
  continuing_degree: { from: '请填写入学的月份' },
  continuing_certificate: { from: '请填写发证的月份' },
  serious_illness: { from: '请填写就医年度里的一个月份', amount_fen: '请填写个人负担的金额' },
  personal_pension: { from: '请填写开始缴费的月份', amount_fen: '请填写每月缴费的金额' },
}

/** Removes fields that the item's kind does not use: an invisible field must have no effect. */
export function normalizeItem(item: DeductionItem): DeductionItem {
  const { required, optional } = fieldsByKind[item.kind]
  const relevant = Object.fromEntries([...required, ...optional].map((field) => [field, item[field]]))
  const normalized: DeductionItem = { ...emptyDeduction, ...relevant, kind: item.kind }
  return normalized.only_child ? { ...normalized, amount_fen: null } : normalized
}

export type DeductionItemError = { readonly field: DeductionFieldName | 'kind'; readonly message: string }
const firstDeductionMonth = '2019-01'

/** Validates a single item in the month of entry; returns the first visible error. */
export function validateItem(item: DeductionItem, month: string): DeductionItemError | null {
  const { required } = fieldsByKind[item.kind]
  const missing = required.find((field) => item[field] === null)
  if (missing) return { field: missing, message: requiredFieldMessages[item.kind][missing] ?? '请填写' }
  const { kind, born, from, to, amount_fen } = item
  if (born !== null && born.slice(0, 7) > month) return { field: 'born', message: '出生日期晚于本月，请核对' }
  if (from !== null && to !== null && to < from) return { field: 'to', message: '结束月份早于开始月份，请核对' }
  if (to !== null && to < firstDeductionMonth) return { field: 'to', message: '专项附加扣除从 2019年 1 月起才有，请核对结束月份' }
  if (kind === 'continuing_certificate' && from !== null && from > month)
    return { field: 'from', message: '发证月份晚于本月；取得证书以后再填写' }
  if (kind === 'elderly' && !item.only_child) {
    if (amount_fen === null || amount_fen === 0)
      return { field: 'amount_fen', message: '请填写每月分摊的金额；独生子女请选择「独生子女」' }
    const maxShareFen = getDatedRow(currentLaw.additional, month).value.elderly_share_fen
    if (amount_fen > maxShareFen)
      return { field: 'amount_fen', message: `非独生子女每月最多分摊 ${formatFen(maxShareFen)} 元，请核对` }
  }
  if (kind === 'personal_pension' && amount_fen === 0) return { field: 'amount_fen', message: '请填写每月缴费的金额' }
  return null
}

/**
 * Finds conflicts between items, such as rent and mortgage interest, or items in a year in which the deduction did not
 * exist: the item and the reason. For the years in which they apply, from this one on.
 */
export function validateItems(
  items: readonly DeductionItem[],
  month: string,
): { readonly at: number; readonly message: string } | null {
  const duplicateIndex = items.findIndex(
    (item, at) => items.findIndex((other) => getItemIdentity(other) === getItemIdentity(item)) !== at,
  )
  const duplicate = items[duplicateIndex]
  if (duplicate) {
    const { kind, whose: relation } = duplicate
    return { at: duplicateIndex, message: `${deductionLabels[kind]}${relation ? `（${relation}）` : ''}填写了两次，请删去一项` }
  }
  const year = Number(month.slice(0, 4))
  // Includes next year: items entered in December start then.
  for (const tax_year of [year, year + 1]) {
    const conflict = findLawConflict(items, { year: tax_year, as_of_month: 12, employment_start: `${tax_year}-01` })
    if (conflict === null) continue
    const at = items.findIndex(({ kind }) =>
      conflict.code === 'loan_and_rent_conflict' ? kind === 'housing_rent' : kind === conflict.kind,
    )
    return { at: Math.max(0, at), message: conflict.message }
  }
  return null
}

type DeductionYear = Parameters<typeof computeAdditionalDeduction>[0]
function findLawConflict(
  items: readonly DeductionItem[],
  year: DeductionYear,
): { code: string; kind: DeductionKind | null; message: string } | null {
  const lawItems = items.flatMap((item) => toAdditionalDeductionItem(item) ?? [])
  try {
    const result = computeAdditionalDeduction(year, lawItems)
    return 'refused' in result ? { code: result.refused, kind: null, message: `${year.year} 年度：${result.message}` } : null
  } catch (error) {
    if (!(error instanceof LawError)) throw error
    const kind = items.find((item) => item.kind === error.path)?.kind ?? null
    return { code: error.path, kind, message: error.message }
  }
}

/** Returns the key by which two entries are one item: a child, parent or degree once; mortgages and rents may follow. */
export function getItemIdentity({ kind, whose: relation, born, from }: DeductionItem): string {
  const time = born === null ? (from ?? '') : born.slice(0, 7)
  return [kind, relation.normalize('NFKC').replace(/\s/g, ''), time].join('|')
}

/** Null: not part of 专项附加扣除. */
export function toAdditionalDeductionItem(item: DeductionItem): AdditionalDeductionItem | null {
  const { kind, to: end } = item
  const [born, from] = [item.born?.slice(0, 7) ?? '', item.from ?? '']
  const share_ppm = item.share === 'half' ? 500_000 : 1_000_000
  switch (kind) {
    case 'infant_care':
      return { code: kind, child_birth: born, share_ppm }
    case 'child_education':
      return { code: kind, child_birth: born, start: item.from, end, share_ppm }
    case 'continuing_degree':
      return { code: kind, start: from, end }
    case 'continuing_certificate':
      return { code: kind, certificate_month: from }
    case 'housing_loan':
      return { code: kind, first_repay: from, end, share_ppm }
    case 'housing_rent':
      return { code: kind, start: from, end, city_tier: item.city_tier ?? 0 }
    case 'elderly':
      return { code: kind, elder_birth: born, share_fen: item.only_child ? null : (item.amount_fen ?? 0), obligation_end: end }
    case 'serious_illness':
      return { code: kind, self_paid: item.amount_fen ?? 0 }
    case 'personal_pension':
      return null
  }
}
