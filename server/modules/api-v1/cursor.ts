/**
 * Cursors of lists: opaque to programs. One holds the position of the last entry of a page in an order that never changes,
 * so that a walk neither misses nor repeats an entry that stays while others are added or removed.
 */
import { invalidInput } from '../../http/handler.ts'

const encode = (value: string): string => Buffer.from(value).toString('base64url')

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const idPattern = new RegExp(`^(${uuid})$`)
const batchPattern = new RegExp(`^(\\d{4}-\\d\\d-\\d\\dT[\\d:.]{8,12}\\+08:00) (${uuid})$`)
const issuePattern = /^(\d{1,7}):[a-z_]{1,40}:[\w.-]{0,40}$/

/** Returns the groups of the position after which the page begins; null for the first page. */
function parseCursor(cursor: string | undefined, pattern: RegExp): readonly string[] | null {
  if (cursor === undefined) return null
  const match = pattern.exec(Buffer.from(cursor, 'base64url').toString())
  if (!match) throw invalidInput('cursor', '翻页位置不正确，请从第一页重新开始')
  return match
}

/** A list in the order of its ids. */
export const parseIdCursor = (cursor: string | undefined): string | null => parseCursor(cursor, idPattern)?.[1] ?? null

export type BatchPosition = { readonly created_at: string; readonly batch_id: string }
/** Batches, newest first. */
export function parseBatchCursor(cursor: string | undefined): BatchPosition | null {
  const [, created_at, batch_id] = parseCursor(cursor, batchPattern) ?? []
  return created_at && batch_id ? { created_at, batch_id } : null
}
export const formatBatchPosition = ({ created_at, batch_id }: BatchPosition): string => `${created_at} ${batch_id}`

/** Issues in the order of their rows, then of their ids. */
export const parseIssueCursor = (cursor: string | undefined): string | null => parseCursor(cursor, issuePattern)?.[0] ?? null

/** A page; `rows` has one more than `limit` where there is another page. */
export function toPage<T>(rows: readonly T[], limit: number, getPosition: (row: T) => string) {
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  return { data, next_cursor: rows.length > limit && last ? encode(getPosition(last)) : null }
}
