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
  choose(mostUnusual(rows), 'unusual')
  choose(
    rows.find(({ row }, at) => at > 0 && row - (rows[at - 1]?.row ?? row) > 1),
    'gap',
  )
  choose(rows[0], 'first')
  choose(rows[rows.length >> 1], 'middle')
  return inOrder(chosen)
}

const inOrder = (chosen: ReadonlyMap<number, LookReason>): Look[] =>
  [...chosen].map(([row, why]) => ({ row, why })).toSorted((a, b) => a.row - b.row)

/** Farthest from the middle net pay: a person one knows what to expect of. */
function mostUnusual(rows: readonly LookRow[]): LookRow | undefined {
  const paid = rows.filter(({ net_fen }) => net_fen !== null).toSorted((a, b) => (a.net_fen ?? 0) - (b.net_fen ?? 0))
  const middle = paid[paid.length >> 1]?.net_fen ?? 0
  const far = ({ net_fen }: LookRow): number => Math.abs((net_fen ?? 0) - middle)
  return paid.reduce<LookRow | undefined>((most, one) => (most && far(most) >= far(one) ? most : one), undefined)
}
