/** Members and departments. calls.md §4: power 3 and 2 within scope, 4 everywhere; power 1 reads. */
import * as z from 'zod/mini'
import { requirePowerAnywhere } from '../access/any-company.ts'
import { defineChange, defineRead } from '../call.ts'
import { email } from '../shared/email.ts'
import {
  emptyObject,
  id,
  memberStatuses,
  mobile,
  optionalText,
  pageParams,
  paginatedList,
  requiredText,
  time,
} from '../shared/schemas.ts'

const rosterReaders = requirePowerAnywhere('1', '2', '3')
const keepers = requirePowerAnywhere('2', '3')

export const department = z.object({
  ID: id,
  NAME: z.string(),
  count: z.int(),
  PID: z.optional(z.nullable(id)),
  SOURCE: z.optional(z.string()),
  get child(): z.ZodMiniArray<typeof department> {
    return z.array(department)
  },
})
export type Department = z.infer<typeof department>

/** The number of an identity card, passport, permit or residence card; the server checks its format and checksum. */
const idCard = z.string().check(z.regex(/^[\dA-Za-z()]{7,18}$/, '身份证号应为 18 位；护照、通行证请核对号码'))
/** The number of a bank card or account; spaces and dashes between its digits are ignored. */
const bankAccount = z
  .string()
  .check(z.maxLength(40, '银行卡号应为 12 到 19 位数字'), z.regex(/^[\s-]*(?:\d[\s-]*){12,19}$/, '银行卡号应为 12 到 19 位数字'))
const memberFields = {
  name: requiredText(50, '请填写姓名'),
  mobile,
  employee_no: z.optional(optionalText(30)),
  position: z.optional(optionalText(50)),
  department_ids: z._default(z.array(id).check(z.maxLength(20)), []),
  entry_date: z.optional(z.nullable(z.iso.date())),
  id_card: z.optional(z.nullable(idCard)),
  bank_account: z.optional(z.nullable(bankAccount)),
  /** '' removes it. */
  email: z.optional(z.union([z.literal(''), email])),
}

export const getDepartList = defineRead('POST /api/Member/getDepartList', rosterReaders, {
  summary: "Returns the department tree within the caller's scope, with the headcount of each department.",
  input: emptyObject,
  output: z.object({ list: z.array(department) }),
})

const departmentName = requiredText(50, '请填写部门名称')

export const getSonDepartList = defineRead('POST /api/Member/getSonDepartList', rosterReaders, {
  summary: 'Lists the direct subdepartments of a department in their order, with own and total headcount.',
  input: z.object({ id }),
  output: z.object({
    list: z.array(z.object({ ID: id, NAME: z.string(), PID: id, SOURCE: z.string(), count: z.int(), child_count: z.int() })),
  }),
  errors: ['not_found'],
})

export const getDepartment = defineRead('POST /api/Member/getDepartment', rosterReaders, {
  summary:
    "Returns one department: its leader, own and total headcount. `PID` is null if the parent is outside the caller's scope.",
  input: z.object({ id }),
  output: z.object({
    ID: id,
    NAME: z.string(),
    PID: z.nullable(id),
    SOURCE: z.string(),
    /**
     * The value is null where the department has no leader, the leader is terminated, or the leader is out of the
     * user's scope.
     */
    LEADER: z.nullable(z.object({ ID: id, NAME: z.string() })),
    /** Members in the department or below it · in the department itself · terminated members in the department itself. */
    count: z.int(),
    own_count: z.int(),
    left_count: z.int(),
    child_count: z.int(),
  }),
  errors: ['not_found'],
})

export const insertDepartment = defineChange('POST /api/Member/insertDepartment', keepers, {
  summary: 'Adds a department as the last one below another.',
  input: z.object({ name: departmentName, pid: id }),
  output: z.object({ id }),
  errors: ['not_found', 'wrong_state'],
})

export const editDepartment = defineChange('POST /api/Member/editDepartment', keepers, {
  summary:
    'Renames a department, moves it below another, places it before a sibling (null: last) or sets its leader (null: none).',
  idempotent: false,
  input: z.object({
    id,
    name: z.optional(departmentName),
    pid: z.optional(id),
    before_id: z.optional(z.nullable(id)),
    leader_id: z.optional(z.nullable(id)),
  }),
  output: emptyObject,
  errors: ['not_found', 'wrong_state'],
})

