/** What the columns of a sheet are for: shown, and set by people. */
import * as contract from '../../contract/sheet.ts'
import { can } from '../../contract/states.ts'
import { handle, invalid, must } from '../../runtime/handle.ts'
import { batchFor } from './access.ts'
import { rearrange } from './rules/arrange.ts'
import { identityRoles, rolesTwice, roleWords } from './rules/roles.ts'
import { keepOutcome, runCheck } from './run-check.ts'
import { infoOf, layoutOf, sealUnderstood, type Understood, understoodOf } from './understood.ts'

export const getTitleInfo = handle(contract.getTitleInfo, async (ctx, { batch_id }) => {
  const batch = await batchFor(ctx, batch_id, 'view')
  return infoOf(batch, understoodOf(ctx, batch))
})

export const checkRequireColumnData = handle(contract.checkRequireColumnData, async (ctx, { batch_id, columns }) => {
  const { db, company_id, vault, now } = ctx
  const batch = await batchFor(ctx, batch_id, 'manage')
  must(can.arrange(batch.status), { status: batch.status })
  const before = understoodOf(ctx, batch)
  const wanted = new Map(columns.map((column) => [column.key, column.role]))
  for (const key of wanted.keys())
    if (!before.columns.some((column) => column.key === key)) throw invalid('columns', '表里没有这一列，请刷新后重试')
  const after = before.columns.map((column) => {
    const role = wanted.get(column.key) ?? column.role
    return role === column.role ? column : { ...column, role, confidence: 1, reason: '手工指定' }
  })
  const twice = rolesTwice(after)
  if (twice) throw invalid('columns', `「${roleWords[twice]}」只能指定一列，请把另一列改成别的用途`)

  const changed = after.filter((column, at) => column.role !== before.columns[at]?.role)
  if (changed.length > 0) {
    const understood = withRoles(before, after)
    const id = batch.id
    const was = new Map(before.columns.map((column) => [column.key, column.role]))
    await db
      .updateTable('batch')
      .set({
        understood: sealUnderstood(vault, id, understood),
        layout: JSON.stringify(rearrange(layoutOf(batch, before), before.columns, after)),
        // What was accepted was said of other columns.
        accepted: batch.accepted.filter((one) => one.startsWith('same_file:')),
        updated_at: now,
      })
      .where('company_id', '=', company_id)
      .where('id', '=', id)
      .execute()
    const isIdentity = changed.some(
      (column) => identityRoles.has(column.role) || identityRoles.has(was.get(column.key) ?? 'ignore'),
    )
    await db
      .updateTable('sheet_row')
      // Who was chosen by hand was chosen for the name that stood there.
      .set({ accepted: [], ...(isIdentity ? { member_id: null } : {}) })
      .where('company_id', '=', company_id)
      .where('batch_id', '=', id)
      .execute()
  }

  const fresh = await batchFor(ctx, batch_id, 'manage')
  const run = await runCheck(ctx, fresh, { beside: 'none' })
  await keepOutcome(ctx, fresh, run)
  const has = (...roles: string[]) => after.some((column) => roles.includes(column.role))
  const unmatched = run.checked.rows.filter((row) => !row.skipped && row.member_id === null).length
  const missing: ('name' | 'mobile' | 'net')[] = []
  if (!has('name', 'last_name')) missing.push('name')
  // A name alone does where it finds everybody; where it does not, nothing tells people apart.
  if (unmatched > 0 && !has('mobile', 'id_card', 'employee_no')) missing.push('mobile')
  if (!has('net')) missing.push('net')
  return { ok: missing.length === 0, missing, unmatched, open: 0 }
})

/** What was understood of sums holds only for the net column that it was understood of. */
function withRoles(before: Understood, columns: Understood['columns']): Understood {
  const net = columns.find((column) => column.role === 'net')?.key ?? null
  const was = before.columns.find((column) => column.role === 'net')?.key ?? null
  if (net === was) return { ...before, columns }
  const formula = before.formula?.net === net ? before.formula : null
  const totals_row = before.totals_row ? { ...before.totals_row, net_fen: null, agrees: null } : null
  return { ...before, columns, formula, totals_row }
}
