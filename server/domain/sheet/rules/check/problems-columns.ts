/** Beside earlier months: whole columns that moved under another label or are in another unit, and single amounts that are out of the usual. */

import { formatFen } from '../../../../contract/words/money.ts'
import type { ColumnRole } from '../../../../contract/words/words.ts'
import { type InTurns, Turn } from '../../../../rules/turns.ts'
import type { Comparison } from '../months/comparison.ts'
import { type BesideLast, coarsely, type Found, type Present, unseen_note } from './beside-last.ts'
import { median, whole } from './history.ts'

/** Rows looked at: spread over the sheet. */
const looked_at = 400

export function* columnProblems(beside: BesideLast): InTurns<{ found: Found[]; places: Set<number> }> {
  const paid = beside.rows.flatMap((row, at) => (!row.skipped && row.member_id && beside.last.has(row.member_id) ? [at] : []))
  const step = Math.max(1, Math.ceil(paid.length / looked_at))
  const sample = paid.filter((_, at) => at % step === 0)
  const moved = yield* movedColumns(beside, sample)
  const scaled = scaledColumns(
    beside,
    sample,
    beside.places.map((_, place) => place).filter((place) => !moved.places.has(place)),
  )
  const found = [...moved.found, ...scaled.found]
  if (found.length === 0 && !beside.isUnseen && (yield* isUnchanged(beside, paid)))
    found.push({
      ...ofSheet(null),
      level: 'warning',
      kind: 'unchanged',
      message: `${paid.length} 个人的每一项金额都与上次完全相同，可能误传了上次的表；请确认`,
    })
  return { found, places: new Set([...moved.places, ...scaled.places]) }
}

const ofSheet = (column: string | null) => ({ row: 0, name: '', column, fix: ['accept'] as const })

const names: Readonly<Record<string, string>> = { [whole.net]: '实发', [whole.gross]: '应发' }

function* movedColumns(beside: BesideLast, sample: readonly number[]): InTurns<{ found: Found[]; places: Set<number> }> {
  const found: Found[] = []
  const places = new Set<number>()
  const turn = new Turn()
  const people = beside.last.people()
  const before = sample.map((row) => people.get(beside.rows[row]?.member_id ?? ''))
  /** How many rows hold in `place` what their person had last month in the item, of those with an amount now. */
  const agreeing = (place: number, last: number) => {
    const same: number[] = []
    let of = 0
    for (const [at, row] of sample.entries()) {
      const now = beside.rows[row]?.now[place] ?? 0
      if (now === 0) continue
      of += 1
      const was = last < 0 ? 0 : (before[at]?.[last] ?? 0)
      if (beside.isUnseen ? beside.shown(now) === beside.shown(was) : now === was) same.push(row)
    }
    return { same, of }
  }
  const keepsIts = beside.places.map(({ last }, place) => {
    if (last < 0) return false
    const { same, of } = agreeing(place, last)
    return same.length * 2 > of
  })
  const itemNames = beside.last.items()
  for (const [place, { key, label, last }] of beside.places.entries()) {
    if (last < 0) continue
    const own = agreeing(place, last)
    if (own.of < 3 || own.same.length * 5 > own.of) continue
    for (const [other, item] of itemNames.entries()) {
      if (other === last || item === whole.tax || item === whole.special) continue
      const at = beside.places.findIndex((one) => one.last === other)
      if (at >= 0 && keepsIts[at]) continue
      if (turn.isOver(sample.length * 4)) yield
      const { same } = agreeing(place, other)
      const values = new Set(same.map((row) => beside.now(row, place)))
      if (same.length < 3 || same.length * 10 < own.of * 7 || values.size < 2) continue
      places.add(place)
      const gone = beside.isUnseen ? '别的列' : (names[item] ?? item.split('/').at(-1))
      const whose = at >= 0 ? beside.places[at]?.label : gone
      found.push({
        ...ofSheet(key),
        level: 'error',
        kind: 'column_moved',
        message: `「${label}」这一列里是上次「${whose}」的数（${own.of} 人中有 ${same.length} 人相同），可能整列放错了位置；请核对表头和内容，确认无误才接受`,
      })
      break
    }
  }
  return { found, places }
}

const units: ReadonlyMap<number, string> = new Map([
  [1, '10 倍'],
  [2, '100 倍（元与分）'],
  [3, '1,000 倍（元与千元）'],
  [4, '10,000 倍（元与万元）'],
])

