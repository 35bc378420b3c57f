/** The slips of a batch before they are sent: one as the employee will see it, and the people in it. */
import * as contract from '../../../contract/sheet/sheet.ts'
import { amountOf, type RowCells } from '../../../rules/amounts.ts'
import { type Ctx, handle, refuse } from '../../../runtime/handle.ts'
import { nameOf, payable } from '../../member/index.ts'
import { paidOne } from '../../pay/index.ts'
import { type BatchRow, batchFor, batchOfSlips } from '../access.ts'
import { peopleOf } from '../check/run-check.ts'
import { rowsCalled } from '../names/sheet-names.ts'
import { pageOfRows, rowsAt } from '../rows/stored-rows.ts'
import { matchRow, Roster } from '../rules/check/matching.ts'
import { saidOf } from '../rules/check/problems-amounts.ts'
import { renderSlip } from '../rules/render.ts'
import { getUnitPowers, inYuan } from '../rules/unit.ts'
import { layoutOf, understoodOf } from '../understood.ts'

export const getPreview = handle(contract.getPreview, async (ctx, { batch_id, row, salary_id }) => {
  const batch = await (salary_id ? batchOfSlips : batchFor)(ctx, batch_id, 'view')
  const understood = understoodOf(ctx, batch)
  const { cells, name } = salary_id ? await sentCells(ctx, batch, salary_id) : await rowCells(ctx, batch, row)
  return renderSlip({
    layout: layoutOf(ctx, batch, understood),
    columns: understood.columns,
    formula: understood.formula,
    cells: inYuan(cells, getUnitPowers(understood.columns, understood.questions)),
    title: batch.title_name ?? '',
    month: batch.title_month,
    corp_name: ctx.me.company_name,
    name: name ?? saidOf(cells, understood.columns).names[0] ?? '',
  })
})

/** A row as it stands now; the first that is sent where none is named. */
async function rowCells(ctx: Ctx, batch: BatchRow, row: number | undefined): Promise<{ cells: RowCells; name: null }> {
  if (row !== undefined) {
    const [one] = await rowsAt(ctx, batch.id, [row])
    if (!one) throw refuse('not_found', '表里没有这一行，请刷新后重试')
    return { cells: one.cells, name: null }
  }
  const { rows } = await pageOfRows(ctx, batch.id, { from: 0, count: 1, only: null })
  if (rows[0]) return { cells: rows[0].cells, name: null }
  throw refuse('not_found', '这一批里没有可以预览的人')
}

/** The cells that a slip of this batch was sent with, in its present version. */
async function sentCells(ctx: Ctx, batch: BatchRow, salary_id: string): Promise<{ cells: RowCells; name: string }> {
  const slip = await paidOne(ctx, batch.id, salary_id, payable(ctx))
  if (!slip) throw refuse('not_found')
  return { cells: slip.content.cells, name: (await nameOf(ctx, slip.member_id)) ?? '' }
}

export const getPreviewMember = handle(contract.getPreviewMember, async (ctx, { batch_id, name, page, pagesize }) => {
  const batch = await batchFor(ctx, batch_id, 'view')
  const { columns } = understoodOf(ctx, batch)
  const net = columns.find((column) => column.role === 'net')?.key
  const from = (page - 1) * pagesize
  const only = name ? await rowsCalled(ctx, batch.id, columns, name) : null
  const { rows, total } = await pageOfRows(ctx, batch.id, { from, count: pagesize, only })
  const roster = new Roster(await peopleOf(ctx))
  return {
    list: rows.map(({ row, cells, member_id: chosen }) => {
      const said = saidOf(cells, columns)
      const { person } = matchRow(said, roster, chosen, (card) => ctx.vault.index('id_card', card).toString('hex'))
      return {
        row,
        member_id: person?.id ?? null,
        name: said.names[0] ?? '',
        department: said.department || (person?.departments ?? ''),
        net_fen: net ? amountOf(cells[net]).fen : null,
      }
    }),
    page: { page, pagesize, total },
  }
})
