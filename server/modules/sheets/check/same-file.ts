/** Detects earlier uploads of the same file, or of another file with the same value in every cell. */

import * as z from 'zod/mini'
import { defineDocument } from '../../../crypto/sealed-document.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import type { RowCells } from '../../../rules/amounts.ts'
import { type BatchRow, visibleBatches } from '../access.ts'
import { getBatchName } from '../names/sealed-names.ts'
import type { Totals } from '../rules/check/sheet-check.ts'
import type { SameFileMatch } from '../rules/check/sheet-issues.ts'

/** Maximum number of compared batches with the same header. */
const maxComparedBatches = 30

/** Totals that are stored encrypted with a checked batch. */
export type StoredTotals = Totals & { readonly content?: string | undefined }
const nullableFen = z.nullable(z.int())
const checkedTotalsDocument = defineDocument<StoredTotals>({
  kind: 'checked totals',
  version: 1,
  schema: z.object({
    people: z.int(),
    net_fen: nullableFen,
    gross_fen: nullableFen,
    tax_fen: nullableFen,
    content: z.optional(z.string()),
  }),
})
const getTotalsPosition = (batch_id: string) => ({ table: 'batch', row: batch_id, column: 'totals' })

/**
 * Checksum of all rows, independent of their order: a sum of 2 × 32 bits per row. It is stored encrypted and only
 * compared within the company, so speed matters more than resistance to forgery.
 */
export class ContentChecksum {
  #high = 0
  #low = 0

  /** Computes the contribution of one row. */
  static ofRow(cells: RowCells): readonly [number, number] {
    let high = 0x811c9dc5
    let low = 0x9747b28c
    for (const key in cells) {
      const text = `${key} ${cells[key]?.value}\n`
      for (let at = 0; at < text.length; at++) {
        const sign = text.charCodeAt(at)
        high = Math.imul(high ^ sign, 0x01000193)
        low = Math.imul(low + sign, 0x5bd1e995) ^ (low >>> 15)
      }
    }
    return [high, low]
  }
  add([high, low]: readonly [number, number]): void {
    this.#high = (this.#high + high) | 0
    this.#low = (this.#low + low) | 0
  }
  toString = (): string => `${(this.#high >>> 0).toString(16)}-${(this.#low >>> 0).toString(16)}`
}

/** Decrypts the totals of the last check, if there was one. */
export const decryptPeriodTotals = (
  { vault }: Pick<HandlerContext, 'vault'>,
  { id, totals }: { id: string; totals: Buffer | null },
): StoredTotals | null => totals && checkedTotalsDocument.open(vault, getTotalsPosition(id), totals)
export const sealTotals = (vault: HandlerContext['vault'], batch_id: string, totals: StoredTotals): Buffer =>
  checkedTotalsDocument.seal(vault, getTotalsPosition(batch_id), totals)

/** Finds another batch with the same file or content that was not withdrawn. */
export async function findSameFile(
  ctx: Pick<HandlerContext, 'db' | 'currentUser' | 'company_id' | 'vault'>,
  batch: BatchRow,
  content: string,
): Promise<SameFileMatch | null> {
  const { db, company_id, vault } = ctx
  const others = db
    .selectFrom('batch')
    .leftJoin('title', (join) => join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'))
    .select(['batch.id', 'batch.title_id', 'batch.file_name', 'batch.totals', 'title.name as title', 'title.month'])
    .where('batch.company_id', '=', company_id)
    .where('batch.id', '<>', batch.id)
    .where('batch.status', '<>', 'withdrawn')
    .where(visibleBatches(ctx))
    .orderBy('batch.created_at', 'desc')
  const toSameFile = (
    one: Parameters<typeof getBatchName>[1] & { month: string | null },
    by: SameFileMatch['by'],
  ): SameFileMatch => ({
    title: getBatchName(vault, one),
    month: one.month ?? '',
    by,
  })
  const file = await others.where('batch.file_hash', '=', batch.file_hash).limit(1).executeTakeFirst()
  if (file) return toSameFile(file, 'file')
  const sameHeader = await others.where('batch.fingerprint', '=', batch.fingerprint).limit(maxComparedBatches).execute()
  const same = sameHeader.find((one) => decryptPeriodTotals(ctx, one)?.content === content)
  return same ? toSameFile(same, 'content') : null
}
