/** What a slip says, and its seal: whoever shows, corrects, compares or adds up slips opens them here and nowhere else. */
import type { RowCells } from '../../rules/amounts.ts'
import type { Place, Vault } from '../../runtime/secrets.ts'

export type SlipContent = {
  readonly cells: RowCells
  readonly net_fen: number | null
  readonly gross_fen: number | null
  readonly tax_fen: number | null
}

/** A slip's row, as far as its content is opened by it. */
export type SealedSlip = { readonly id: string; readonly version: number; readonly cells: Buffer }

/** Each version has a place of its own: what one said is never read as another. */
const place = (id: string, version: number): Place => ({ table: 'salary', row: id, column: 'cells', version })

export const sealContent = (vault: Vault, id: string, version: number, content: SlipContent): Buffer =>
  vault.seal(place(id, version), content)

export const openContent = (vault: Vault, { id, version, cells }: SealedSlip): SlipContent =>
  vault.open<SlipContent>(place(id, version), cells)
