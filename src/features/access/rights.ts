/** Descriptions of the powers, and the checks for actions on an administrator: true, or the reason why not. */

import type { getUserList } from '../../../server/contract/access/administrators.ts'
import { hasPower, type Power, powerLabels } from '../../../server/contract/access.ts'
import type { CallOutput } from '../../../server/contract/call.ts'

export type Admin = CallOutput<typeof getUserList>['list'][number]
/** Power 4 is transferred, never granted. */
export const grantablePowers = ['1', '2', '3'] as const satisfies readonly Power[]
export type GrantablePower = (typeof grantablePowers)[number]

export const powerDescriptions: Readonly<Record<Power, { allowed: readonly string[]; denied: readonly string[] }>> = {
  '4': {
    allowed: ['做企业管理员、薪酬管理员和员工管理员能做的一切', '审批薪酬权限的移交', '把系统管理员权限移交给另一个人'],
    denied: ['由别人取消，只能由本人移交'],
  },
  '1': {
    allowed: ['添加和取消管理员，划定他们的管理范围', '管理企业资料、订单和服务', '查看花名册和汇总数据'],
    denied: ['查看任何一个人的工资明细', '发送或撤回工资条', '更改系统管理员'],
  },
  '2': {
    allowed: [
      '上传、核对、发送和撤回工资条',
      '查看管理范围内员工的工资明细',
      '处理员工反馈，更正工资条',
      '维护管理范围内的员工与部门',
    ],
    denied: ['查看范围以外的工资', '添加或更换管理员'],
  },
  '3': {
    allowed: ['维护管理范围内的员工与部门', '邀请员工加入'],
    denied: ['查看任何人的工资', '添加或更换管理员'],
  },
}

/** What the powers mean in an agency, which has no pay runs of its own and works in the companies it serves. */
export const agencyPowerDescriptions: typeof powerDescriptions = {
  '4': {
    allowed: ['做企业管理员、薪酬管理员和员工管理员能做的一切', '把系统管理员权限移交给另一个人'],
    denied: ['由别人取消，只能由本人移交'],
  },
  '1': {
    allowed: ['添加和取消管理员，划定他们的管理范围', '管理企业资料和办公平台', '申请服务企业，进入已授权的企业'],
    denied: ['授予自己没有的权限', '更改系统管理员'],
  },
  '2': {
    allowed: ['进入已授权的企业，代做工资条', '拆分多企业工资表', '维护管理范围内的同事与部门'],
    denied: ['申请服务企业', '添加或更换管理员'],
  },
  '3': {
    allowed: ['维护管理范围内的同事与部门', '邀请同事加入'],
    denied: ['进入服务的企业', '添加或更换管理员'],
  },
}

/** The administrator who acts, and in which kind of company. */
export type Acting = { readonly power: readonly Power[]; readonly isAgency: boolean }

/** Whether a power covers the whole company or the administrator's scope; without an entry it does not allow the task. */
type PowerReach = 'company' | 'scope'
type Task = { label: string; reach: Partial<Record<Power, PowerReach>> }

const companyTask = (label: string): Task => ({ label, reach: { '4': 'company', '1': 'company' } })
const payrollTask = (label: string): Task => ({ label, reach: { '4': 'company', '2': 'scope' } })
/** What each power allows; tests compare it with who may make the calls. */
export const tasks = {
  company: companyTask('企业资料、办公平台'),
  orders: { label: '订单、发票和短信余量', reach: { '4': 'company', '1': 'company', '2': 'company' } },
  admins: companyTask('添加、取消管理员，划定管理范围'),
  roster: { label: '查看花名册', reach: { '4': 'company', '1': 'company', '2': 'scope', '3': 'scope' } },
  members: { label: '维护员工和部门，邀请加入', reach: { '4': 'company', '2': 'scope', '3': 'scope' } },
  sheets: payrollTask('上传、核对工资表'),
  sending: payrollTask('发送、撤回、更正工资条'),
  amounts: payrollTask('查看员工的工资明细'),
  feedback: payrollTask('回复反馈，发送提醒'),
  tax: payrollTask('个税社保'),
  charts: { label: '数据看板（只有合计）', reach: { '4': 'company', '1': 'company', '2': 'scope' } },
  personal: { label: '导出、删除员工的个人信息', reach: { '4': 'company' } },
  system: { label: '移交系统管理员权限', reach: { '4': 'company' } },
} as const satisfies Record<string, Task>

type AccessResult = true | string

/** Applies the same rule as the server: in an agency nobody grants a power that they do not hold. */
export const canGrantPower = ({ power: own, isAgency }: Acting, power: Power): AccessResult =>
  !isAgency || hasPower(own, [power]) ? true : `您没有${powerLabels[power]}权限，不能授予他人`

/** Applies the same rule as the server: users cannot change themselves, and only a system manager can change a system manager. */
export function canManageAdmin(currentPowers: readonly Power[], { is_current_user, power }: Admin): AccessResult {
  if (is_current_user) return '不能更改自己的权限，请由其他管理员操作'
  return power.includes('4') && !currentPowers.includes('4') ? '系统管理员的权限不能由企业管理员更改' : true
}

export function canChangeScope(currentPowers: readonly Power[], admin: Admin): AccessResult {
  if (admin.power.includes('4')) return '系统管理员总是管理全公司'
  if (!admin.power.includes('2') && !admin.power.includes('3')) return '企业管理员总是管理全公司'
  return canManageAdmin(currentPowers, admin)
}

export const canRevokePower = (currentPowers: readonly Power[], admin: Admin, power: Power): AccessResult =>
  power === '4' ? '系统管理员权限不能取消，只能由本人移交' : canManageAdmin(currentPowers, admin)

export const canTransfer = (currentPowers: readonly Power[]): AccessResult =>
  currentPowers.includes('4') || `只有${powerLabels['4']}可以移交薪酬管理权限`

export const agencyRevokeConsequences: Readonly<Record<GrantablePower, string>> = {
  '1': '不能再管理企业资料、管理员和申请服务企业',
  '2': '不能再拆分多企业工资表，没有企业管理员权限时也不能再进入服务的企业',
  '3': '不能再维护同事与部门',
}

export const revokeConsequences: Readonly<Record<GrantablePower, string>> = {
  '1': '不能再管理企业资料和管理员',
  '2': '不能再上传、发送和查看工资条',
  '3': '不能再维护员工与部门',
}
