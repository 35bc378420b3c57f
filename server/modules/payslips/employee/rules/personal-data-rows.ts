/** The data stored about an employee as readable rows: 类别, 时间, 项目, 内容. */

import { type MemberFieldName, memberFieldLabels } from '../../../../contract/directory/member-history.ts'
import type { AccessKind, payslipMessageKinds } from '../../../../contract/payslips/employee-data.ts'
import type { Payslip } from '../../../../contract/payslips/payslip.ts'
import type { Channel, MemberStatus, PayslipStatus } from '../../../../contract/shared/schemas.ts'
import { channelLabels, payslipStatusLabels } from '../../../../contract/shared/statuses.ts'
import { type DeductionKind, deductionLabels } from '../../../../contract/tax/kinds.ts'

/** Text, an amount, or empty. */
type CellValue = string | { readonly fen: number } | null
export type PersonalDataRow = readonly [kind: string, at: string, item: string, value: CellValue]

export const personalDataHeader = ['类别', '时间', '项目', '内容']
/** Formats `2026-11-23T10:00:00.000+08:00` for display. */
const formatTime = (at: string | null): string => (at ?? '').slice(0, 16).replace('T', ' ')

const accessKindLabels: Record<AccessKind, string> = {
  slip: '打开了您的工资条',
  corrected: '更正了您的工资条',
  log: '查看了您工资条的更正记录',
  question: '查看或回复了您的反馈',
  receipt: '读取了您的确认回执',
  person: '查看了您各月的工资条列表',
  id_card: '查看了您的身份证号',
  tax: '查看了您的个税扣除和社保基数',
  list: '查看了这一批的名单',
  export: '导出了这一批的表格',
}
const messageKindLabels: Record<(typeof payslipMessageKinds)[number], string> = {
  slip: '工资条已发放',
  corrected: '工资条已更正',
  remind: '提醒查看',
  answered: '反馈已回复',
}
const memberStatusLabels: Record<MemberStatus, string> = { invited: '待加入', active: '在职', left: '已离职' }
const memberEventLabels = {
  changed: '修改',
  left: '标记离职',
  looked: '查看身份证号',
  looked_tax: '查看个税与社保',
  undone: '撤销导入',
}

export type ExportedEmployment = {
  readonly since: string
  readonly status: MemberStatus
  readonly departments: readonly string[]
  readonly entry_date: string | null
  readonly left_on: string | null
  readonly id_card: string | null
  readonly bank_account: string | null
  readonly platform_user_id: string | null
} & Readonly<Record<'name' | 'mobile' | 'email' | 'employee_no' | 'position', string>>

export const toEmploymentRows = (employment: ExportedEmployment): PersonalDataRow[] => {
  const fields: readonly (readonly [string, string | null])[] = [
    ['姓名', employment.name],
    ['手机号', employment.mobile],
    ['邮箱', employment.email],
    ['状态', memberStatusLabels[employment.status]],
    ['部门', employment.departments.join('、')],
    ['岗位', employment.position],
    ['工号', employment.employee_no],
    ['入职日期', employment.entry_date],
    ['离职日期', employment.left_on],
    ['身份证号', employment.id_card],
    ['银行卡号', employment.bank_account],
    ['办公平台编号', employment.platform_user_id],
  ]
  return fields.flatMap(([item, value]): PersonalDataRow[] =>
    value ? [['任职', formatTime(employment.since), item, value]] : [],
  )
}

type FieldChange = { readonly field: MemberFieldName; readonly from: string | null; readonly to: string | null }
type ExportedMemberEvent = {
  readonly at: string
  readonly kind: keyof typeof memberEventLabels
  readonly by: string
  readonly changes: readonly FieldChange[]
}
export const toChangeRows = ({ at, kind, by, changes }: ExportedMemberEvent): PersonalDataRow[] =>
  changes.length === 0
    ? [['资料变更', formatTime(at), memberEventLabels[kind], by]]
    : changes.map(({ field, from, to }) => [
        '资料变更',
        formatTime(at),
        memberFieldLabels[field],
        to === null ? `${by}：已修改` : `${by}：由 ${from || '空'} 改为 ${to || '空'}`,
      ])

