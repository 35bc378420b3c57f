/** Payslip content and its encryption. Every module that shows, corrects, compares or adds up payslips decrypts them here. */
import * as z from 'zod/mini'
import { cellKinds } from '../../contract/shared/schemas.ts'
import { defineDocument } from '../../crypto/sealed-document.ts'
import type { SealPosition, Vault } from '../../crypto/secrets.ts'
import type { RowCells } from '../../rules/amounts.ts'

const nullableFen = z.nullable(z.int())
const contentSchema = z.object({
  cells: z.record(
    z.string(),
    z.object({
      value: z.string(),
      kind: z.enum(cellKinds),
      fen: z.optional(z.int()),
      flaw: z.optional(z.enum(['damaged', 'uncached'])),
    }),
  ),
  net_fen: nullableFen,
  gross_fen: nullableFen,
  tax_fen: nullableFen,
})
export type PayslipContent = Readonly<Omit<z.infer<typeof contentSchema>, 'cells'>> & { readonly cells: RowCells }

/** The columns of a payslip row needed to decrypt its content. */
export type SealedPayslip = { readonly id: string; readonly version: number; readonly cells: Buffer }

const cellKindSet: ReadonlySet<unknown> = new Set(cellKinds)
const isFen = (value: unknown): boolean => value === null || Number.isSafeInteger(value)
/**
 * The content is checked by type guards instead of zod for speed, because every check opens last month's ten thousand
 * payslips.
 */
type Fields = Readonly<Record<string, unknown>>
function isPayslipContent(value: Fields): value is Fields & PayslipContent {
  const { cells, net_fen, gross_fen, tax_fen, ...extraFields } = value
  if (!isFen(net_fen) || !isFen(gross_fen) || !isFen(tax_fen)) return false
  for (const _ in extraFields) return false
  if (typeof cells !== 'object' || cells === null || Array.isArray(cells)) return false
  for (const cell of Object.values(cells)) {
    if (typeof cell !== 'object' || cell === null || typeof cell.value !== 'string' || !cellKindSet.has(cell.kind)) return false
    if (cell.fen !== undefined && !Number.isSafeInteger(cell.fen)) return false
    if (cell.flaw !== undefined && cell.flaw !== 'damaged' && cell.flaw !== 'uncached') return false
    for (const field in cell) if (field !== 'value' && field !== 'kind' && field !== 'fen' && field !== 'flaw') return false
  }
  return true
}

export const payslipContentDocument = defineDocument<PayslipContent>({
  kind: 'payslip content',
  version: 1,
  schema: contentSchema,
  fastCheck: isPayslipContent,
})

/** Each version of a payslip has its own position, so that the content of one version can never be read as another. */
const getContentPosition = (id: string, version: number): SealPosition => ({
  table: 'payslip',
  row: id,
  column: 'cells',
  version,
})

export const sealPayslipContent = (vault: Vault, id: string, version: number, value: PayslipContent): Buffer =>
  payslipContentDocument.seal(vault, getContentPosition(id, version), value)

export const openPayslipContent = (vault: Vault, { id, version, cells }: SealedPayslip): PayslipContent =>
  payslipContentDocument.open(vault, getContentPosition(id, version), cells)
