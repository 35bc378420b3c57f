/** How long a company stores its data. */
import * as z from 'zod/mini'
import { requirePowerAnywhere } from '../access/any-company.ts'
import { defineChange, defineRead } from '../call.ts'
import { emptyObject, optionalText, time } from '../shared/schemas.ts'

const companyAdmins = requirePowerAnywhere('1')

export const retentionKinds = ['audit_log', 'sign_in_log', 'sheet_file', 'export_file', 'payslip', 'terminated_member'] as const
export type RetentionKind = (typeof retentionKinds)[number]

/**
 * The shortest retention in months. Wage records, and with them payslips and their receipts: two years (工资支付暂行规定,
 * article 6). Records of who processed personal data: three years (个人信息保护法, article 56). Network logs: six months
 * (网络安全法, article 21). Exports are copies of data that is stored anyway. What withholding was based on, from leaving:
 * five years from the year after (个人所得税专项附加扣除操作办法), which is six years at most.
 */
export const minRetentionMonths: Readonly<Record<RetentionKind, number>> = {
  audit_log: 36,
  sign_in_log: 6,
  sheet_file: 24,
  export_file: 1,
  payslip: 24,
  terminated_member: 72,
}
export const maxRetentionMonths = 600

/** Null: stored for ever. The handler checks the bounds, so that its message names the kind. */
const months = z.nullable(z.int())
const rules = z.object({
  audit_log: months,
  sign_in_log: months,
  sheet_file: months,
  export_file: months,
  payslip: months,
  terminated_member: months,
})

export const getRetention = defineRead('POST /api/corp/getRetention', companyAdmins, {
  summary: 'Returns how long each kind of data is stored, whether deletion is on hold, and what was deleted.',
  input: emptyObject,
  output: z.object({
    rules,
    legal_hold: z.boolean(),
    hold_reason: z.string(),
    revision: z.int(),
    /** The newest fifty. */
    deletions: z.array(z.object({ at: time, kind: z.enum(retentionKinds), months: z.int(), before: time, count: z.int() })),
  }),
})

export const saveRetention = defineChange('POST /api/corp/saveRetention', companyAdmins, {
  summary: 'Sets how long each kind of data is stored, and puts deletion on hold.',
  input: z.object({ rules, legal_hold: z.boolean(), hold_reason: optionalText(200), revision: z.int() }),
  output: z.object({ revision: z.int() }),
  errors: ['wrong_state'],
})
