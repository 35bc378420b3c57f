/** What columns may be for, together. */
import type { ColumnRole } from '../../../contract/words.ts'

/** Columns that say who a row is for. */
export const identityRoles: ReadonlySet<ColumnRole> = new Set([
  'name',
  'last_name',
  'first_name',
  'mobile',
  'id_card',
  'employee_no',
])
/** At most one column each. */
export const singleRoles: ReadonlySet<ColumnRole> = new Set([...identityRoles, 'department', 'email', 'bank_account', 'net'])

export const roleWords: Record<ColumnRole, string> = {
  name: '姓名',
  last_name: '姓',
  first_name: '名',
  mobile: '手机号',
  id_card: '身份证号',
  employee_no: '工号',
  department: '部门',
  email: '邮箱',
  bank_account: '银行卡号',
  net: '实发',
  gross: '应发合计',
  tax: '个税',
  earning: '应发项',
  deduction: '扣款项',
  employer: '公司承担',
  info: '说明',
  ignore: '不导入',
}

/** The first role that two columns have and only one may; null where all is well. */
export function rolesTwice(columns: readonly { readonly role: ColumnRole }[]): ColumnRole | null {
  const seen = new Set<ColumnRole>()
  for (const { role } of columns) {
    if (!singleRoles.has(role)) continue
    if (seen.has(role)) return role
    seen.add(role)
  }
  return null
}
