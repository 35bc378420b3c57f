/** Transfer of authority, and approvals. calls.md §3. */
import * as z from 'zod/mini'
import { requirePowerAnywhere } from '../access/any-company.ts'
import { requirePower } from '../access.ts'
import { defineChange, defineRead } from '../call.ts'
import { emptyObject, id, optionalText, pageParams, paginatedList, password, time } from '../shared/schemas.ts'

export const approvalKinds = ['wage_transfer', 'unbind', 'join_agency', 'send', 'phone'] as const
export type ApprovalKind = (typeof approvalKinds)[number]
/** 0 waiting · 1 approved · 2 rejected · 3 cancelled by the applicant. */
export const approvalStatuses = [0, 1, 2, 3] as const
export type ApprovalStatus = (typeof approvalStatuses)[number]
const approvalStatus = z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)])
/** Departments with all their descendants, or the whole company. */
const agencyScope = z.object({ all: z.boolean(), department_ids: z.array(id).check(z.maxLength(200)) })
/** 128 random bits in hexadecimal. */
const approvalNo = z.string().check(z.regex(/^[0-9a-f]{32}$/, '审批编号不正确'))

const scope = z.object({ all: z.boolean(), departments: z.array(z.string()) })

export const getWageManagerInfo = defineRead('POST /api/User/getWageManagerInfo', requirePower('1', '2'), {
  summary: 'Returns the current payroll administrator: the caller if they are one, else the first.',
  input: emptyObject,
  output: z.object({
    user_id: id,
    name: z.string(),
    /** Masked. */
    mobile: z.string(),
    scope,
    /** The current user's own application that is still waiting. */
    pending_approval: z.nullable(z.object({ approval_no: z.string(), to: z.string() })),
  }),
  errors: ['not_found'],
})

export const applyTransferWageManager = defineChange('POST /api/User/applyTransferWageManager', requirePower('2'), {
  summary:
    'Applies to transfer the payroll authority of the caller, a payroll administrator without power 1, to another member; the system manager decides.',
  input: z.object({ member_id: id }),
  output: z.object({ approval_no: z.string(), message: z.string() }),
  errors: ['not_found', 'wrong_state'],
})

export const applyConfirmPhone = defineChange('POST /api/User/applyConfirmPhone', requirePowerAnywhere('2', '3'), {
  summary:
    'Asks a second administrator to confirm that a changed phone belongs to the member. Until then the member is shown and sent nothing.',
  input: z.object({ member_id: id }),
  output: z.object({ approval_no: z.string(), message: z.string() }),
  errors: ['not_found', 'wrong_state'],
})

export const getSystemManagerTransferInfo = defineRead('POST /api/User/getSystemManagerTransferInfo', requirePower('1'), {
  summary: "Describes a transfer of an administrator's payroll authority: from whom, to whom, scope and number of records.",
  /** The administrator's `user_id`. */
  input: z.object({ id }),
  output: z.object({
    user_id: id,
    name: z.string(),
    scope,
    /** How many batches are moved, and how many titles shared with the administrator are moved as well. */
    batches: z.int(),
    shares: z.int(),
    /** The member named by a waiting application. */
    to: z.nullable(z.object({ member_id: id, name: z.string(), approval_no: z.string() })),
  }),
  errors: ['not_found'],
})

export const transferManagerBySystemManager = defineChange('POST /api/User/transferManagerBySystemManager', requirePower('4'), {
  summary:
    "Transfers power 2, scope, wage records and shares of an administrator to another member in one transaction. The former administrator's sessions end with `transferred`.",
  input: z.object({ id, member_id: id }),
  output: z.object({ batches: z.int() }),
  errors: ['not_found', 'wrong_state'],
})

export const transferSystemManager = defineChange('POST /api/User/transferSystemManager', requirePowerAnywhere('4'), {
  summary: "Transfers power 4 to another member. Answers the caller with the error `transferred`; the caller's sessions end.",
  idempotent: false,
  rateLimit: 'guess',
  input: z.object({ member_id: id, password }),
  output: emptyObject,
  errors: ['not_found', 'wrong_state', 'wrong_password', 'locked', 'transferred'],
})

export const getApprovalList = defineRead('POST /api/Approval/getApprovalList', 'admin', {
  summary: "Lists the caller's own applications and those that they may decide.",
  input: z.object({ status: z.optional(approvalStatus), kind: z.optional(z.enum(approvalKinds)), ...pageParams }),
  output: paginatedList(
    z.object({
      approval_no: z.string(),
      kind: z.enum(approvalKinds),
      applicant: z.string(),
      /** The application in one sentence. */
      summary: z.string(),
      created_at: time,
      status: approvalStatus,
      reason: z.string(),
      decided_at: z.nullable(time),
      decided_by: z.nullable(z.string()),
      is_own: z.boolean(),
      can_decide: z.boolean(),
      /** For a transfer, how many batches are moved. */
      batches: z.int(),
    }),
  ),
})

export const setApprovalStatusByApprovalNo = defineChange('POST /api/Approval/setApprovalStatusByApprovalNo', 'admin', {
  summary:
    'Approves (1) or rejects (2) an application that the caller may decide, never their own, or withdraws their own (3). An approval takes effect in the same transaction.',
  input: z.object({
    approval_no: approvalNo,
    status: z.union([z.literal(1), z.literal(2), z.literal(3)]),
    reason: z.optional(optionalText(200)),
    /** The terms on which an agency may serve (`join_agency`, approved): scope and last day. */
    serving: z.optional(z.object({ scope: agencyScope, until: z.iso.date() })),
  }),
  output: emptyObject,
  errors: ['not_found', 'wrong_state'],
})
