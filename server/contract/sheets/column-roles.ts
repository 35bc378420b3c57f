/**
 * Chinese labels and groups of column roles. Does not import the schema library, so that pages and the spreadsheet
 * child process can use it.
 */
import type { ColumnRole } from '../shared/schemas.ts'

export const columnRoleLabels: Record<ColumnRole, string> = {
  name: '姓名',
  last_name: '姓',
  first_name: '名',
  mobile: '手机号',
  id_card: '身份证号',
  employee_no: '工号',
  department: '部门',
  email: '邮箱',
  bank_account: '银行卡号',
  platform_account: '办公平台账号',
  net: '实发',
  gross: '应发合计',
  tax: '个税',
  earning: '应发项',
  deduction: '扣款项',
  employer: '公司承担',
  subtotal: '小计',
  info: '说明',
  ignore: '不导入',
}

const toRoleSet = (...list: ColumnRole[]): ReadonlySet<ColumnRole> => new Set(list)

/** Roles that identify the employee of a row. */
export const identityRoles = toRoleSet('name', 'last_name', 'first_name', 'mobile', 'id_card', 'employee_no')
/** Roles for data of the employee. */
export const memberRoles = toRoleSet(...identityRoles, 'department', 'email', 'bank_account', 'platform_account')
/** Roles whose cells must be amounts. */
export const moneyRoles = toRoleSet('net', 'gross', 'earning', 'deduction', 'tax', 'employer', 'subtotal')
/** Amounts that count by themselves: compared with last month, item by item. */
export const payItemRoles = toRoleSet('net', 'gross', 'earning', 'deduction', 'tax', 'employer')
/** Roles that at most one column may have. */
export const uniqueRoles = toRoleSet(...memberRoles, 'net')

/** Returns the first unique role that two columns have; null if there is none. */
export function findDuplicateRole(columns: readonly { readonly role: ColumnRole }[]): ColumnRole | null {
  const viewed = new Set<ColumnRole>()
  for (const { role } of columns) {
    if (!uniqueRoles.has(role)) continue
    if (viewed.has(role)) return role
    viewed.add(role)
  }
  return null
}
