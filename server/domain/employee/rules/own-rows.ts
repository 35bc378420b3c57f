/** What is held about somebody as lines that he can read: 类别, 时间, 项目, 内容. */

import type { LookKind, toldKinds } from '../../../contract/own/own.ts'
import { type MemberFieldName, memberFieldWords } from '../../../contract/people/file.ts'
import type { Slip } from '../../../contract/slip/payslip.ts'
import { type DeductionKind, deductionWords } from '../../../contract/wage/kinds.ts'
import { channelWords, salaryWords } from '../../../contract/words/states.ts'
import type { Channel, MemberStatus, SalaryStatus } from '../../../contract/words/words.ts'

/** Text, an amount, or nothing. */
type Value = string | { readonly fen: number } | null
export type OwnRow = readonly [kind: string, at: string, item: string, value: Value]

export const ownHead = ['类别', '时间', '项目', '内容']
/** `2026-11-23T10:00:00.000+08:00` as people write it. */
const timeOf = (at: string | null): string => (at ?? '').slice(0, 16).replace('T', ' ')

const lookWords: Record<LookKind, string> = {
  slip: '打开了您的工资条',
  corrected: '更正了您的工资条',
  log: '查看了您工资条的更正记录',
  question: '查看或回复了您的疑问',
  person: '查看了您各月的工资条列表',
  id_card: '查看了您的身份证号',
  tax: '查看了您的个税扣除和社保基数',
  list: '查看了这一批的名单',
  export: '导出了这一批的表格',
}
const toldWords: Record<(typeof toldKinds)[number], string> = {
  slip: '工资条已发放',
  corrected: '工资条已更正',
  remind: '提醒查看',
  answered: '疑问已回复',
}
const memberWords: Record<MemberStatus, string> = { invited: '待加入', active: '在职', left: '已离职' }
const eventWords = { changed: '修改', left: '标记离职', looked: '查看身份证号', looked_tax: '查看个税与社保', undone: '撤销导入' }

export type OwnTime = {
  readonly since: string
  readonly status: MemberStatus
  readonly departments: readonly string[]
  readonly entry_date: string | null
  readonly left_on: string | null
  readonly id_card: string | null
  readonly bank_account: string | null
  readonly platform_user_id: string | null
} & Readonly<Record<'name' | 'mobile' | 'email' | 'employee_no' | 'position', string>>

export const timeRows = (it: OwnTime): OwnRow[] => {
  const fields: readonly (readonly [string, string | null])[] = [
    ['姓名', it.name],
    ['手机号', it.mobile],
    ['邮箱', it.email],
    ['状态', memberWords[it.status]],
    ['部门', it.departments.join('、')],
    ['岗位', it.position],
    ['工号', it.employee_no],
    ['入职日期', it.entry_date],
    ['离职日期', it.left_on],
    ['身份证号', it.id_card],
    ['银行卡号', it.bank_account],
    ['办公平台编号', it.platform_user_id],
  ]
  return fields.flatMap(([item, value]): OwnRow[] => (value ? [['任职', timeOf(it.since), item, value]] : []))
}

type Change = { readonly field: MemberFieldName; readonly from: string | null; readonly to: string | null }
type OwnEvent = {
  readonly at: string
  readonly kind: keyof typeof eventWords
  readonly by: string
  readonly changes: readonly Change[]
}
export const changeRows = ({ at, kind, by, changes }: OwnEvent): OwnRow[] =>
  changes.length === 0
    ? [['资料变更', timeOf(at), eventWords[kind], by]]
    : changes.map(({ field, from, to }) => [
        '资料变更',
        timeOf(at),
        memberFieldWords[field],
        to === null ? `${by}：已修改` : `${by}：由 ${from || '空'} 改为 ${to || '空'}`,
      ])