export type ExportedPayslip = {
  readonly title: string
  readonly month: string
  readonly status: PayslipStatus
  readonly sent_at: string | null
  readonly viewed_at: string | null
  readonly confirmed_at: string | null
  readonly confirmed_auto: boolean
  readonly receipt: string | null
  /** The reason why the payslip is left out. */
  readonly withheld: string | null
  readonly slip: Payslip | null
  readonly corrected: {
    readonly at: string
    readonly reason: string
    readonly changes: readonly { readonly label: string; readonly from: string; readonly to: string }[]
  } | null
  readonly questions: readonly {
    readonly at: string
    readonly from: 'employee' | 'admin'
    readonly name: string
    readonly content: string
  }[]
}

export function toPayslipRows(payslip: ExportedPayslip): PersonalDataRow[] {
  const kind = `工资条 ${payslip.month} ${payslip.title}`
  const cells = (payslip.slip?.groups ?? []).flatMap(({ cells: groupCells }) => groupCells)
  const net = payslip.slip?.net
  const entries: readonly (readonly [at: string | null, item: string, value: CellValue])[] = [
    [payslip.sent_at, '状态', payslipStatusLabels[payslip.status].label],
    ...(payslip.withheld ? [[null, '说明', payslip.withheld] as const] : []),
    ...cells.map(
      ({ label, value, fen, is_deduction }) => [null, label, fen === null ? value : { fen: is_deduction ? -fen : fen }] as const,
    ),
    ...(net && !cells.some(({ label }) => label === net.label) ? [[null, net.label, { fen: net.fen }] as const] : []),
    ...(payslip.viewed_at ? [[payslip.viewed_at, '首次查看', ''] as const] : []),
    ...(payslip.confirmed_at
      ? [[payslip.confirmed_at, payslip.confirmed_auto ? '到期自动确认' : '本人确认', payslip.receipt ?? ''] as const]
      : []),
    ...(payslip.corrected?.changes ?? []).map(
      ({ label, from, to }) =>
        [payslip.corrected?.at ?? null, `更正：${label}`, `${from} → ${to}（${payslip.corrected?.reason ?? ''}）`] as const,
    ),
    ...payslip.questions.map(
      ({ at, from, name, content }) => [at, from === 'admin' ? `回复（${name}）` : '反馈', content] as const,
    ),
  ]
  return entries.map(([at, item, value]) => [kind, formatTime(at), item, value])
}

type ExportedMessage = {
  readonly at: string
  readonly kind: (typeof payslipMessageKinds)[number]
  readonly title: string
  readonly channel: Channel
  readonly delivery_unknown: boolean
  readonly read: boolean
}
export const toMessageRow = ({ at, kind, title, channel, delivery_unknown, read }: ExportedMessage): PersonalDataRow => [
  '通知',
  formatTime(at),
  `${messageKindLabels[kind]}：${title}`,
  `${channelLabels[channel]}${delivery_unknown ? '，是否送达不确定' : ''}，${read ? '已读' : '未读'}`,
]

type ExportedInvite = Readonly<Record<'created_at' | 'mobile', string>> & {
  readonly channel: 'sms' | 'platform'
  readonly opened_at: string | null
  readonly used_at: string | null
}
export const toInviteRow = ({ created_at, channel, mobile, opened_at, used_at }: ExportedInvite): PersonalDataRow => [
  '邀请',
  formatTime(created_at),
  `${channelLabels[channel]} ${mobile}`,
  used_at ? `${formatTime(used_at)} 加入` : opened_at ? `${formatTime(opened_at)} 打开` : '没有打开',
]

