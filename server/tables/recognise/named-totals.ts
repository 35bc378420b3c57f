/**
 * Subtotals that bear the name of a department where a person's name should stand (一部 | 11,000 under two people of 5,000 and 6,000). Nobody is
 * called so and the amounts prove it. A row that only looks like one is asked about.
 */
import { type Grid, textAt } from '../grid.ts'
import { fenAt } from '../profiles/wage/sums.ts'
import { hasStrongIdentity, type RowsRead, type WhoColumns } from './rows.ts'
import { looksLikeName } from './who.ts'

/** How departments and groups end. 高新部 begins with a surname and is none. */
const unitName =
  /(?:部|部门|组|队|班|科|室|厂|区|店|线|车间|中心|公司|所|站|院|处|局|项目|团队|department|dept\.?|team|branch|office)$/i

/** Where a sum may begin or end: so many earlier and later candidates are tried. */
const maxBounds = 64
const maxRounds = 10

/** Takes such rows out of the people: a proven one is a total, a doubtful one is asked about. */
export function takeNamedTotals(grid: Grid, rows: RowsRead, who: WhoColumns): RowsRead {
  const nameIn = (row: number) =>
    who.names
      .map((column) => textAt(grid, row, column))
      .join('')
      .replace(/\s/g, '')
  const isUnit = (row: number) => unitName.test(nameIn(row))
  if (who.names.length === 0 || who.money.length === 0) return rows
  const candidates = rows.people.filter(
    (row) => (isUnit(row) || !looksLikeName(nameIn(row))) && !hasStrongIdentity(grid, row, who),
  )
  const units = proveAll(grid, rows, candidates.filter(isUnit), who)
  const isOther = new Set(candidates.filter((row) => !isUnit(row)))
  const proven = new Set([
    ...units,
    ...proveFeet(grid, { ...rows, people: rows.people.filter((row) => !units.includes(row)) }, isOther, who),
  ])
  if (proven.size === 0) return rows
  const isPaid = (row: number) => who.money.some((column) => (fenAt(grid, row, column) ?? 0) !== 0)
  // Among subtotals that are named by department, no other department is a person.
  const others = new Set(candidates.filter((row) => isUnit(row) && !proven.has(row)))
  const why = (row: number): string => {
    if (proven.has(row)) return `「${nameIn(row)}」是上下各行的合计，不是员工`
    return isPaid(row) ? `「${nameIn(row)}」像部门的合计，但和各行相加不一致` : '部门的名称，没有金额'
  }
  const inOrder = (all: readonly number[]) => all.toSorted((a, b) => a - b)
  return {
    ...rows,
    people: rows.people.filter((row) => !proven.has(row) && !others.has(row)),
    totals: inOrder([...rows.totals, ...proven]),
    unclaimed: inOrder([...rows.unclaimed, ...[...others].filter(isPaid)]),
    ignored: [...rows.ignored, ...[...proven, ...others].map((row) => ({ row: row + 1, why: why(row) }))].toSorted(
      (a, b) => a.row - b.row,
    ),
  }
}

/** Rows named as departments that are sums. Those that are none are people, whose amounts count in the next round. */
function proveAll(grid: Grid, rows: RowsRead, units: readonly number[], who: WhoColumns): readonly number[] {
  let left = units
  for (let round = 0; round < maxRounds && left.length > 0; round++) {
    const proven = proveUnits(grid, rows, left, who)
    if (proven.length === left.length) return proven
    left = proven
  }
  return []
}

type Bound = { readonly sums: readonly number[]; readonly count: number }
const nothingAbove = (money: readonly number[]): Bound => ({ sums: money.map(() => 0), count: 0 })
const amountsIn = (grid: Grid, row: number, money: readonly number[]) => money.map((column) => fenAt(grid, row, column) ?? 0)

/** How many people between two bounds a row is the sum of; zero where it is none. Of one person every amount must be the same. */
function countSummed(own: readonly number[], from: Bound | undefined, to: Bound | undefined): number {
  const count = from && to ? to.count - from.count : 0
  if (!from || !to || count < 1) return 0
  const isSame = own.every((fen, at) => (fen === 0 && count > 1) || (to.sums[at] ?? 0) - (from.sums[at] ?? 0) === fen)
  return isSame ? count : 0
}

/** Which of the units are sums of people between two bounds: units, and other lines that are nobody. */
function proveUnits(
  grid: Grid,
  { people, totals, unclaimed }: RowsRead,
  units: readonly number[],
  { money }: WhoColumns,
): number[] {
  const isUnit = new Set(units)
  const others = people.filter((row) => !isUnit.has(row))
  const bounds = [...units, ...totals, ...unclaimed].toSorted((a, b) => a - b)
  // Sums of all people above each bound, and of everybody at the end.
  const above: Bound[] = [nothingAbove(money)]
  let { sums } = nothingAbove(money)
  let next = 0
  for (const bound of [...bounds, Number.POSITIVE_INFINITY]) {
    for (; next < others.length && (others[next] ?? 0) < bound; next++)
      sums = amountsIn(grid, others[next] ?? 0, money).map((fen, at) => fen + (sums[at] ?? 0))
    above.push({ sums, count: next })
  }
  const last = above.at(-1)
  const placeOf = new Map(bounds.map((row, at) => [row, at + 1]))
  const countFor = (row: number): number => {
    const own = amountsIn(grid, row, money)
    const place = placeOf.get(row) ?? 0
    if (own.every((fen) => fen === 0)) return 0
    for (let other = 1; other <= maxBounds; other++) {
      const count = countSummed(own, above[place - other], above[place]) || countSummed(own, above[place], above[place + other])
      if (count > 0) return count
    }
    return countSummed(own, above[0], above[place]) || countSummed(own, above[place], last) || countSummed(own, above[0], last)
  }
  const counted = units.map((row) => ({ row, count: countFor(row) }))
  // One person's amounts repeated are a subtotal only beside plain ones.
  const isPlain = counted.some(({ count }) => count > 1) || unclaimed.some((row) => countFor(row) > 1)
  return counted.flatMap(({ row, count }) => (count > 0 && isPlain ? [row] : []))
}

/** Under any other name (销售, North) a row is a total where several amounts that differ are all sums of the people right above it, or of all above. */
function proveFeet(grid: Grid, { people, totals }: RowsRead, isCandidate: ReadonlySet<number>, { money }: WhoColumns): number[] {
  const found: number[] = []
  const start = nothingAbove(money)
  const isTotal = new Set(totals)
  let block = start
  let all = start
  for (const row of [...people, ...totals].toSorted((a, b) => a - b)) {
    const own = isTotal.has(row) ? [] : amountsIn(grid, row, money)
    const isSum = () =>
      new Set(own.filter((fen) => fen !== 0)).size >= 2 && (countSummed(own, block, all) > 1 || countSummed(own, start, all) > 1)
    if (isTotal.has(row) || (isCandidate.has(row) && isSum())) {
      if (!isTotal.has(row)) found.push(row)
      block = all
    } else all = { sums: own.map((fen, at) => fen + (all.sums[at] ?? 0)), count: all.count + 1 }
  }
  return found
}
