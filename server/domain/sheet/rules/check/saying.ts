/** What a cell says, whatever way it is written: the same in two sheets, or something else. */
import type { ColumnRole } from '../../../../contract/words/words.ts'
import { amountOf, type RowCells } from '../../../../rules/amounts.ts'
import { readMobile } from '../../../../rules/phone.ts'
import { tidy } from '../../../../rules/text.ts'
import { sameName, sameNumber } from './matching.ts'

/** Two texts that say the same: amounts to the fen, whatever unit they are counted in; all else without blanks at the ends. */
export function sameText(one: RowCells[string] | undefined, other: RowCells[string] | undefined): boolean {
  const [a, b] = [tidy(one?.value ?? ''), tidy(other?.value ?? '')]
  if (a === b) return one?.flaw === other?.flaw && (one?.fen === undefined || other?.fen === undefined || one.fen === other.fen)
  const [left, right] = [amountOf(one), amountOf(other)]
  return left.fen !== null && left.fen === right.fen
}

/** What a cell says about who the row is for, in one spelling. */
export function identityText(role: ColumnRole, cells: RowCells, key: string): string {
  const text = cells[key]?.value ?? ''
  if (role === 'mobile') return readMobile(text) ?? tidy(text)
  return role === 'name' || role === 'last_name' || role === 'first_name' ? sameName(text) : sameNumber(text)
}

/** What a cell says, as a number: two cells have the same exactly where they say the same (`sameText`). Texts are hashed to 52 bits. */
export function sayingOf(cell: RowCells[string] | undefined): number {
  const { fen } = amountOf(cell)
  if (fen !== null) return fen
  const text = `${cell?.flaw ?? ''} ${tidy(cell?.value ?? '')}`
  let [high, low] = [0xdeadbeef, 0x41c6ce57]
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    high = Math.imul(high ^ sign, 2654435761)
    low = Math.imul(low ^ sign, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  // Beyond every amount.
  return 1e12 + (high & 0xfffff) * 2 ** 32 + (low >>> 0)
}
