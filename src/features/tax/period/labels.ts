/** Labels shared by the pages about tax periods. */

import type { CallOutput } from '../../../../server/contract/call.ts'
import { formatPlainFen, parseFen } from '../../../../server/contract/shared/money.ts'
import type { getHistoryDetail, getHistoryList, getMemberTaxDetail } from '../../../../server/contract/tax/history.ts'
import type { checkPeriod, getPeriod } from '../../../../server/contract/tax/periods.ts'
import type { TaxAmountName } from '../../../../server/contract/tax/schemas.ts'
import { canTaxPeriod, type TaxIssueKind } from '../../../../server/contract/tax/statuses.ts'

export type PeriodListItem = CallOutput<typeof getHistoryList>['list'][number]
export type PeriodDetail = CallOutput<typeof getPeriod>
export type TaxMember = CallOutput<typeof getHistoryDetail>['list'][number]
export type MemberTaxDetail = CallOutput<typeof getMemberTaxDetail>
export type CheckedPeriod = CallOutput<typeof checkPeriod>
export type TaxIssueListItem = CheckedPeriod['list'][number]

export const incompleteScopeText = '这一期里有您不管理的部门的员工，请联系管理全公司的薪酬管理员'
/** Returns whether a period may be locked, or why not yet. */
export const checkCanLock = ({
  status,
  covers_everyone: isComplete,
  needs_recompute,
}: Pick<PeriodDetail, 'status' | 'covers_everyone' | 'needs_recompute'>): true | string =>
  !isComplete ? incompleteScopeText : needs_recompute.length > 0 ? '以前月份改过，请先重新计算' : canTaxPeriod.lock(status)

/** Each kind of issue: its name, and what to do about it. */
export const taxIssueTexts: Record<TaxIssueKind, { label: string; advice: string }> = {
  refused: { label: '算不出结果', advice: '按说明处理后重新计算' },
  not_computed: { label: '还没有计算', advice: '点「计算」' },
  no_card: { label: '没有身份证号', advice: '申报表必填，请在花名册补上' },
  no_entry: { label: '没有入职日期', advice: '按以前年度入职计算，本年入职的请在花名册补上' },
  entry_after: { label: '入职晚于本期', advice: '请核对花名册的入职日期' },
  paid_after_leaving: { label: '离职后发放', advice: '申报时填写离职后补发' },
  months_gap: { label: '往月数据缺失', advice: '累计收入会偏少，请引入期初累计' },
  tax_differs: { label: '与工资表个税不同', advice: '请核对往月数据、专项附加扣除和入职月份' },
  slip_differs: { label: '工资条有改动', advice: '请重新引入这一批' },
  slip_gone: { label: '工资条已撤回', advice: '请重新引入这一批' },
  by_hand: { label: '与工资条不同', advice: '请核对手工填写的收入' },
  income_fell: { label: '收入减少过半', advice: '请核对是否少发' },
  new_person: { label: '上月没有', advice: '请核对是否漏了上月' },
  missing_person: { label: '本期缺少', advice: '没有发工资也要零申报' },
  not_split: { label: '社保没有分项', advice: '申报表要求按险种填写' },
  insurance_differs: { label: '与参保方案不同', advice: '请核对基数和工资表' },
  insurance_refused: { label: '没有参保方案', advice: '请在「五险一金」添加方案' },
  deduction_refused: { label: '专项附加扣除不计', advice: '请核对登记的扣除项目' },
  first_income_here: { label: '首次取得工资存疑', advice: '请核对入职日期' },
  under_60000_unproven: { label: '六万元规定存疑', advice: '请核对上年任职记录' },
}

export const sourceKindLabels = { wages: '工资', bonus: '年终奖单独计税' } as const

/** The amounts in input order. Null means that the field may stay empty and the scheme determines the amount. */
export const amountLabels: Record<TaxAmountName, string> = {
  income_fen: '本期收入',
  exempt_fen: '免税收入',
  pension_fen: '基本养老保险',
  medical_fen: '基本医疗保险',
  unemployment_fen: '失业保险',
  housing_fund_fen: '住房公积金',
  social_fen: '社保合计（未分项）',
  annuity_fen: '企业(职业)年金',
  health_fen: '商业健康保险',
  other_fen: '其他扣除',
  donation_fen: '准予扣除的捐赠',
  reduction_fen: '减免税额',
  bonus_fen: '全年一次性奖金',
}
const isAmountName = (name: string): name is TaxAmountName => name in amountLabels
export const amountNames: readonly TaxAmountName[] = Object.keys(amountLabels).filter(isAmountName)
const schemeAmounts: ReadonlySet<string> = new Set(['pension_fen', 'medical_fen', 'unemployment_fen', 'housing_fund_fen'])
export const canComeFromScheme = (name: string): boolean => schemeAmounts.has(name)

/** Parses a typed amount to fen; null if empty, undefined if invalid. */
export function parseTypedFen(text: string | undefined): number | null | undefined {
  const cleaned = (text ?? '').replaceAll(/[,，\s¥￥]/g, '').replace('−', '-')
  return cleaned === '' ? null : (parseFen(cleaned) ?? undefined)
}
export const formatTypedFen = (fen: number | null): string => (fen === null ? '' : formatPlainFen(fen))
/** A form rule: empty, or an amount. */
export const optionalAmountRule = {
  validator: (_: unknown, text: string | undefined) =>
    parseTypedFen(text) === undefined ? Promise.reject(new Error('请填写金额，只写数字')) : Promise.resolve(),
}

/** Formats a tax rate: 100000 → `10%`. */
export const formatTaxRate = (rate_ppm: number): string => `${rate_ppm / 10_000}%`
export const formatStale = (stale: readonly string[]): string =>
  `${stale.join('、')} 已重新打开或改过，本期的累计数建立在它原来的数字上；请先锁定它，再重新计算本期`