type ExportedSession = Readonly<Record<'created_at' | 'last_active_at' | 'device' | 'address', string>> & {
  readonly corp_name: string | null
}
export const toSessionRow = ({ created_at, last_active_at, device, address, corp_name }: ExportedSession): PersonalDataRow => [
  '登录',
  formatTime(created_at),
  [device, address].filter(Boolean).join(' '),
  `${corp_name ?? ''} 最近使用 ${formatTime(last_active_at)}`.trim(),
]

type ExportedAccess = {
  readonly at: string
  readonly count: number
  readonly by: string
  readonly kind: AccessKind
  readonly title: string | null
}
export const toAccessRow = ({ at, count, by, kind, title }: ExportedAccess): PersonalDataRow => [
  '谁看过',
  formatTime(at),
  by,
  `${accessKindLabels[kind]}${title ? `「${title}」` : ''}${count > 1 ? `，当天 ${count} 次` : ''}`,
]

type ExportedDeduction = {
  readonly kind: DeductionKind
  readonly whose: string
  readonly from: string | null
  readonly to: string | null
  readonly amount_fen: number | null
}
export const toDeductionRows = ({ kind, whose, from, to, amount_fen }: ExportedDeduction): PersonalDataRow[] => {
  const since = from || to ? `${from ?? ''} 至 ${to ?? '今'}` : ''
  const item = `${deductionLabels[kind]}${whose && `（${whose}）`}`
  return [['专项附加扣除', since, item, amount_fen === null ? '按标准扣除' : { fen: amount_fen }]]
}

type ExportedInsurance = {
  readonly from: string
  readonly insured: boolean
  readonly city: string
  readonly social_fen: number
  readonly housing_fund_fen: number | null
}
export const toInsuranceRows = ({ from, insured, city, social_fen, housing_fund_fen }: ExportedInsurance): PersonalDataRow[] => [
  ['参保', from, '城市', insured ? city : '未参保'],
  ...(insured ? [['参保', from, '社保缴费基数', { fen: social_fen }] as const] : []),
  ...(insured && housing_fund_fen !== null ? [['参保', from, '公积金缴存基数', { fen: housing_fund_fen }] as const] : []),
]

type ExportedTaxYear = {
  readonly year: number
  readonly first_income_of_year: boolean
  readonly prior_year_under_60000: boolean
  readonly opening: { readonly through_month: number; readonly income_fen: number; readonly withheld_fen: number } | null
}
export const toTaxYearRows = ({
  year,
  first_income_of_year,
  prior_year_under_60000,
  opening,
}: ExportedTaxYear): PersonalDataRow[] => [
  ['个税年度', String(year), '本年首次取得工资', first_income_of_year ? '是' : '否'],
  ['个税年度', String(year), '上年收入不足 6 万元', prior_year_under_60000 ? '是' : '否'],
  ...(opening
    ? [
        ['个税年度', String(year), `至 ${opening.through_month} 月累计收入`, { fen: opening.income_fen }] as const,
        ['个税年度', String(year), `至 ${opening.through_month} 月累计已扣税`, { fen: opening.withheld_fen }] as const,
      ]
    : []),
]

type ExportedTaxMonth = {
  readonly month: string
  readonly amounts: { readonly income_fen: number; readonly bonus_fen: number }
  readonly result: { readonly tax_fen: number; readonly bonus: { readonly tax_fen: number } | null } | null
}
export const toTaxMonthRows = ({ month, amounts, result }: ExportedTaxMonth): PersonalDataRow[] => [
  ['个税', month, '本月收入', { fen: amounts.income_fen }],
  ...(amounts.bonus_fen ? [['个税', month, '年终奖', { fen: amounts.bonus_fen }] as const] : []),
  ...(result ? [['个税', month, '本月应扣个税', { fen: result.tax_fen }] as const] : []),
  ...(result?.bonus ? [['个税', month, '年终奖个税', { fen: result.bonus.tax_fen }] as const] : []),
]