export const clearDepartment = defineChange('POST /api/Member/clearDepartment', keepers, {
  summary:
    'Deletes a department without subdepartments. Its members, terminated ones included, move to `move_to` and keep their payslips.',
  input: z.object({ id, move_to: z.optional(id) }),
  output: z.object({ moved: z.int() }),
  errors: ['not_found', 'wrong_state'],
})

export const moveMembers = defineChange('POST /api/Member/moveMembers', keepers, {
  summary:
    "Moves members into a department, all or none: out of `from_id` and its subdepartments, or out of all others within the caller's scope.",
  input: z.object({
    member_ids: z.array(id).check(z.minLength(1, '请选择员工'), z.maxLength(500, '一次最多移动 500 人')),
    department_id: id,
    from_id: z.optional(id),
  }),
  output: z.object({ moved: z.int() }),
  errors: ['not_found', 'wrong_state'],
})

export const member = z.object({
  ID: id,
  NAME: z.string(),
  MOBILE: z.string(),
  /** '' where unknown. */
  EMAIL: z.string(),
  DEPARTMENTS: z.array(z.object({ ID: id, NAME: z.string() })),
  EMPLOYEE_NO: z.string(),
  POSITION: z.string(),
  ENTRY_DATE: z.nullable(z.string()),
  /** The last day of a terminated member. */
  TERMINATED_ON: z.nullable(z.string()),
  STATUS: z.enum(memberStatuses),
  SOURCE: z.string(),
  /** Another person changed the member's phone: no payslip is shown or sent before it is confirmed. */
  PHONE_UNCONFIRMED: z.boolean(),
})

/** Filters of a member list. */
export const memberFilter = {
  department_id: z.optional(id),
  with_children: z._default(z.boolean(), true),
  /** A part of a name, of its pinyin or initials, of a phone or of an employee number. */
  name: z.optional(optionalText(50)),
  status: z.optional(z.enum(memberStatuses)),
}

export const getMemberList = defineRead('POST /api/Member/getMemberList', rosterReaders, {
  summary:
    "Lists the members within the caller's scope by department, name (also pinyin), phone, employee number or status. Terminated members appear only if the status asks for them.",
  input: z.object({ ...memberFilter, ...pageParams }),
  output: paginatedList(member),
  errors: ['not_found'],
})

export const getMemberInfo = defineRead('POST /api/Member/getMemberInfo', rosterReaders, {
  summary:
    'Returns one member with their employment periods; a rehired member has several. The identity card number is masked, and so is the bank card number unless the caller may change it.',
  input: z.object({ id }),
  output: z.extend(member, {
    ID_CARD_MASKED: z.nullable(z.string()),
    /** The value is also null for users who may not change it. */
    BANK_ACCOUNT_MASKED: z.nullable(z.string()),
    JOINED: z.boolean(),
    /** Newest first; `SINCE`: when the member was added to the roster. */
    EMPLOYMENT: z.array(
      z.extend(z.pick(member, { ID: true, DEPARTMENTS: true, POSITION: true, ENTRY_DATE: true, TERMINATED_ON: true }), {
        SINCE: time,
      }),
    ),
  }),
  errors: ['not_found'],
})

export const insertMember = defineChange('POST /api/Member/insertMember', keepers, {
  summary: 'Adds a member.',
  input: z.object(memberFields),
  output: z.object({ id }),
  errors: ['not_found'],
})

export const editMemberInfo = defineChange('POST /api/Member/editMemberInfo', keepers, {
  summary: 'Changes the given fields of a member. A changed phone detaches the member from the former account.',
  input: z.object({
    id,
    name: z.optional(memberFields.name),
    mobile: z.optional(mobile),
    employee_no: memberFields.employee_no,
    position: memberFields.position,
    department_ids: z.optional(z.array(id).check(z.maxLength(20))),
    entry_date: memberFields.entry_date,
    id_card: memberFields.id_card,
    bank_account: memberFields.bank_account,
    email: memberFields.email,
  }),
  output: emptyObject,
  errors: ['not_found'],
})

export const clearMember = defineChange('POST /api/Member/clearMember', keepers, {
  summary: 'Marks a member as terminated, with a last working day (default: today). Payslips stay; access ends at once.',
  input: z.object({ id, terminated_on: z.optional(z.iso.date('日期应写作 2026-10-08')) }),
  output: emptyObject,
  errors: ['not_found', 'wrong_state'],
})
