/** Labels of deductions in lists and forms. */
import type { DeductionFieldName, DeductionItem, MemberDeductions } from '../../../../server/contract/tax/deductions.ts'
import { type DeductionKind, emptyDeduction } from '../../../../server/contract/tax/kinds.ts'

type DeductionListItem = MemberDeductions['items'][number]
/** The fields of each kind, in order, with their labels. */
export const fieldLabelsByKind: Readonly<Record<DeductionKind, Partial<Record<DeductionFieldName, string>>>> = {
  child_education: { whose: '子女姓名', born: '出生日期', from: '入学月份', to: '教育终止月份', share: '扣除比例' },
  infant_care: { whose: '子女姓名', born: '出生日期', share: '扣除比例' },
  elderly: { whose: '被赡养人', born: '出生日期', only_child: '独生子女', amount_fen: '每月分摊', to: '赡养终止月份' },
  housing_loan: { whose: '房屋或贷款', from: '首次还款月份', to: '结清月份', share: '扣除比例' },
  housing_rent: { whose: '出租方', city_tier: '工作城市', from: '租赁期起', to: '租赁期止' },
  continuing_degree: { whose: '学校', from: '入学月份', to: '结束月份' },
  continuing_certificate: { whose: '证书名称', from: '发证月份' },
  serious_illness: { whose: '患者姓名', from: '就医年度（选一个月份）', amount_fen: '个人负担金额' },
  personal_pension: { from: '开始缴费月份', to: '最后缴费月份', amount_fen: '每月缴费' },
}
export const cityTierLabels = ['直辖市、省会、计划单列市', '市辖区户籍人口超过一百万的城市', '其他城市'] as const

export const createEmptyItem = (kind: DeductionKind): DeductionItem => ({ ...emptyDeduction, kind })
export const toDeductionItem = ({
  kind,
  whose,
  born,
  from,
  to,
  share,
  only_child,
  amount_fen,
  city_tier,
}: DeductionListItem): DeductionItem => ({
  kind,
  whose,
  born,
  from,
  to,
  share,
  only_child,
  amount_fen,
  city_tier,
})

/** The number of days before expiry from which 「将于 41 天后到期」 is shown. */
const noticeDays = 60
export function formatItemStatus({
  period_state: phase,
  days_left,
  last_day,
  from,
}: DeductionListItem): { text: string; isSoon: boolean } | null {
  if (phase === 'settlement') return { text: '年度汇算时扣除', isSoon: false }
  if (phase === 'before') return { text: from ? `${from} 起` : '还没有开始', isSoon: false }
  if (phase === 'over') return { text: last_day ? `已于 ${last_day} 到期` : '已到期', isSoon: false }
  if (days_left === null || days_left > noticeDays) return null
  return { text: days_left === 0 ? '今天到期' : `将于 ${days_left} 天后到期`, isSoon: true }
}

/** Parses which item and field an error such as `items.2.from` refers to. */
export function parseItemError(field: string | undefined): { at: number; name: string } | null {
  const [, index, name = ''] = /^items\.(\d+)\.(\w+)$/.exec(field ?? '') ?? []
  return index === undefined ? null : { at: Number(index), name }
}
