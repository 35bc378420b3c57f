/** Correcting one slip. Totals follow their items; whoever types another total says why. */
import type { Updateable } from 'kysely'
import { moneyRoles } from '../../../contract/sheet/column-roles.ts'
import { columnKeyOf } from '../../../contract/slip/payslip.ts'
import * as contract from '../../../contract/slip/slip.ts'
import { formatFen, plainFen } from '../../../contract/words/money.ts'
import { can, readable } from '../../../contract/words/states.ts'
import { cellOfText, type RowCell, type RowCells } from '../../../rules/amounts.ts'
import { type Ctx, handle, invalid, must, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import type { Salary } from '../../../runtime/postgres/tables.ts'
import { openContent, type SlipContent, sealContent } from '../../pay/index.ts'
import { type BatchRow, combineRows, layoutOf, sectionKey, sectionsIn, sumTerms, understoodOf } from '../../sheet/index.ts'
import { tellApprover } from '../plan/approve.ts'
import { piecesFor } from '../send/claims.ts'
import { announce, lockedSalary, mustHaveBegun } from '../send/ledger.ts'
import { pastWith } from './past.ts'
import { type Change, changePlace, sealChange } from './salary.ts'
import { sumsOf } from './sums.ts'

type Corrected = { readonly key: string; readonly label: string; readonly change: Change }
type Wish = { readonly cells: readonly { key: string; value: string }[]; readonly why_not?: string | undefined }

const amountsOf = (cells: RowCells): Map<string, number> =>
  new Map(Object.entries(cells).flatMap(([key, { fen }]) => (fen === undefined ? [] : [[key, fen] as const])))

/** The slip's content with what was typed, and with the totals that move with it. */
function corrected(ctx: Ctx, batch: BatchRow, before: RowCells, { cells: asked, why_not }: Wish) {
  const understood = understoodOf(ctx, batch)
  const sections = sectionsIn(before)
  const labels = new Map(layoutOf(ctx, batch, understood).sort_list.map((item) => [item.key, item.value]))
  const columns = new Map(understood.columns.map((column) => [column.key, column]))
  const labelOf = (cell: string) => {
    const key = columnKeyOf(cell)
    const label = labels.get(key) ?? columns.get(key)?.label ?? ''
    const at = sections.findIndex(({ row }) => cell === sectionKey(key, row))
    return at < 0 ? label : `第 ${at + 1} 行 · ${label}`
  }
  const cells: Record<string, RowCell> = { ...before }
  const typed = new Map<string, number>()
  const changes: Corrected[] = []
  const put = (key: string, cell: RowCell | null) => {
    const from = cells[key]?.value ?? ''
    if ((cell?.value ?? '') === from) return
    if (cell) cells[key] = cell
    else delete cells[key]
    changes.push({ key, label: labelOf(key), change: { from, to: cell?.value ?? '' } })
  }
  for (const { key, value } of asked) {
    const column = columns.get(columnKeyOf(key))
    if (!column || (key !== column.key && !sections.some(({ row }) => key === sectionKey(column.key, row))))
      throw invalid('cells', '这张工资表没有这一列，请刷新后重试')
    // What several rows say together follows from them.
    if (sections.length > 0 && key === column.key)
      throw invalid('cells', `这张工资条由 ${sections.length} 行合成，「${labelOf(key)}」请在其中一行里改`)
    const cell = cellOfText(value, column.role)
    const isMoney = moneyRoles.has(column.role)
    if (cell && isMoney && cell.fen === undefined) throw invalid('cells', `「${labelOf(key)}」应填写金额，例如 8333.33`)
    if (!cell && column.role === 'net') throw invalid('cells', `「${labelOf(key)}」是实发工资，不能为空`)
    if (isMoney) typed.set(key, cell?.fen ?? 0)
    put(key, cell)
  }
  if (changes.length === 0) throw invalid('cells', '没有任何改动')
  const { followed, uneven } = contract.follow(sumsIn(understood, sections), amountsOf(before), typed)
  const [one] = uneven
  if (one && !why_not) {
    const [label, to] = [labelOf(one.key), formatFen(typed.get(one.key) ?? 0)]
    throw invalid('why_not', `「${label}」改成了 ${to}，按各项算是 ${formatFen(one.expected)}；请改成一致，或说明为什么不一样`)
  }
  for (const [key, fen] of followed) put(key, { value: plainFen(fen), kind: 'money', fen })
  if (sections.length > 0) {
    const rows = sections.map(({ row }) => ({ row, cells: cellsOfRow(cells, row) }))
    const combined = combineRows(rows, understood.columns, sumTerms(understood))
    for (const { key } of understood.columns) put(key, combined[key] ?? null)
  }
  const fenOf = (role: string): number | null => {
    const column = understood.columns.find((column) => column.role === role)
    return column ? (cells[column.key]?.fen ?? null) : null
  }
  const content: SlipContent = { cells, net_fen: fenOf('net'), gross_fen: fenOf('gross'), tax_fen: fenOf('tax') }
  return { content, changes }
}

/** The sums of a payslip, each within its own row where several rows became one payslip. */
function sumsIn(understood: Parameters<typeof sumsOf>[0], sections: readonly { readonly row: number }[]): contract.SumOf[] {
  const sums = sumsOf(understood)
  if (sections.length === 0) return sums
  return sections.flatMap(({ row }) => {
    const within = (keys: readonly string[]) => keys.map((key) => sectionKey(key, row))
    return sums.map(({ key, plus, minus }) => ({ key: sectionKey(key, row), plus: within(plus), minus: within(minus) }))
  })
}

const cellsOfRow = (cells: RowCells, row: number): RowCells => sectionsIn(cells).find((one) => one.row === row)?.cells ?? {}

/** Somebody may have read the former version: he is told, and what he confirmed no longer counts. */
const anew = (now: Date): Updateable<Salary> => ({
  status: 'sent',
  viewed_at: null,
  confirmed_at: null,
  confirmed_version: null,
  confirmed_auto: false,
  confirmed_hash: null,
  signature: null,
  corrected_at: now,
})

export const editSalaryDetail = handle(contract.editSalaryDetail, async (ctx, { salary_id, reason, ...wish }) => {
  const { db, company_id, vault, now, me } = ctx
  const { salary, batch } = await lockedSalary(ctx, salary_id)
  must(can.edit(salary.status), { status: salary.status })
  mustHaveBegun(batch)
  const before = openContent(vault, salary)
  const { content, changes } = corrected(ctx, batch, before.cells, wish)
  const version = salary.version + 1
  const handedOver = readable.includes(salary.status)
  const updated = await db
    .updateTable('salary')
    .set({
      version,
      cells: sealContent(vault, salary_id, version, content),
      ...(handedOver ? { ...anew(now), past: pastWith(salary) } : {}),
    })
    .where('company_id', '=', company_id)
    .where('id', '=', salary_id)
    .where('version', '=', salary.version)
    .where('status', '=', salary.status)
    .executeTakeFirst()
  if (updated.numUpdatedRows === 0n) throw refuse('wrong_state', undefined, { status: salary.status })
  const why = wish.why_not ? `${reason}（合计和各项不一致：${wish.why_not}）` : reason
  await db
    .insertInto('salary_change')
    .values(
      changes.map(({ key, label, change }) => {
        const id = newId()
        return {
          company_id,
          id,
          salary_id,
          batch_id: batch.id,
          version,
          by_admin: me.admin_id,
          by_name: me.name,
          at: now,
          column_key: key,
          column_label: vault.seal(changePlace(id, 'column_label'), label),
          change: sealChange(vault, id, change),
          reason: vault.seal(changePlace(id, 'reason'), why),
        }
      }),
    )
    .execute()
  if (handedOver)
    await announce(ctx, batch, salary, {
      purpose: 'corrected',
      pieces: await piecesFor(ctx, batch.id, 'corrected'),
    })
  await tellApprover(ctx, batch)
  ctx.about({ batch_id: batch.id, version, columns: changes.length })
  return { version }
})
