/**
 * Whose slips have to be looked at before a plan is sent: where nothing earlier tells whose figures are whose, or last month does not tell
 * it. Few, and where a slip of rows or columns would show: a good sheet costs one look.
 */
import type { LookReason } from '../../../contract/arrange.ts'

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
  /** Department and position by the roster: who is paid unlike those who do the same is looked at. */
  readonly place: string
}
export type Look = { readonly row: number; readonly why: LookReason }

const most_looks = 3
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
    choose(unproven[0], 'unproven')
    choose(unproven.at(-1), 'unproven')
    choose(unproven[unproven.length >> 1], 'unproven')
    for (const one of [named[0], named.at(-1), named[named.length >> 1]]) choose(one, 'name_only')
    if (unproven.length === 0) return inOrder(chosen)
  } else {
    // One of each: a row that the roster knows otherwise, somebody whom only his name found. One place at least is left for the sheet's end.
    choose(
      rows.find((one) => one.differs),
      'differs',
    )
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
  return inOrder(chosen)
}

const inOrder = (chosen: ReadonlyMap<number, LookReason>): Look[] =>
  [...chosen].map(([row, why]) => ({ row, why })).toSorted((a, b) => a.row - b.row)

/** So many in one place at least say what is usual there. */
const least_place = 3

/**
 * Those whose net pay is farthest from what is usual in their place, by its ratio, the farthest first; where few are in a place, from what is
 * usual in the sheet.
 */
function unusual(rows: readonly LookRow[]): LookRow[] {
  const paid = rows.filter(({ net_fen }) => net_fen !== null && net_fen > 0)
  const middleOf = (some: readonly LookRow[]): number => some.map(logOf).toSorted((a, b) => a - b)[some.length >> 1] ?? 0
  const whole = middleOf(paid)
  const places = Map.groupBy(paid, ({ place }) => place)
  const far = new Map(
    [...places].flatMap(([place, some]) => {
      const usual = place !== '' && some.length >= least_place ? middleOf(some) : whole
      return some.map((row) => [row, Math.abs(logOf(row) - usual)] as const)
    }),
  )
  const unlike = [...far].toSorted((a, b) => b[1] - a[1]).map(([row]) => row)
  // Nothing at all is farther from what is usual than any pay.
  return [...rows.filter((row) => row.net_fen !== null && row.net_fen <= 0), ...unlike]
}
const logOf = ({ net_fen }: LookRow): number => Math.log(net_fen ?? 1)
