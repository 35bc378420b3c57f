import type {
  BindingEventKind,
  BindingStatus,
  CombineKind,
  CombineReason,
  SyncChangeKind,
} from '../../../server/contract/platform-binding/binding.ts'
import type { StatusColor } from '../../theme.ts'

export const bindingStatusLabels: Readonly<Record<BindingStatus, { label: string; color: StatusColor }>> = {
  0: { label: '未绑定', color: 'ink3' },
  10: { label: '已绑定', color: 'ok' },
  20: { label: '同步中', color: 'info' },
  30: { label: '同步失败', color: 'danger' },
  40: { label: '等待解绑审批', color: 'warn' },
  50: { label: '应用已停用', color: 'warn' },
}

export const bindingEventLabels: Readonly<Record<BindingEventKind, string>> = {
  bound: '绑定',
  restored: '恢复了以前的对应关系',
  rotated: '更换了应用的密钥或设置',
  unbind_applied: '申请解除绑定',
  unbind_kept: '解除绑定的申请未通过或已撤回',
  unbound: '解除绑定',
  stopped: '应用在平台上被停用',
  resumed: '应用在平台上重新启用',
  synced: '同步完成',
  sync_held: '同步等待确认',
  sync_failed: '同步失败',
  combined: '核对了人员',
  searched: '按姓名查找了人员',
}
export const syncChangeLabels: Readonly<Record<SyncChangeKind, string>> = {
  new: '新增',
  changed: '有变化',
  left: '离开',
  back: '回来',
}
export const syncFieldLabels: Readonly<Record<string, string>> = {
  name: '姓名',
  mobile: '手机号',
  employee_no: '工号',
  email: '邮箱',
  job_title: '职务',
  departments: '部门',
  main_department: '主部门',
  leads: '负责的部门',
  sort: '排序',
  status: '状态',
}
export const combineKindLabels: Readonly<Record<CombineKind, string>> = {
  conflict: '有冲突',
  suggested: '可能是同一人',
  new: '花名册里没有',
  ignored: '已忽略',
  same: '已对应',
  left: '已离开平台',
}
export const combineReasonLabels: Readonly<Record<CombineReason, string>> = {
  number: '工号相同，姓名不同',
  phone: '手机号相同，姓名不同。平台资料里的手机号不能证明是本人',
  two: '手机号和工号指向两个人',
  duplicate: '手机号或工号重复',
  department: '姓名和部门相同',
  name: '只有姓名相同',
  search: '按姓名在企业微信里找到的账号',
  claimed: '用这个账号验证了另一位员工的手机号',
}
export const linkReasonLabels = { proved: '本人登录确认', chosen: '管理员选择', matched: '姓名和手机号（或工号）一致' } as const
