/**
 * Subtotals with a department in the name column (一部 | 11,000 below two members with 5,000 and 6,000). No person has
 * such a name, and the amounts prove it. A row that only looks like one leads to a question.
 */
import { isDepartment } from '../../contract/sheets/column-roles.ts'
import { type Grid, getText } from '../grid.ts'
import { getCellFen } from '../profiles/wage/sums.ts'
import { isLikelyName } from './identity-columns.ts'
import { hasStrongIdentity } from './rows.ts'
import type { ClassifiedRows, Header, IdentityColumns } from './types.ts'

/** Endings of departments and groups. 高新部 begins with a surname but is a department. */
const departmentNamePattern =
  /(?:部|部门|组|队|班|科|室|厂|区|店|线|车间|中心|公司|所|站|院|处|局|项目|团队|department|dept\.?|team|branch|office)$/i

/** Maximum number of earlier bounds tried as the start of a sum. */
const maxBounds = 64

/** Removes such rows from the members: a proven one is a total, a doubtful one leads to a question. */
export function moveNamedTotals(grid: Grid, header: Header, rows: ClassifiedRows, identity: IdentityColumns): ClassifiedRows {
  if (identity.names.length === 0 || identity.money.length === 0) return rows
  const nameIn = (row: number) => joinText(identity.names.map((column) => getText(grid, row, column)))
  const departments = collectDepartments(grid, header, rows.memberRows)
  const isUnit = (row: number) => departmentNamePattern.test(nameIn(row)) || departments.has(nameIn(row))
  const isNumbered = (row: number) => hasStrongIdentity(grid, row, identity)
  const candidates = new Map<number, boolean>()
  for (const row of rows.memberRows)
    if ((isUnit(row) || !isLikelyName(nameIn(row))) && !isNumbered(row)) candidates.set(row, isUnit(row))
  for (const row of rows.unclaimed) if (isUnit(row)) candidates.set(row, true)
  if (candidates.size === 0) return rows
  const [footTotals, headTotals] = [false, true].map((isReversed) =>
    proveTotals(grid, rows, candidates, { money: identity.money, isReversed }),
  )
  const proven = new Set((headTotals ?? []).length > (footTotals ?? []).length ? headTotals : footTotals)
  if (proven.size === 0) return rows
  // Among subtotals named by department, no other department is a person.
  const others = new Set(rows.memberRows.filter((row) => candidates.get(row) === true && !proven.has(row)))
  const isPaid = (row: number) => identity.money.some((column) => (getCellFen(grid, row, column) ?? 0) !== 0)
  const doubtful = [...others].filter(isPaid)
  const getReason = (row: number): string => {
    if (proven.has(row)) return `「${nameIn(row)}」是上下各行的合计，不是员工`
    return isPaid(row) ? `「${nameIn(row)}」像部门的合计，但和各行相加不一致` : '部门的名称，没有金额'
  }
  return {
    ...rows,
    memberRows: rows.memberRows.filter((row) => !proven.has(row) && !others.has(row)),
    totals: [...rows.totals, ...proven].toSorted((a, b) => a - b),
    unclaimed: [...rows.unclaimed.filter((row) => !proven.has(row)), ...doubtful].toSorted((a, b) => a - b),
    ignoredRows: [
      ...rows.ignoredRows.filter(({ row }) => !proven.has(row - 1)),
      ...[...proven, ...others].map((row) => ({ row: row + 1, why: getReason(row) })),
    ].toSorted((a, b) => a.row - b.row),
  }
}

const joinText = (texts: readonly string[]) => texts.join('').replace(/\s/g, '')

function collectDepartments(grid: Grid, header: Header, people: readonly number[]): ReadonlySet<string> {
  const columns = header.meanings.flatMap(({ role }, at) => (isDepartment(role) ? [header.left + at] : []))
  const names = new Set(columns.flatMap((column) => people.map((row) => joinText([getText(grid, row, column)]))))
  names.delete('')
  return names
}

/** Sums over the members passed so far. */
type RunningSums = { readonly sums: readonly number[]; readonly count: number }

/**
 * Returns the number of members between two bounds whose sum the row is; zero if it is none. For a single member every
 * amount must be the same.
 */
function countSummed(amounts: readonly number[], from: RunningSums, to: RunningSums): number {
  const count = to.count - from.count
  if (count < 1) return 0
  const isSame = amounts.every((fen, at) => (fen === 0 && count > 1) || (to.sums[at] ?? 0) - (from.sums[at] ?? 0) === fen)
  return isSame ? count : 0
}

/**
 * Returns the candidates that are sums of the members since an earlier total, from the top or, for totals above their
 * members, from the bottom. `candidates`: by row, whether it is named as a department. With another name (销售, North),
 * several different amounts must be sums of several members.
 */
function proveTotals(
  grid: Grid,
  { memberRows, totals, unclaimed }: ClassifiedRows,
  candidates: ReadonlyMap<number, boolean>,
  { money, isReversed }: { readonly money: readonly number[]; readonly isReversed: boolean },
): number[] {
  const isPerson = new Set(memberRows)
  const rows = [...memberRows, ...totals, ...unclaimed].toSorted((a, b) => (isReversed ? b - a : a - b))
  const proven: { readonly row: number; readonly count: number }[] = []
  let running: RunningSums = { sums: money.map(() => 0), count: 0 }
  const bounds = [running]
  for (const row of rows) {
    const isUnit = candidates.get(row)
    const rowAmounts = isUnit !== undefined || isPerson.has(row) ? money.map((column) => getCellFen(grid, row, column) ?? 0) : []
    const amounts = new Set(rowAmounts.filter((fen) => fen !== 0)).size
    if (isUnit !== undefined && amounts > 0) {
      const isEnough = (count: number) => (isUnit ? count > 0 : count > 1 && amounts > 1)
      const startBounds = [...bounds.slice(-maxBounds).toReversed(), ...bounds.slice(0, 1)]
      const count = startBounds.map((from) => countSummed(rowAmounts, from, running)).find(isEnough)
      if (count !== undefined) {
        proven.push({ row, count })
        bounds.push(running)
        continue
      }
    }
    if (isPerson.has(row))
      running = { sums: rowAmounts.map((fen, at) => fen + (running.sums[at] ?? 0)), count: running.count + 1 }
    else bounds.push(running)
  }
  // A single row that repeats the amounts of one member may be a coincidence.
  return proven.length > 1 || proven.some(({ count }) => count > 1) ? proven.map(({ row }) => row) : []
}
