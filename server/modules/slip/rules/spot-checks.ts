/**
 * Whose slips have to be looked at before a plan is sent: where nothing earlier tells whose figures are whose, or last month does not tell
 * it. Few, and where a slip of rows or columns would show: a good sheet costs one look. Of a small sheet everybody, for of two who changed places
 * nothing but a look at both may tell.
 */
import type { SpotCheckReason } from '../../../contract/sheets/layout.ts'

export type SpotCheckRow = {
  readonly row: number
  readonly net_fen: number | null
  /** Whether this person was paid in the run that this one is compared with. */
  readonly wasPaidBefore: boolean
  /** The figures beside last month do not tell whether they are this person's. */
  readonly isUnproven: boolean
  /** Found by the name alone, and nothing else says that it is he. */
  readonly matchedByNameOnly: boolean
  /** The roster has another department, position or day of entry. */
  readonly differsFromRoster: boolean
  /** Another row has what is his, as he has what is the other's, by the roster or by last month's figures: 1 is the likeliest, 0 says nothing. */
  readonly swapRank: number
  /** What he does by the roster, the closest first (`财务部/会计`, `会计`, `财务部`): who is paid unlike those who do the same is looked at. */
  readonly positions: readonly string[]
}
export type SpotCheck = { readonly row: number; readonly reason: SpotCheckReason }

const maxSpotChecks = 3
/** Where nothing earlier speaks for a sheet of so many people at most, everybody's name and net pay is looked at. */
export const maxRowsToCheckAll = 30
/** Where at least this part was paid in the run before, that run speaks for the sheet. */
const minComparedShare = 0.5

/** In the order of the sheet; empty where nobody needs to look. */
export function selectSpotChecks(rows: readonly SpotCheckRow[]): SpotCheck[] {
  const unproven = rows.filter((one) => one.isUnproven)
  const isCompared = rows.filter(({ wasPaidBefore }) => wasPaidBefore).length >= rows.length * minComparedShare
  const matchedByName = rows.filter((one) => one.matchedByNameOnly)
  if (isCompared && unproven.length === 0 && matchedByName.length === 0) return []
  const selected = new Map<number, SpotCheckReason>()
  const select = (row: SpotCheckRow | undefined, reason: SpotCheckReason) => {
    if (row && selected.size < maxSpotChecks && !selected.has(row.row)) selected.set(row.row, reason)
  }
  if (isCompared) {
    // Of two who changed places both are seen, whatever else is far off.
    const exchanged = unproven.filter((one) => one.swapRank > 0).toSorted((a, b) => a.swapRank - b.swapRank)
    for (const one of exchanged) select(one, 'unproven')
    select(unproven[0], 'unproven')
    select(unproven.at(-1), 'unproven')
    select(unproven[unproven.length >> 1], 'unproven')
    for (const one of [matchedByName[0], matchedByName.at(-1), matchedByName[matchedByName.length >> 1]]) select(one, 'name_only')
    if (unproven.length === 0) return sortByRow(selected)
  } else {
    // One of each: a row that the roster knows otherwise, somebody whom only his name found. One place at least is left for the sheet's end.
    select(rows.find((one) => one.swapRank > 0) ?? rows.find((one) => one.differsFromRoster), 'differs')
    select(
      matchedByName.find((one) => !one.differsFromRoster),
      'name_only',
    )
  }
  // The last row shows whatever slipped above it; behind a gap a row was left out, or put in.
  select(rows.at(-1), 'last')
  const [mostUnusual, next] = rankUnusual(rows)
  select(mostUnusual, 'unusual')
  select(
    rows.find(({ row }, at) => at > 0 && row - (rows[at - 1]?.row ?? row) > 1),
    'gap',
  )
  // Of two who changed places both are paid unlike their colleagues.
  select(next, 'unusual')
  select(rows[0], 'first')
  select(rows[rows.length >> 1], 'middle')
  if (!isCompared && rows.length <= maxRowsToCheckAll)
    return rows.map(({ row }) => ({ row, reason: selected.get(row) ?? 'everybody' })).toSorted((a, b) => a.row - b.row)
  return sortByRow(selected)
}

