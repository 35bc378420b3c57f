/** A payslip as the employee sees it, and its rules. Separate, so that the employee's page loads no more of the contract. */
import * as z from 'zod/mini'
import { cellKinds, fen, month } from '../shared/schemas.ts'

/** The key of a column, stable within its batch. */
export const columnKey = z.string().check(z.regex(/^c\d{1,4}$/))

/** A cell of a payslip: of a column, or of one row of several that became one payslip (`c3@12`). */
export const slipKey = z.string().check(z.regex(/^c\d{1,4}(@\d{1,9})?$/))
export const getColumnKey = (cell: string): string => cell.split('@', 1)[0] ?? cell

/** A payslip exactly as the employee sees it. */
export const payslip = z.object({
  title: z.string(),
  month: z.nullable(month),
  corp_name: z.string(),
  name: z.string(),
  net: z.nullable(z.object({ label: z.string(), fen })),
  /** 应发 − 扣款 = 实发, present where the items on the payslip add up to its net pay. */
  totals: z.nullable(z.object({ gross_fen: fen, deduction_fen: fen })),
  groups: z.array(
    z.object({
      name: z.string(),
      /** The displayed sum of the group where all its cells are money; deductions count as negative. */
      total_fen: z.nullable(fen),
      cells: z.array(
        z.object({
          key: slipKey,
          label: z.string(),
          value: z.string(),
          kind: z.enum(cellKinds),
          fen: z.nullable(fen),
          /** A deduction, which is shown with a minus sign. */
          is_deduction: z.boolean(),
          note: z.string(),
        }),
      ),
    }),
  ),
  hint: z.string(),
})
export type Payslip = z.infer<typeof payslip>

export const payslipRules = z.object({
  confirm: z.boolean(),
  feedback: z.boolean(),
  /** The employee must verify again before payslips are shown. */
  view_password: z.boolean(),
  /** Minutes after the first view at which the payslip closes permanently; 0: never. */
  burn_after_minutes: z.int().check(z.gte(0), z.lte(43_200)),
  watermark: z.boolean(),
})
