/** The history of one member in the roster, including changes of encrypted fields. `getMemberInfo` is its first page. */
import * as z from 'zod/mini'
import { requirePowerAnywhere } from '../access/any-company.ts'
import { defineRead, defineView } from '../call.ts'
import { id, pageParams, paginatedList, time } from '../shared/schemas.ts'
import { memberFilter } from './members.ts'

/**
 * `looked`: an administrator viewed the identity card · `looked_tax`: viewed deductions and insurance · `undone`: an
 * import that had changed the member was undone.
 */
export const memberEventKinds = ['changed', 'left', 'looked', 'looked_tax', 'undone'] as const
export type MemberEventKind = (typeof memberEventKinds)[number]
export const memberFieldNames = [
  'name',
  'mobile',
  'employee_no',
  'position',
  'entry_date',
  'id_card',
  'bank_account',
  'email',
  'departments',
  'left_on',
] as const
export type MemberFieldName = (typeof memberFieldNames)[number]
export const memberFieldLabels: Record<MemberFieldName, string> = {
  name: '姓名',
  mobile: '手机号',
  employee_no: '工号',
  position: '岗位',
  entry_date: '入职日期',
  id_card: '身份证号',
  bank_account: '银行卡号',
  email: '邮箱',
  departments: '部门',
  left_on: '离职日期',
}

export const fieldChange = z.object({
  field: z.enum(memberFieldNames),
  /** For encrypted fields the value is null: only the fact of a change is shown. */
  from: z.nullable(z.string()),
  to: z.nullable(z.string()),
})
export type FieldChange = z.infer<typeof fieldChange>

export const getMemberEvents = defineRead('POST /api/Member/getMemberEvents', requirePowerAnywhere('1', '2', '3'), {
  summary: 'Lists the changes of a member in the roster with their author, and who has viewed encrypted data, newest first.',
  input: z.object({ id, ...pageParams }),
  output: paginatedList(
    z.object({ event_id: id, at: time, kind: z.enum(memberEventKinds), by: z.string(), changes: z.array(fieldChange) }),
  ),
  errors: ['not_found'],
})

export const exportMembers = defineView('POST /api/Member/exportMembers', requirePowerAnywhere('1', '2', '3'), {
  summary: 'Exports the filtered member list as an .xlsx file that can be imported again.',
  rateLimit: 'costly',
  input: z.object(memberFilter),
  output: z.object({ oss_path: z.string(), file_name: z.string(), rows: z.int() }),
  errors: ['not_found'],
})

export const revealIdCard = defineView('POST /api/Member/showIdCard', requirePowerAnywhere('2', '3'), {
  summary: "Returns a member's identity card number in full. Each view is recorded in the member's history.",
  input: z.object({ id }),
  output: z.object({ id_card: z.nullable(z.string()) }),
  errors: ['not_found'],
})