const sortByRow = (selected: ReadonlyMap<number, SpotCheckReason>): SpotCheck[] =>
  [...selected].map(([row, reason]) => ({ row, reason: reason })).toSorted((a, b) => a.row - b.row)

/** So many in one place at least say what is usual there. */
const minPositionSize = 3
/** Places of which those paid most and least are held beside each other. */
const maxPositions = 200

type RankedRow = { readonly row: SpotCheckRow; readonly logPay: number; readonly typicalLogPay: number }

/**
 * Whose net pay is farthest from what is usual where he is, by its ratio; then of two who had rather be paid like each other (somebody paid much
 * where little is usual, somebody paid little where much is) the one who is farther off, and the other one; then the next farthest.
 */
function rankUnusual(rows: readonly SpotCheckRow[]): SpotCheckRow[] {
  const paid = rows.filter(({ net_fen }) => net_fen !== null && net_fen > 0)
  const getMedianLogPay = (group: readonly SpotCheckRow[]): number =>
    group.map(getLogPay).toSorted((a, b) => a - b)[group.length >> 1] ?? 0
  const rowsByPosition = new Map<string, SpotCheckRow[]>()
  for (const row of paid)
    for (const position of new Set(row.positions)) {
      const positionRows = rowsByPosition.get(position)
      if (positionRows) positionRows.push(row)
      else rowsByPosition.set(position, [row])
    }
  const medianByPosition = new Map(
    [...rowsByPosition].flatMap(([position, group]) =>
      group.length >= minPositionSize ? [[position, getMedianLogPay(group)]] : [],
    ),
  )
  const overallMedian = getMedianLogPay(paid)
  const rankedRows = paid.map((row): RankedRow => {
    const position = row.positions.find((one) => medianByPosition.has(one))
    return {
      row,
      logPay: getLogPay(row),
      typicalLogPay: position === undefined ? overallMedian : (medianByPosition.get(position) ?? overallMedian),
    }
  })
  const byDeviation = rankedRows.toSorted((a, b) => getDeviation(b) - getDeviation(a))
  const [first, ...others] = byDeviation
  const swapPair = findLikelySwap(rankedRows).toSorted((a, b) => getDeviation(b) - getDeviation(a))
  // Nothing at all is farther from what is usual than any pay.
  const unpaidRows = rows.filter((row) => row.net_fen !== null && row.net_fen <= 0)
  return [...unpaidRows, ...new Set([...(first ? [first] : []), ...swapPair, ...others].map(({ row }) => row))]
}
const getDeviation = ({ logPay, typicalLogPay }: RankedRow): number => Math.abs(logPay - typicalLogPay)
const getLogPay = ({ net_fen }: SpotCheckRow): number => Math.log(net_fen ?? 1)

/** The two of whom the sheet would gain most if each were paid as the other is; none where those who should get more get more. */
function findLikelySwap(rankedRows: readonly RankedRow[]): RankedRow[] {
  const byTypicalPay = Map.groupBy(rankedRows, ({ typicalLogPay }) => typicalLogPay)
  const sortedGroups = [...byTypicalPay.values()].map((group) => group.toSorted((a, b) => b.logPay - a.logPay))
  const highestPaid = sortedGroups
    .flatMap((group) => group[0] ?? [])
    .toSorted((a, b) => b.logPay - b.typicalLogPay - (a.logPay - a.typicalLogPay))
  const lowestPaid = sortedGroups
    .flatMap((group) => group.at(-1) ?? [])
    .toSorted((a, b) => a.logPay - a.typicalLogPay - (b.logPay - b.typicalLogPay))
  let bestPair: RankedRow[] = []
  let bestGain = 0
  for (const one of highestPaid.slice(0, maxPositions))
    for (const other of lowestPaid.slice(0, maxPositions)) {
      const gain = (one.logPay - other.logPay) * (other.typicalLogPay - one.typicalLogPay)
      if (one.logPay <= other.logPay || gain <= bestGain) continue
      bestPair = [one, other]
      bestGain = gain
    }
  return bestPair
}