function scaledColumns(
  beside: BesideLast,
  sample: readonly number[],
  candidates: readonly number[],
): { found: Found[]; places: Set<number> } {
  const byPower = new Map<number, number[]>()
  for (const place of candidates) {
    const ratios = sample.flatMap((row) => {
      const was = beside.was(row, place) ?? 0
      const now = beside.now(row, place)
      return was !== 0 && now !== 0 ? [now / was] : []
    })
    if (ratios.length < 3) continue
    const middle = median(ratios)
    if (middle <= 0) continue
    const power = Math.round(Math.log10(middle))
    const unit = 10 ** power
    if (!units.has(Math.abs(power)) || middle < unit * 0.8 || middle > unit * 1.25) continue
    const near = ratios.filter((ratio) => ratio > unit / 2 && ratio < unit * 2).length
    if (near * 5 >= ratios.length * 4) byPower.set(power, [...(byPower.get(power) ?? []), place])
  }
  const places = new Set([...byPower.values()].flat())
  const found = [...byPower].map(([power, of]): Found => {
    const shown = of.toSorted((a, b) => Number(beside.places[b]?.role === 'net') - Number(beside.places[a]?.role === 'net'))
    const labels = shown.map((place) => `「${beside.places[place]?.label}」`)
    const what = labels.slice(0, 3).join('') + (labels.length > 3 ? `等 ${labels.length} 列` : '')
    const by = power > 0 ? `是上次的 ${units.get(power)}` : `只有上次的 1/${(10 ** -power).toLocaleString('en')}`
    return {
      ...ofSheet(beside.places[shown[0] ?? 0]?.key ?? null),
      // Ten times a small bonus may be meant; a hundred times is another unit.
      level: Math.abs(power) === 1 ? 'warning' : 'error',
      kind: 'scale_changed',
      message: `${what}几乎每个人都${by}，金额单位可能变了；请核对，确认无误才接受`,
    }
  })
  return { found, places }
}

/** The same people, and not one figure that differs. */
function* isUnchanged(beside: BesideLast, paid: readonly number[]): InTurns<boolean> {
  const counting = beside.rows.filter(({ skipped }) => !skipped)
  if (paid.length < 2 || counting.length !== paid.length || beside.last.people().size !== paid.length) return false
  const compared = beside.places.flatMap(({ last }, place) => (last < 0 ? [] : [place]))
  if (compared.length === 0 || compared.length !== beside.places.length) return false
  const turn = new Turn()
  for (const row of paid) {
    if (turn.isOver(compared.length * 2)) yield
    if (!compared.every((place) => beside.now(row, place) === beside.was(row, place))) return false
  }
  return true
}

/*
 * One person beside his own earlier months. First everybody beside the last run; only for those who stand out are more months read,
 * and then the middle of them decides, so that a bonus last month does not make this month look poor.
 */

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
/** Of a column, and of how many people it says something. */
export type Suspected = { readonly found: readonly Suspect[]; readonly known: number }

/** What is worth reading more months for. A column in which many stand out has its season, or another rule now. `comparison`: what is kept of this sheet. */
export function* suspects(
  beside: BesideLast,
  rows: ReadonlySet<number>,
  places: ReadonlySet<number>,
  comparison: Comparison,
): InTurns<Suspect[]> {
  const all: Suspect[] = []
  const turn = new Turn()
  const people = beside.last.people()
  const told = comparison.list('told of last month', rows)
  const { like } = comparison
  const columnAt = new Map(like?.placeOf.map((place, column) => [place, column]))
  let lasts: (Float64Array | undefined)[] | null = null
  for (const [place, { role, last }] of beside.places.entries()) {
    if (last < 0 || places.has(place) || (!own.has(role) && role !== 'net')) continue
    if (beside.isUnseen && role !== 'net') continue
    const state = like?.state[columnAt.get(place) ?? -1]
    const { found, known } = yield* comparison.suspected.inTurns(place, [state ?? {}, told], function* () {
      lasts ??= beside.rows.map((row, at) =>
        row.member_id === null || row.skipped || rows.has(at) ? undefined : people.get(row.member_id),
      )
      if (turn.isOver(lasts.length * 2)) yield
      return suspectsIn(beside, place, lasts)
    })
    if (role === 'net' || found.length <= Math.max(3, known * 0.3)) all.push(...found)
  }
  return all
}

function suspectsIn(beside: BesideLast, place: number, lasts: readonly (Float64Array | undefined)[]): Suspected {
  const { role, last } = beside.places[place] ?? { role: 'ignore', last: -1 }
  const found: Suspect[] = []
  let known = 0
  for (let at = 0; at < lasts.length; at++) {
    const own = lasts[at]?.[last] ?? 0
    const row = own === 0 ? undefined : beside.rows[at]
    if (!row || row.unread.includes(place)) continue
    const was = beside.shown(own)
    known += 1
    const now = row.now[place] ?? 0
    if (
      role === 'net'
        ? isNetFar(now, beside.isUnseen ? coarsely(was) : was)
        : Math.abs(now - was) > Math.max(500 * yuan, Math.abs(was) / 2)
    )
      found.push({ at, place })
  }
  return { found, known }
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
