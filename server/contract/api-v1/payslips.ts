/** Payslips and tax results for programs with an API key. Payslips without amounts: a program follows them, it does not read them. */
import * as z from 'zod/mini'
import { requireKey } from '../access.ts'
import { defineView } from '../call.ts'
import { fen, id, month, payslipStatus, time } from '../shared/schemas.ts'
import { taxPeriodStatuses } from '../tax/statuses.ts'
import { cursorParams, employeeNames, employeeReference, ownReference, paginate } from './shared.ts'

const payroll = requireKey('2')

const payslipState = z.object({
  payslip_id: id,
  batch_id: id,
  batch_external_id: ownReference,
  employee: employeeNames,
  status: payslipStatus,
  /** Counts corrections. */
  version: z.int(),
  has_feedback: z.boolean(),
  sent_at: z.nullable(time),
  viewed_at: z.nullable(time),
  confirmed_at: z.nullable(time),
})

export const listPayslips = defineView('GET /api/v1/payslips', payroll, {
  summary: 'Lists the payslips of a batch or of an employee, with whether they were viewed and confirmed. Contains no amounts.',
  input: z.object({ batch_id: z.optional(id), ...employeeReference, status: z.optional(payslipStatus), ...cursorParams }),
  output: paginate(payslipState),
  errors: ['not_found'],
})

export const getPayslip = defineView('GET /api/v1/payslips/:payslip_id', payroll, {
  summary: 'Returns whether one payslip was viewed and confirmed. Contains no amounts.',
  input: z.object({ payslip_id: id }),
  output: payslipState,
  errors: ['not_found'],
})

export const listPayslipReceipts = defineView('GET /api/v1/payslips/:payslip_id/receipts', payroll, {
  summary: 'Returns the receipts of a payslip, for every confirmed version, as files that any program can verify.',
  input: z.object({ payslip_id: id }),
  output: z.object({
    data: z.array(
      z.object({
        version: z.int(),
        /** The receipt is that of the current version. */
        current: z.boolean(),
        /** Confirmed by the employee, or automatically by the rule of the company. */
        kind: z.enum(['person', 'auto']),
        confirmed_at: time,
        file_name: z.string(),
        file: z.string(),
        /** The page that verifies it. */
        url: z.string(),
      }),
    ),
  }),
  errors: ['not_found'],
})

export const listTaxResults = defineView('GET /api/v1/tax-results', requireKey('2'), {
  summary: 'Lists the withheld tax of a computed month, employee by employee, in fen.',
  input: z.object({ month, ...cursorParams }),
  output: z.extend(
    paginate(
      z.object({
        employee: employeeNames,
        income_fen: fen,
        bonus_fen: fen,
        taxable_income_cumulative_fen: z.nullable(fen),
        tax_cumulative_fen: z.nullable(fen),
        /** The tax to withhold this month; null where it could not be computed. */
        tax_fen: z.nullable(fen),
        bonus_tax_fen: z.nullable(fen),
        /** Why it could not be computed. */
        reason: z.nullable(z.string()),
      }),
    ),
    { month, status: z.enum(taxPeriodStatuses) },
  ),
  errors: ['not_found'],
})
