import type { ImportInfo, ImportRowView, RosterColumnRole } from '../../../../server/contract/directory/import.ts'
import type { ImportRowState } from '../../../../server/contract/shared/enums.ts'
import type { StatusColor } from '../../../theme.ts'

export const importStateLabels: Record<ImportRowState, { label: string; color: StatusColor; note: string }> = {
  new: { label: '新增', color: 'ok', note: '花名册里没有' },
  changed: { label: '有变化', color: 'info', note: '资料和现在不同' },
  back: { label: '重新入职', color: 'info', note: '曾经离职' },
  leaves: { label: '离职', color: 'warn', note: '表里写了离职' },
  conflict: { label: '待确认', color: 'warn', note: '要您说明' },
  fault: { label: '有问题', color: 'danger', note: '不能导入' },
  same: { label: '没有变化', color: 'ink3', note: '不用改' },
  skipped: { label: '已跳过', color: 'ink3', note: '您选择不导入' },
}
export const importFieldLabels: Record<ImportRowView['changes'][number]['field'], string> = {
  name: '姓名',
  id_card: '身份证号',
  bank_account: '银行卡号',
  employee_no: '工号',
  mobile: '手机号',
  email: '邮箱',
  position: '岗位',
  entry_on: '入职日期',
  departments: '部门',
}
export const importRoleLabels: Record<RosterColumnRole, string> = {
  name: '姓名',
  family_name: '姓',
  given_name: '名',
  mobile: '手机号',
  employee_no: '工号',
  id_card: '身份证号',
  bank_account: '银行卡号',
  department: '部门',
  email: '邮箱',
  position: '岗位',
  entry_date: '入职日期',
  status: '在职状态',
  info: '不导入',
}

export type ImportMode = 'update' | 'skip'
export const countAffectedMembers = ({ counts }: ImportInfo, mode: ImportMode): number =>
  counts.new + counts.back + (mode === 'update' ? counts.changed + counts.leaves : 0)
