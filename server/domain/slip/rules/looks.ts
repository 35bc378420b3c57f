/**
 * Whose slips have to be looked at before a plan is sent: where nothing earlier tells whose figures are whose, or last month does not tell
 * it. Few, and where a slip of rows or columns would show: a good sheet costs one look. Of a small sheet everybody, for of two who changed places
 * nothing but a look at both may tell.
 */
import type { LookReason } from '../../../contract/sheet/arrange.ts'

export type LookRow = {
  readonly row: number
  readonly net_fen: number | null
  /** Whether this person was paid in the run that this one is compared with. */
  readonly known: boolean
  /** The figures beside last month do not tell whether they are this person's. */
  readonly unproven: boolean
  /** Found by the name alone, and nothing else says that it is he. */
  readonly name_only: boolean
  /** The roster has another department, position or day of entry. */
  readonly differs: boolean
  /** Another row has what is his, as he has what is the other's, by the roster or by last month's figures: 1 is the likeliest, 0 says nothing. */
  readonly exchanged: number
  /** What he does by the roster, the closest first (`财务部/会计`, `会计`, `财务部`): who is paid unlike those who do the same is looked at. */
  readonly places: readonly string[]
}
export type Look = { readonly row: number; readonly why: LookReason }

const most_looks = 3
/** Where nothing earlier speaks for a sheet of so many people at most, everybody's name and net pay is looked at. */
export const everybody_up_to = 30
/** Where at least this part was paid in the run before, that run speaks for the sheet. */
const known_share = 0.5

/** In the order of the sheet; empty where nobody needs to look. */
export function looksOf(rows: readonly LookRow[]): Look[] {
  const unproven = rows.filter((one) => one.unproven)
  const isCompared = rows.filter(({ known }) => known).length >= rows.length * known_share
  const named = rows.filter((one) => one.name_only)
  if (isCompared && unproven.length === 0 && named.length === 0) return []
  const chosen = new Map<number, LookReason>()
  const choose = (row: LookRow | undefined, why: LookReason) => {
    if (row && chosen.size < most_looks && !chosen.has(row.row)) chosen.set(row.row, why)
  }
  if (isCompared) {
    // Of two who changed places both are seen, whatever else is far off.
    const exchanged = unproven.filter((one) => one.exchanged > 0).toSorted((a, b) => a.exchanged - b.exchanged)
    for (const one of exchanged) choose(one, 'unproven')
    choose(unproven[0], 'unproven')
    choose(unproven.at(-1), 'unproven')
    choose(unproven[unproven.length >> 1], 'unproven')
    for (const one of [named[0], named.at(-1), named[named.length >> 1]]) choose(one, 'name_only')
    if (unproven.length === 0) return inOrder(chosen)
  } else {
    // One of each: a row that the roster knows otherwise, somebody whom only his name found. One place at least is left for the sheet's end.
    choose(rows.find((one) => one.exchanged > 0) ?? rows.find((one) => one.differs), 'differs')
    choose(
      named.find((one) => !one.differs),
      'name_only',
    )
  }
  // The last row shows whatever slipped above it; behind a gap a row was left out, or put in.
  choose(rows.at(-1), 'last')
  const [most, next] = unusual(rows)
  choose(most, 'unusual')
  choose(
    rows.find(({ row }, at) => at > 0 && row - (rows[at - 1]?.row ?? row) > 1),
    'gap',
  )
  // Of two who changed places both are paid unlike their colleagues.
  choose(next, 'unusual')
  choose(rows[0], 'first')
  choose(rows[rows.length >> 1], 'middle')
  if (!isCompared && rows.length <= everybody_up_to)
    return rows.map(({ row }) => ({ row, why: chosen.get(row) ?? 'everybody' })).toSorted((a, b) => a.row - b.row)
  return inOrder(chosen)
}

const inOrder = (chosen: ReadonlyMap<number, LookReason>): Look[] =>
  [...chosen].map(([row, why]) => ({ row, why })).toSorted((a, b) => a.row - b.row)

/** So many in one place at least say what is usual there. */
const least_place = 3
/** Places of which those paid most and least are held beside each other. */
const most_places = 200

type Paid = { readonly row: LookRow; readonly log: number; readonly usual: number }

/**
 * Whose net pay is farthest from what is usual where he is, by its ratio; then of two who had rather be paid like each other (somebody paid much
 * where little is usual, somebody paid little where much is) the one who is farther off, and the other one; then the next farthest.
 */
function unusual(rows: readonly LookRow[]): LookRow[] {
  const paid = rows.filter(({ net_fen }) => net_fen !== null && net_fen > 0)
  const middleOf = (some: readonly LookRow[]): number => some.map(logOf).toSorted((a, b) => a - b)[some.length >> 1] ?? 0
  const inPlaces = new Map<string, LookRow[]>()
  for (const row of paid)
    for (const place of new Set(row.places)) {
      const there = inPlaces.get(place)
      if (there) there.push(row)
      else inPlaces.set(place, [row])
    }
  const usualIn = new Map([...inPlaces].flatMap(([place, some]) => (some.length >= least_place ? [[place, middleOf(some)]] : [])))
  const whole = middleOf(paid)
  const all = paid.map((row): Paid => {
    const place = row.places.find((one) => usualIn.has(one))
    return { row, log: logOf(row), usual: place === undefined ? whole : (usualIn.get(place) ?? whole) }
  })
  const far = all.toSorted((a, b) => offOf(b) - offOf(a))
  const [first, ...others] = far
  const two = rather(all).toSorted((a, b) => offOf(b) - offOf(a))
  // Nothing at all is farther from what is usual than any pay.
  const nothing = rows.filter((row) => row.net_fen !== null && row.net_fen <= 0)
  return [...nothing, ...new Set([...(first ? [first] : []), ...two, ...others].map(({ row }) => row))]
}
const offOf = ({ log, usual }: Paid): number => Math.abs(log - usual)
const logOf = ({ net_fen }: LookRow): number => Math.log(net_fen ?? 1)

/** The two of whom the sheet would gain most if each were paid as the other is; none where those who should get more get more. */
function rather(all: readonly Paid[]): Paid[] {
  const byUsual = Map.groupBy(all, ({ usual }) => usual)
  const ends = [...byUsual.values()].map((some) => some.toSorted((a, b) => b.log - a.log))
  const most = ends.flatMap((some) => some[0] ?? []).toSorted((a, b) => b.log - b.usual - (a.log - a.usual))
  const least = ends.flatMap((some) => some.at(-1) ?? []).toSorted((a, b) => a.log - a.usual - (b.log - b.usual))
  let found: Paid[] = []
  let gained = 0
  for (const one of most.slice(0, most_places))
    for (const other of least.slice(0, most_places)) {
      const gain = (one.log - other.log) * (other.usual - one.usual)
      if (one.log <= other.log || gain <= gained) continue
      found = [one, other]
      gained = gain
    }
  return found
}