export type OwnSlip = {
  readonly title: string
  readonly month: string
  readonly status: SalaryStatus
  readonly sent_at: string | null
  readonly viewed_at: string | null
  readonly confirmed_at: string | null
  readonly confirmed_auto: boolean
  readonly receipt: string | null
  /** Why it does not stand here. */
  readonly kept_back: string | null
  readonly slip: Slip | null
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

export function slipRows(it: OwnSlip): OwnRow[] {
  const kind = `工资条 ${it.month} ${it.title}`
  const cells = (it.slip?.groups ?? []).flatMap(({ cells: some }) => some)
  const net = it.slip?.net
  const told: readonly (readonly [at: string | null, item: string, value: Value])[] = [
    [it.sent_at, '状态', salaryWords[it.status].word],
    ...(it.kept_back ? [[null, '说明', it.kept_back] as const] : []),
    ...cells.map(({ label, value, fen, minus }) => [null, label, fen === null ? value : { fen: minus ? -fen : fen }] as const),
    ...(net && !cells.some(({ label }) => label === net.label) ? [[null, net.label, { fen: net.fen }] as const] : []),
    ...(it.viewed_at ? [[it.viewed_at, '首次查看', ''] as const] : []),
    ...(it.confirmed_at ? [[it.confirmed_at, it.confirmed_auto ? '到期自动确认' : '本人确认', it.receipt ?? ''] as const] : []),
    ...(it.corrected?.changes ?? []).map(
      ({ label, from, to }) =>
        [it.corrected?.at ?? null, `更正：${label}`, `${from} → ${to}（${it.corrected?.reason ?? ''}）`] as const,
    ),
    ...it.questions.map(({ at, from, name, content }) => [at, from === 'admin' ? `回复（${name}）` : '疑问', content] as const),
  ]
  return told.map(([at, item, value]) => [kind, timeOf(at), item, value])
}

type OwnTold = {
  readonly at: string
  readonly about: (typeof toldKinds)[number]
  readonly title: string
  readonly channel: Channel
  readonly unsure: boolean
  readonly read: boolean
}
export const toldRow = ({ at, about, title, channel, unsure, read }: OwnTold): OwnRow => [
  '通知',
  timeOf(at),
  `${toldWords[about]}：${title}`,
  `${channelWords[channel]}${unsure ? '，是否送达不确定' : ''}，${read ? '已读' : '未读'}`,
]

type OwnInvite = Readonly<Record<'created_at' | 'mobile', string>> & {
  readonly channel: 'sms' | 'platform'
  readonly opened_at: string | null
  readonly used_at: string | null
}
export const inviteRow = ({ created_at, channel, mobile, opened_at, used_at }: OwnInvite): OwnRow => [
  '邀请',
  timeOf(created_at),
  `${channelWords[channel]} ${mobile}`,
  used_at ? `${timeOf(used_at)} 加入` : opened_at ? `${timeOf(opened_at)} 打开` : '没有打开',
]

type OwnSession = Readonly<Record<'created_at' | 'seen_at' | 'device' | 'address', string>> & {
  readonly corp_name: string | null
}
export const sessionRow = ({ created_at, seen_at, device, address, corp_name }: OwnSession): OwnRow => [
  '登录',
  timeOf(created_at),
  [device, address].filter(Boolean).join(' '),
  `${corp_name ?? ''} 最近使用 ${timeOf(seen_at)}`.trim(),
]

type OwnLook = {
  readonly at: string
  readonly times: number
  readonly by: string
  readonly what: LookKind
  readonly title: string | null
}
export const lookRow = ({ at, times, by, what, title }: OwnLook): OwnRow => [
  '谁看过',
  timeOf(at),
  by,
  `${lookWords[what]}${title ? `「${title}」` : ''}${times > 1 ? `，当天 ${times} 次` : ''}`,
]

type OwnDeduction = {
  readonly kind: DeductionKind
  readonly whose: string
  readonly from: string | null
  readonly to: string | null
  readonly amount_fen: number | null
}
export const deductionRows = ({ kind, whose, from, to, amount_fen }: OwnDeduction): OwnRow[] => {
  const since = from || to ? `${from ?? ''} 至 ${to ?? '今'}` : ''
  const item = `${deductionWords[kind]}${whose && `（${whose}）`}`
  return [['专项附加扣除', since, item, amount_fen === null ? '按标准扣除' : { fen: amount_fen }]]
}

type OwnInsurance = {
  readonly from: string
  readonly insured: boolean
  readonly city: string
  readonly social_fen: number
  readonly housing_fund_fen: number | null
}
export const insuranceRows = ({ from, insured, city, social_fen, housing_fund_fen }: OwnInsurance): OwnRow[] => [
  ['参保', from, '城市', insured ? city : '未参保'],
  ...(insured ? [['参保', from, '社保缴费基数', { fen: social_fen }] as const] : []),
  ...(insured && housing_fund_fen !== null ? [['参保', from, '公积金缴存基数', { fen: housing_fund_fen }] as const] : []),
]

type OwnTaxYear = {
  readonly year: number
  readonly first_income_of_year: boolean
  readonly prior_year_under_60000: boolean
  readonly opening: { readonly through_month: number; readonly income_fen: number; readonly withheld_fen: number } | null
}
export const taxYearRows = ({ year, first_income_of_year, prior_year_under_60000, opening }: OwnTaxYear): OwnRow[] => [
  ['个税年度', String(year), '本年首次取得工资', first_income_of_year ? '是' : '否'],
  ['个税年度', String(year), '上年收入不足 6 万元', prior_year_under_60000 ? '是' : '否'],
  ...(opening
    ? [
        ['个税年度', String(year), `至 ${opening.through_month} 月累计收入`, { fen: opening.income_fen }] as const,
        ['个税年度', String(year), `至 ${opening.through_month} 月累计已扣税`, { fen: opening.withheld_fen }] as const,
      ]
    : []),
]

type OwnTaxMonth = {
  readonly month: string
  readonly amounts: { readonly income_fen: number; readonly bonus_fen: number }
  readonly result: { readonly tax_fen: number; readonly bonus: { readonly tax_fen: number } | null } | null
}
export const taxMonthRows = ({ month, amounts, result }: OwnTaxMonth): OwnRow[] => [
  ['个税', month, '本月收入', { fen: amounts.income_fen }],
  ...(amounts.bonus_fen ? [['个税', month, '年终奖', { fen: amounts.bonus_fen }] as const] : []),
  ...(result ? [['个税', month, '本月应扣个税', { fen: result.tax_fen }] as const] : []),
  ...(result?.bonus ? [['个税', month, '年终奖个税', { fen: result.bonus.tax_fen }] as const] : []),
]
