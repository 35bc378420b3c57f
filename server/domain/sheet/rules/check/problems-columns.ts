/** Whole columns beside last month: moved under another label, in another unit, or nothing changed at all. */

import { type InTurns, Turn } from '../turns.ts'
import type { BesideLast, Found } from './beside-last.ts'
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
  const was = (row: number, last: number) => beside.ofItem(beside.rows[row]?.member_id ?? '', last) ?? 0
  /** How many rows hold in `place` what their person had last month in the item, of those with an amount now. */
  const agreeing = (place: number, last: number) => {
    const filled = sample.filter((row) => beside.now(row, place) !== 0)
    return { same: filled.filter((row) => beside.now(row, place) === was(row, last)), of: filled.length }
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
