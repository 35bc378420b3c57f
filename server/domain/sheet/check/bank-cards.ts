/** Bank cards of a sheet, for the roster. */

import type { RowCells } from '../../../rules/amounts.ts'
import { looksLikeBankCard, normalBankCard } from '../../../rules/bank-card.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { type TakenCard, takeBankCards } from '../../member/index.ts'
import type { BatchRow } from '../access.ts'
import { rowsAt } from '../rows/stored-rows.ts'
import { a_statement } from '../rows/written-rows.ts'
import type { Understood } from '../understood.ts'

/** The bank card of a row as the roster keeps it; null where none can be read. */
export function cardIn(cells: RowCells, { columns }: Understood): string | null {
  const cell = cells[columns.find(({ role }) => role === 'bank_account')?.key ?? '']
  return cell && !cell.flaw && looksLikeBankCard(cell.value) ? normalBankCard(cell.value) : null
}

/** The roster takes the cards of these rows for their people; answers of how many. */
export async function takeCards(
  ctx: Ctx,
  batch: BatchRow,
  understood: Understood,
  rows: readonly { row: number; member_id: string }[],
): Promise<number> {
  const personAt = new Map(rows.map(({ row, member_id }) => [row, member_id]))
  const taken: TakenCard[] = []
  for (let from = 0; from < rows.length; from += a_statement)
    for (const { row, cells } of await rowsAt(
      ctx,
      batch.id,
      rows.slice(from, from + a_statement).map((one) => one.row),
    )) {
      const bank_account = cardIn(cells, understood)
      if (bank_account) taken.push({ member_id: personAt.get(row) ?? '', bank_account })
    }
  return takeBankCards(ctx, taken)
}
