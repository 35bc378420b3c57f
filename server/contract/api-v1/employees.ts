/** Employees and departments for programs with an API key. */
import * as z from 'zod/mini'
import { requireKey } from '../access.ts'
import { defineChange, defineRead } from '../call.ts'
import { insertMember } from '../directory/members.ts'
import { id, requiredText } from '../shared/schemas.ts'
import { cursorParams, employeeNames, employeeReference, externalId, ownReference, paginate } from './shared.ts'

const readers = requireKey('3')
const editors = requireKey('3')
export const maxUpserts = 100

export const employeeStatuses = ['invited', 'active', 'terminated'] as const

const employee = z.extend(employeeNames, {
  mobile: z.string(),
  email: z.string(),
  position: z.string(),
  entry_date: z.nullable(z.string()),
  /** The last day of a terminated employee. */
  terminated_on: z.nullable(z.string()),
  status: z.enum(employeeStatuses),
  departments: z.array(z.object({ department_id: id, external_id: ownReference, name: z.string() })),
  /** The phone was changed by somebody else and is not confirmed: no payslip is shown or sent before it is. */
  phone_unconfirmed: z.boolean(),
})

export const listEmployees = defineRead('GET /api/v1/employees', readers, {
  summary: 'Lists employees in a stable order, so that a walk through all pages misses nobody.',
  input: z.object({
    ...employeeReference,
    department_id: z.optional(id),
    /** Without it, everybody who is not terminated. */
    status: z.optional(z.enum(employeeStatuses)),
    ...cursorParams,
  }),
  output: paginate(employee),
  errors: ['not_found'],
})

const { name, mobile, employee_no, position, entry_date, id_card, bank_account, email } = insertMember.input.shape

export const upsertEmployees = defineChange('PUT /api/v1/employees', editors, {
  summary:
    'Adds or changes up to 100 employees, all or none. An employee is found by external_id, else by employee_no; a contradiction is refused and never guessed.',
  rateLimit: 'costly',
  input: z.object({
    employees: z
      .array(
        z.object({
          external_id: z.optional(externalId),
          employee_no,
          name,
          mobile,
          position,
          entry_date,
          id_card,
          bank_account,
          email,
          /** Replaces the departments; omitted, they stay as they are. */
          department_ids: z.optional(z.array(id).check(z.maxLength(20))),
          department_external_ids: z.optional(z.array(externalId).check(z.maxLength(20))),
        }),
      )
      .check(z.minLength(1, '请至少填写一位员工'), z.maxLength(maxUpserts, `一次最多 ${maxUpserts} 位员工`)),
  }),
  /** In the order of the request. */
  output: z.object({ data: z.array(z.extend(employeeNames, { outcome: z.enum(['created', 'updated']) })) }),
  errors: ['not_found', 'wrong_state'],
})

export const terminateEmployee = defineChange('POST /api/v1/employees/terminate', editors, {
  summary: 'Marks an employee as terminated, with the last working day (default: today). Payslips stay; access ends at once.',
  input: z.object({ ...employeeReference, terminated_on: z.optional(z.iso.date('日期应写作 2026-10-08')) }),
  output: employeeNames,
  errors: ['not_found', 'wrong_state'],
})

const department = z.object({
  department_id: id,
  external_id: ownReference,
  name: z.string(),
  /** Null for the highest departments that the key may see. */
  parent_id: z.nullable(id),
  /** Employees of the department and those below it. */
  employee_count: z.int(),
})

export const listDepartments = defineRead('GET /api/v1/departments', readers, {
  summary: 'Lists the departments with their parents.',
  input: z.object({ external_id: z.optional(externalId), ...cursorParams }),
  output: paginate(department),
})

export const upsertDepartments = defineChange('PUT /api/v1/departments', editors, {
  summary: 'Adds, renames or moves up to 100 departments, all or none, in the given order: parents come first.',
  input: z.object({
    departments: z
      .array(
        z.object({
          /** Names an existing department without external_id, to give it one. */
          department_id: z.optional(id),
          external_id: externalId,
          name: requiredText(50, '请填写部门名称'),
          parent_id: z.optional(id),
          /** Without a parent, a new department is placed below the highest one, and an existing one stays where it is. */
          parent_external_id: z.optional(externalId),
        }),
      )
      .check(z.minLength(1, '请至少填写一个部门'), z.maxLength(maxUpserts, `一次最多 ${maxUpserts} 个部门`)),
  }),
  output: z.object({
    data: z.array(z.object({ department_id: id, external_id: z.string(), outcome: z.enum(['created', 'updated']) })),
  }),
  errors: ['not_found', 'wrong_state'],
})
