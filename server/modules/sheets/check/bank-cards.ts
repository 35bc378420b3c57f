/** Transfers bank cards from a wage sheet to the roster. */

import { isBankAccount } from '../../../contract/sheets/column-roles.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import type { RowCells } from '../../../rules/amounts.ts'
import { isLikelyBankCard, normalizeBankCard } from '../../../rules/bank-card.ts'
import { type MemberBankCard, saveMemberBankCards } from '../../directory/index.ts'
import type { BatchRow } from '../access.ts'
import type { RecognizedSheet } from '../recognition.ts'
import { getCombinedRows } from '../rows/stored-rows.ts'
import { rowsPerStatement } from '../rows/written-rows.ts'

/** Returns the bank card of a row in the roster's format; null where none can be read. */
export function readBankCard(cells: RowCells, { columns }: RecognizedSheet): string | null {
  const cell = cells[columns.find(({ role }) => isBankAccount(role))?.key ?? '']
  return cell && !cell.flaw && isLikelyBankCard(cell.value) ? normalizeBankCard(cell.value) : null
}

/** Saves the bank cards of these rows in the roster and returns how many were saved. */
export async function saveBankCards(
  ctx: HandlerContext,
  batch: BatchRow,
  recognition: RecognizedSheet,
  rows: readonly { row: number; member_id: string }[],
): Promise<number> {
  const memberIdByRow = new Map(rows.map(({ row, member_id }) => [row, member_id]))
  const cards: MemberBankCard[] = []
  for (let from = 0; from < rows.length; from += rowsPerStatement)
    for (const { row, cells } of await getCombinedRows(
      ctx,
      batch.id,
      rows.slice(from, from + rowsPerStatement).map((one) => one.row),
    )) {
      const bank_account = readBankCard(cells, recognition)
      if (bank_account) cards.push({ member_id: memberIdByRow.get(row) ?? '', bank_account })
    }
  return saveMemberBankCards(ctx, cards)
}
