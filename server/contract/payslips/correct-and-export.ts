/** One payslip for the administrator: its content and corrections; file exports of a batch. calls.md §5. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineChange, defineRead, defineView } from '../call.ts'
import { id, optionalText, pageParams, paginatedList, payslipStatus, requiredText, time } from '../shared/schemas.ts'
import { columnKey, payslip } from './payslip.ts'

const payroll = requirePower('2')

export const getSalary = defineView('POST /api/wage/getSalary', payroll, {
  summary: 'Returns one payslip as the employee sees it, with its timeline.',
  input: z.object({ salary_id: id }),
  output: z.object({
    slip: payslip,
    status: payslipStatus,
    version: z.int(),
    timeline: z.array(
      z.object({
        at: time,
        kind: z.enum([
          'queued',
          'sent',
          'delivered',
          'failed',
          'reminded',
          'viewed',
          'confirmed',
          'corrected',
          'feedback',
          'withdrawn',
        ]),
        text: z.string(),
      }),
    ),
    feedback_id: z.nullable(id),
  }),
  errors: ['not_found'],
})

/** How columns of a wage sheet add up: to its subtotals and to net pay. */
export const columnSum = z.object({ key: columnKey, plus: z.array(columnKey), minus: z.array(columnKey) })
export type ColumnSum = z.infer<typeof columnSum>
type AmountsByColumn = ReadonlyMap<string, number>

/**
 * Applies a correction to the sums of its wage sheet, in fen. `updatedTotals`: totals that were not typed and change by
 * the same amount as their items, so that a total that did not add up before is not silently fixed. `mismatchedTotals`:
 * typed totals that match neither that result nor the sum of their items.
 */
export function propagateTotals(sums: readonly ColumnSum[], before: AmountsByColumn, typed: AmountsByColumn) {
  const now = new Map([...before, ...typed])
  const added = (of: AmountsByColumn, { plus, minus }: ColumnSum) =>
    plus.reduce((sum, one) => sum + (of.get(one) ?? 0), 0) - minus.reduce((sum, one) => sum + (of.get(one) ?? 0), 0)
  // A sum may be an item of another sum: each round settles one more level.
  for (let round = 0; round < sums.length; round += 1)
    for (const sum of sums) {
      const was = before.get(sum.key)
      if (!typed.has(sum.key) && was !== undefined) now.set(sum.key, was + added(now, sum) - added(before, sum))
    }
  const uneven = sums.flatMap((sum) => {
    const to = typed.get(sum.key)
    const by_items = added(now, sum)
    const expected = (before.get(sum.key) ?? 0) + by_items - added(before, sum)
    return to === undefined || to === expected || to === by_items ? [] : [{ key: sum.key, expected }]
  })
  const followed = new Map(
    sums.flatMap(({ key: of }) => (now.get(of) === before.get(of) || typed.has(of) ? [] : [[of, now.get(of) ?? 0] as const])),
  )
  return { updatedTotals: followed, mismatchedTotals: uneven }
}

export const editSalaryDetail = defineChange('POST /api/wage/editSalaryDetail', payroll, {
  summary: 'Corrects a payslip. It becomes the next version, and the employee sees that it was corrected.',
  input: z.object({
    salary_id: id,
    cells: z
      .array(z.object({ key: z.string().check(z.maxLength(16)), value: optionalText(200) }))
      .check(z.minLength(1), z.maxLength(300)),
    reason: requiredText(200, '请填写更正原因'),
    /** Why a total differs from the sum of its items; required for such a correction. */
    mismatch_reason: z.optional(optionalText(100)),
  }),
  /**
   * `approval_no`: nothing was corrected yet, because the batch was approved and the change is beyond the bound; the same
   * correction is made again once another administrator has approved it.
   */
  output: z.object({ version: z.int(), approval_no: z.nullable(z.string()) }),
  errors: ['not_found', 'wrong_state'],
})

export const getSalaryModifyLog = defineView('POST /api/wage/getSalaryModifyLog', payroll, {
  summary:
    'Lists every change of a payslip or batch: user, time, column, old and new value, and reason. Entries can never be deleted.',
  input: z.object({ salary_id: z.optional(id), batch_id: z.optional(id), ...pageParams }),
  output: paginatedList(
    z.object({
      id,
      at: time,
      by: z.string(),
      name: z.string(),
      version: z.int(),
      column: z.string(),
      from: z.string(),
      to: z.string(),
      reason: z.string(),
    }),
  ),
  errors: ['not_found'],
})

/**
 * `detail`: the payslips · `status`: who has viewed and confirmed · `receipts`: receipts of all confirmations
 * (docs/receipt.md) · `log`: corrections ·
 * `evidence`: the evidence package (docs/evidence.md), JSON lines instead of .xlsx · `paper`: the same as a PDF to read
 * and print.
 */
export const exportKinds = ['detail', 'status', 'receipts', 'log', 'evidence', 'paper'] as const
export type ExportKind = (typeof exportKinds)[number]
/** Paper size of printed pages; `large` is large print. */
export const paperOptions = z.object({ size: z.enum(['A4', 'A5']), large: z.boolean() })
export type PaperOptions = z.infer<typeof paperOptions>
export const exportWageDetail = defineView('POST /api/wage/exportWageDetail', payroll, {
  summary:
    'Starts an export of a batch: its payslips, views and confirmations, receipts, corrections, or evidence that can be verified offline. The file is kept for a day.',
  idempotent: true,
  rateLimit: 'costly',
  /** `salary_id`: only one employee. `format`: xlsx or pdf for `receipts`; all others have one format. `paper`: for pages. */
  input: z.object({
    batch_id: id,
    what: z.enum(exportKinds),
    salary_id: z.optional(id),
    format: z._default(z.enum(['xlsx', 'pdf']), 'xlsx'),
    paper: z.optional(paperOptions),
  }),
  output: z.object({ job_id: id }),
  errors: ['not_found', 'wrong_state', 'view_locked'],
})
export const getExportStatus = defineRead('POST /api/wage/getExportStatus', payroll, {
  summary: 'Returns the progress of an export, with a download ticket once it is ready.',
  input: z.object({ job_id: id }),
  output: z.object({
    progress: z.int(),
    done: z.boolean(),
    failed: z.nullable(z.string()),
    /** A remark on the file: that it has no time stamp, and why. */
    note: z.nullable(z.string()),
    oss_path: z.nullable(z.string()),
    file_name: z.string(),
  }),
  errors: ['not_found'],
})
