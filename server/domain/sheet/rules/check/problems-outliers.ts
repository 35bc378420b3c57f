/**
 * One person beside his own earlier months. First everybody beside the last run; only for those who stand out are more months read,
 * and then the middle of them decides, so that a bonus last month does not make this month look poor.
 */
import { formatFen } from '../../../../contract/money.ts'
import type { ColumnRole } from '../../../../contract/words.ts'
import { type InTurns, Turn } from '../turns.ts'
import { type BesideLast, coarsely, type Found, type Present, unseen_note } from './beside-last.ts'
import { median, whole } from './history.ts'

/** Sums follow from their items, and taxes have a rule of their own. */
const own: ReadonlySet<ColumnRole> = new Set(['earning', 'deduction', 'employer'])
const yuan = 100

/** An item is far from what it was where it is far from the middle: the fewer months are known, and the more they vary, the farther. */
export function isFar(now: number, before: readonly number[]): boolean {
  const middle = median(before)
  // What somebody never had before is no outlier of his own: the net pay says so if it is much.
  if (middle === 0) return false
  const spread = Math.max(...before.map((fen) => Math.abs(fen - middle)))
  const size = Math.abs(middle)
  const away = Math.abs(now - middle)
  if (before.length === 1) return away > Math.max(1_000 * yuan, size * 4)
  if (before.length >= 3 && spread === 0) return away > Math.max(500 * yuan, size / 2)
  return away > Math.max(500 * yuan, size * (before.length === 2 ? 2 : 1), spread * 3)
}

/** Half more or half less, or worse. */
export const isNetFar = (now: number, before: number): boolean => before > 0 && Math.abs(now - before) * 2 > before

export type Suspect = { readonly at: number; readonly place: number }

/** What is worth reading more months for. A column in which many stand out has its season, or another rule now. */
export function* suspects(beside: BesideLast, rows: ReadonlySet<number>, places: ReadonlySet<number>): InTurns<Suspect[]> {
  const all: Suspect[] = []
  const turn = new Turn()
  for (const [place, { role, last }] of beside.places.entries()) {
    if (last < 0 || places.has(place) || (!own.has(role) && role !== 'net')) continue
    if (beside.isUnseen && role !== 'net') continue
    const found: Suspect[] = []
    let known = 0
    for (const [at, row] of beside.rows.entries()) {
      if (turn.isOver(2)) yield
      const was = beside.was(at, place)
      if (row.skipped || rows.has(at) || row.unread.includes(place) || was === undefined || was === 0) continue
      known += 1
      const now = row.now[place] ?? 0
      if (
        role === 'net'
          ? isNetFar(now, beside.isUnseen ? coarsely(was) : was)
          : Math.abs(now - was) > Math.max(500 * yuan, Math.abs(was) / 2)
      )
        found.push({ at, place })
    }
    if (role === 'net' || found.length <= Math.max(3, known * 0.3)) all.push(...found)
  }
  return all
}

/** `earlier`: what a person got for an item in the months before the last run. */
export function outliers(
  beside: BesideLast,
  suspected: readonly Suspect[],
  earlier: (member_id: string, item: string) => readonly number[],
): Found[] {
  return suspected.flatMap(({ at, place }): Found[] => {
    const row = beside.rows[at]
    const column = beside.places[place]
    const was = beside.was(at, place)
    if (!row?.member_id || !column || was === undefined) return []
    const now = row.now[place] ?? 0
    if (beside.isUnseen) return unseenNet(row, column.key, now, was)
    const isNet = column.role === 'net'
    const before = [was, ...earlier(row.member_id, isNet ? whole.net : column.item)]
    const middle = median(before)
    if (isNet ? !isNetFar(now, middle) : !isFar(now, before)) return []
    const usual = before.length === 1 ? '' : `，此前 ${before.length} 个月通常在 ${formatFen(middle)} 左右`
    const message = isNet
      ? `实发 ${formatFen(now)}，上次 ${formatFen(was)}${usual}，相差超过一半，请确认`
      : `「${column.label}」${formatFen(now)}，上次 ${formatFen(was)}${usual}，相差很大，请确认是否多写或漏写了数字`
    const fix = ['accept', 'edit', 'skip'] as const
    return [
      {
        row: row.row,
        name: row.name,
        column: column.key,
        level: 'warning',
        kind: isNet ? 'net_outlier' : 'item_outlier',
        message,
        fix,
      },
    ]
  })
}

/** Of a run that whoever checks may not see: neither the amount nor a threshold that would tell it. */
function unseenNet({ row, name }: Present, column: string, now: number, was: number): Found[] {
  if (!isNetFar(now, coarsely(was))) return []
  const message = `实发 ${formatFen(now)}，与此人此前在公司的实发相差很大，请确认${unseen_note}`
  return [{ row, name, column, level: 'warning', kind: 'net_outlier', message, fix: ['accept', 'edit', 'skip'] }]
}
