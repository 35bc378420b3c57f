/** What a slip says, and its seal: whoever shows, corrects, compares or adds up slips opens them here and nowhere else. */
import * as z from 'zod/mini'
import { cellKinds } from '../../contract/words/words.ts'
import type { RowCells } from '../../rules/amounts.ts'
import { documentKind } from '../../runtime/data/document.ts'
import type { Place, Vault } from '../../runtime/secrets.ts'

const fen = z.nullable(z.int())
const content = z.object({
  cells: z.record(
    z.string(),
    z.object({
      value: z.string(),
      kind: z.enum(cellKinds),
      fen: z.optional(z.int()),
      flaw: z.optional(z.enum(['damaged', 'uncached'])),
    }),
  ),
  net_fen: fen,
  gross_fen: fen,
  tax_fen: fen,
})
export type SlipContent = Readonly<Omit<z.infer<typeof content>, 'cells'>> & { readonly cells: RowCells }

/** A slip's row, as far as its content is opened by it. */
export type SealedSlip = { readonly id: string; readonly version: number; readonly cells: Buffer }

const kinds: ReadonlySet<unknown> = new Set(cellKinds)
const isFen = (value: unknown): boolean => value === null || Number.isSafeInteger(value)
/** Last month's ten thousand slips are opened for every check. */
type Fields = Readonly<Record<string, unknown>>
function isContent(value: Fields): value is Fields & SlipContent {
  const { cells, net_fen, gross_fen, tax_fen, ...more } = value
  if (!isFen(net_fen) || !isFen(gross_fen) || !isFen(tax_fen)) return false
  for (const _ in more) return false
  if (typeof cells !== 'object' || cells === null || Array.isArray(cells)) return false
  for (const cell of Object.values(cells)) {
    if (typeof cell !== 'object' || cell === null || typeof cell.value !== 'string' || !kinds.has(cell.kind)) return false
    if (cell.fen !== undefined && !Number.isSafeInteger(cell.fen)) return false
    if (cell.flaw !== undefined && cell.flaw !== 'damaged' && cell.flaw !== 'uncached') return false
    for (const field in cell) if (field !== 'value' && field !== 'kind' && field !== 'fen' && field !== 'flaw') return false
  }
  return true
}

export const slipContent = documentKind<SlipContent>({ kind: 'slip content', version: 1, schema: content, quick: isContent })

/** Each version of a slip has a place of its own: what one said is never read as another. */
const place = (id: string, version: number): Place => ({ table: 'salary', row: id, column: 'cells', version })

export const sealContent = (vault: Vault, id: string, version: number, value: SlipContent): Buffer =>
  slipContent.seal(vault, place(id, version), value)

export const openContent = (vault: Vault, { id, version, cells }: SealedSlip): SlipContent =>
  slipContent.open(vault, place(id, version), cells)
