/**
 * Selects the payslips to be spot-checked before a plan is sent, where no earlier batch confirms the rows' owners or
 * the comparison with last month does not. It selects a few at positions where shifted rows or columns would show, so
 * that a correct sheet costs one look. Of a small sheet it selects all rows, because if two rows were swapped only
 * looking at both may reveal it.
 */
import type { SpotCheckReason } from '../../../contract/sheets/layout.ts'

export type SpotCheckRow = {
  readonly row: number
  readonly net_fen: number | null
  /** Whether the member was paid in the batch used for comparison. */
  readonly wasPaidBefore: boolean
  /** The comparison with last month does not confirm that the amounts are this member's. */
  readonly isUnproven: boolean
  /** The row was matched by name alone, without any other evidence. */
  readonly matchedByNameOnly: boolean
  /** The roster has another department, position or entry date. */
  readonly differsFromRoster: boolean
  /**
   * Another row has this member's values, and this row has the other's, according to the roster or last month's
   * amounts: 1 is the most likely swap, 0 means none.
   */
  readonly swapRank: number
  /**
   * The member's positions in the roster, most specific first (`财务部/会计`, `会计`, `财务部`): a member paid unlike others in
   * the same position is checked.
   */
  readonly positions: readonly string[]
}
export type SpotCheck = { readonly row: number; readonly reason: SpotCheckReason }

const maxSpotChecks = 3
/** A sheet of at most this size without an earlier batch is checked completely, by name and net pay. */
export const maxRowsToCheckAll = 30
/** If at least this share was paid in the previous batch, that batch confirms the sheet. */
const minComparedShare = 0.5

/** Rows are in sheet order; the result is empty if no check is needed. */
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
    // Both rows of a likely swap are selected, even if other rows are more unusual.
    const exchanged = unproven.filter((one) => one.swapRank > 0).toSorted((a, b) => a.swapRank - b.swapRank)
    for (const one of exchanged) select(one, 'unproven')
    select(unproven[0], 'unproven')
    select(unproven.at(-1), 'unproven')
    select(unproven[unproven.length >> 1], 'unproven')
    for (const one of [matchedByName[0], matchedByName.at(-1), matchedByName[matchedByName.length >> 1]]) select(one, 'name_only')
    if (unproven.length === 0) return sortByRow(selected)
  } else {
    // One of each kind is selected: a row that differs from the roster, and a member matched by name alone. At least
    // one slot remains for the end of the sheet.
    select(rows.find((one) => one.swapRank > 0) ?? rows.find((one) => one.differsFromRoster), 'differs')
    select(
      matchedByName.find((one) => !one.differsFromRoster),
      'name_only',
    )
  }
  // The last row reveals any shift above it; after a gap a row was left out or inserted.
  select(rows.at(-1), 'last')
  const [mostUnusual, next] = rankUnusual(rows)
  select(mostUnusual, 'unusual')
  select(
    rows.find(({ row }, at) => at > 0 && row - (rows[at - 1]?.row ?? row) > 1),
    'gap',
  )
  // After a swap both members are paid unlike their colleagues.
  select(next, 'unusual')
  select(rows[0], 'first')
  select(rows[rows.length >> 1], 'middle')
  if (!isCompared && rows.length <= maxRowsToCheckAll)
    return rows.map(({ row }) => ({ row, reason: selected.get(row) ?? 'everybody' })).toSorted((a, b) => a.row - b.row)
  return sortByRow(selected)
}

const sortByRow = (selected: ReadonlyMap<number, SpotCheckReason>): SpotCheck[] =>
  [...selected].map(([row, reason]) => ({ row, reason })).toSorted((a, b) => a.row - b.row)

/** The minimum number of members in a position to determine its typical pay. */
const minPositionSize = 3
/** The maximum number of positions whose highest and lowest paid members are compared. */
const maxPositions = 200

type RankedRow = { readonly row: SpotCheckRow; readonly logPay: number; readonly typicalLogPay: number }

/**
 * Ranks rows by how far their net pay is from the typical pay of their position, as a ratio: first the farthest; then
 * of the most likely swap (high pay where low is typical, low pay where high is) the one farther off and the other one;
 * then the next farthest.
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
  // Receiving no pay at all is farther from the typical value than any pay.
  const unpaidRows = rows.filter((row) => row.net_fen !== null && row.net_fen <= 0)
  return [...unpaidRows, ...new Set([...(first ? [first] : []), ...swapPair, ...others].map(({ row }) => row))]
}
const getDeviation = ({ logPay, typicalLogPay }: RankedRow): number => Math.abs(logPay - typicalLogPay)
const getLogPay = ({ net_fen }: SpotCheckRow): number => Math.log(net_fen ?? 1)

/** Finds the two rows whose exchange would improve the sheet most; none if those expected to get more do get more. */
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
