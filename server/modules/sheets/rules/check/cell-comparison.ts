/** Compares cell values independently of their notation. */
import type { ColumnRole } from '../../../../contract/shared/schemas.ts'
import { isAnyName, isMobile } from '../../../../contract/sheets/column-roles.ts'
import { parseCellAmount, type RowCells } from '../../../../rules/amounts.ts'
import { parseMobile } from '../../../../rules/phone.ts'
import { normalizeText } from '../../../../rules/text.ts'
import { normalizeName, normalizeNumber } from './member-match.ts'

/** Whether two cells have the same value: amounts to the fen in any unit, other text without surrounding spaces. */
export function isSameCell(one: RowCells[string] | undefined, other: RowCells[string] | undefined): boolean {
  const [a, b] = [normalizeText(one?.value ?? ''), normalizeText(other?.value ?? '')]
  if (a === b) return one?.flaw === other?.flaw && (one?.fen === undefined || other?.fen === undefined || one.fen === other.fen)
  const [left, right] = [parseCellAmount(one), parseCellAmount(other)]
  return left.fen !== null && left.fen === right.fen
}

/** Normalizes an identity cell to one spelling. */
export function normalizeIdentityText(role: ColumnRole, cells: RowCells, key: string): string {
  const text = cells[key]?.value ?? ''
  if (isMobile(role)) return parseMobile(text) ?? normalizeText(text)
  return isAnyName(role) ? normalizeName(text) : normalizeNumber(text)
}

/** Hashes a cell to a number: two cells have the same number exactly if `isSameCell` holds. Text is hashed to 52 bits. */
export function hashCell(cell: RowCells[string] | undefined): number {
  const { fen } = parseCellAmount(cell)
  if (fen !== null) return fen
  const text = `${cell?.flaw ?? ''} ${normalizeText(cell?.value ?? '')}`
  let [high, low] = [0xdeadbeef, 0x41c6ce57]
  for (let at = 0; at < text.length; at++) {
    const charCode = text.charCodeAt(at)
    high = Math.imul(high ^ charCode, 2654435761)
    low = Math.imul(low ^ charCode, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  // Above every possible amount.
  return 1e12 + (high & 0xfffff) * 2 ** 32 + (low >>> 0)
}
