/** Corrections of payslips: what was changed, from which value to which, and why. */
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { getColumnKey } from '../../../contract/payslips/payslip.ts'
import { defineDocument } from '../../../crypto/sealed-document.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import { formatTypedText } from '../../../rules/amounts.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { getAmountSigns, openPayslipLayout, openRecognition } from '../../sheets/display/index.ts'
import { type BatchRow } from '../../sheets/index.ts'

/** Formats corrections of this batch for display: amounts in a uniform format with the sign they have on the payslip. */
export function createChangeFormatter(
  ctx: Pick<HandlerContext, 'vault'>,
  batch: Pick<BatchRow, 'id' | 'recognition' | 'layout'>,
) {
  const recognition = openRecognition(ctx, batch)
  const signs = getAmountSigns({ ...recognition, layout: openPayslipLayout(ctx, batch, recognition) })
  const roles = new Map(recognition.columns.map(({ key, role }) => [key, role]))
  return (key: string, { from, to }: CellChange): CellChange => {
    const column = getColumnKey(key)
    const [role, sign] = [roles.get(column) ?? 'info', signs.get(column)]
    return { from: formatTypedText(from, role, sign), to: formatTypedText(to, role, sign) }
  }
}

export type CellChange = { readonly from: string; readonly to: string }

export const changeDocument = defineDocument<CellChange>({
  kind: 'payslip change',
  version: 1,
  schema: z.object({ from: z.string(), to: z.string() }),
})

export const sealCellChange = (vault: HandlerContext['vault'], id: string, change: CellChange): Buffer =>
  changeDocument.seal(vault, getChangePosition(id), change)

export const getChangePosition = (id: string, column: 'change' | 'reason' | 'column_label' = 'change') => ({
  table: 'payslip_change',
  row: id,
  column,
})

export type CorrectedPayslip = {
  readonly salary: { readonly id: string; readonly version: number }
  readonly batch: Parameters<typeof createChangeFormatter>[1]
}

/** Returns the changes of a payslip's latest correction. */
export const getLatestCorrection = async (
  ctx: Pick<HandlerContext, 'db' | 'company_id' | 'vault'>,
  salary: CorrectedPayslip['salary'],
  batch: CorrectedPayslip['batch'],
) => (await getLatestCorrections(ctx, [{ salary, batch }])).get(salary.id) ?? null

/** Returns the latest corrections of several payslips by id. */
export async function getLatestCorrections(
  ctx: Pick<HandlerContext, 'db' | 'company_id' | 'vault'>,
  slips: readonly CorrectedPayslip[],
) {
  const { db, company_id, vault } = ctx
  const rows = await db
    .selectFrom('payslip_change')
    .select(['id', 'salary_id', 'version', 'at', 'column_key', 'column_label', 'change', 'reason'])
    .where('company_id', '=', company_id)
    .where('salary_id', '=', sql<string>`any(${slips.map(({ salary }) => salary.id)}::uuid[])`)
    .orderBy('id')
    .execute()
  const byPayslip = Map.groupBy(rows, ({ salary_id }) => salary_id)
  return new Map(
    slips.flatMap(({ salary, batch }) => {
      const versionRows = (byPayslip.get(salary.id) ?? []).filter(({ version }) => version === salary.version)
      const [first] = versionRows
      if (!first) return []
      const formatChange = createChangeFormatter(ctx, batch)
      const changes = versionRows.map((row) => ({
        label: vault.open<string>(getChangePosition(row.id, 'column_label'), row.column_label),
        ...formatChange(row.column_key, changeDocument.open(vault, getChangePosition(row.id), row.change)),
      }))
      const reason = vault.open<string>(getChangePosition(first.id, 'reason'), first.reason)
      return [[salary.id, { at: toIsoTimestamp(first.at), reason, changes }] as const]
    }),
  )
}

/** Lists all corrections of these payslips, oldest first. */
export async function listChanges(
  ctx: Pick<HandlerContext, 'db' | 'company_id' | 'vault'>,
  batch: Parameters<typeof createChangeFormatter>[1],
  slip_ids: readonly string[],
) {
  const { db, company_id, vault } = ctx
  const rows = await db
    .selectFrom('payslip_change')
    .select(['id', 'salary_id', 'version', 'at', 'by_name', 'column_key', 'column_label', 'change', 'reason'])
    .where('company_id', '=', company_id)
    .where('salary_id', '=', sql<string>`any(${[...slip_ids]}::uuid[])`)
    .orderBy('id')
    .execute()
  const formatChange = createChangeFormatter(ctx, batch)
  return rows.map((row) => ({
    salary_id: row.salary_id,
    version: row.version,
    at: row.at,
    by: row.by_name,
    column: vault.open<string>(getChangePosition(row.id, 'column_label'), row.column_label),
    reason: vault.open<string>(getChangePosition(row.id, 'reason'), row.reason),
    ...formatChange(row.column_key, changeDocument.open(vault, getChangePosition(row.id), row.change)),
  }))
}
