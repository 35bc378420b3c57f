/** Total rows of a wage sheet, and whether they equal the sum of any rows they may cover. */
import { moneyRoles } from '../../../contract/sheets/column-roles.ts'
import { rowsPerSheet } from '../../../contract/sheets/row-number.ts'
import type { ReadColumn, WageSheetInfo } from '../../../contract/sheets/sheet.ts'
import type { CheckColumn } from './check/amount-issues.ts'
import { getUnitPowers, parseFenInUnit, type UnitPowers } from './unit.ts'

/** Amounts of a total row by column. `tolerance` is half of the last displayed digit, in fen. */
export type DeclaredTotals = {
  readonly row: number
  /** The label of the row. */
  readonly label: string
  readonly amounts: readonly { readonly key: string; readonly fen: number; readonly tolerance: number }[]
}

const totalLabelPattern = /合计|小计|总计|共计|累计|汇总|合計|小計|total|합계|소계|tổng|итого/i

/** Parses the displayed cells of a total row. `positions`: 0-based column positions; `powers`: each unit as a power of ten. */
export function parseDeclaredTotals(
  row: number,
  cells: readonly string[],
  {
    columns,
    places: positions,
    powers,
  }: { columns: readonly CheckColumn[]; places: ReadonlyMap<string, number>; powers: UnitPowers },
): DeclaredTotals {
  const amounts = columns.flatMap(({ key, role }) => {
    const text = moneyRoles.has(role) ? (cells[positions.get(key) ?? -1] ?? '') : ''
    const power = powers.get(key) ?? 0
    const fen = parseFenInUnit(text, power)
    if (fen === null) return []
    // Displayed values may be truncated: 13 stands for 12.70 without decimals, 12.5 for 12.50 or 12.53.
    const decimals = /\.(\d+)/.exec(text)?.[1]?.length ?? 0
    return [{ key, fen, tolerance: decimals >= power + 2 ? 0 : 50 * 10 ** (power - decimals) }]
  })
  const label = cells.map((text) => text.replace(/\s/g, '')).find((text) => totalLabelPattern.test(text)) ?? ''
  return { row, label: label.slice(0, 20), amounts }
}

type RecognizedTotals = Pick<WageSheetInfo, 'questions' | 'totals_row'> & {
  readonly columns: readonly ReadColumn[]
  readonly total_rows: readonly number[]
  readonly parts: readonly { readonly places?: readonly (readonly [string, number])[] }[]
}

/** Returns all total rows of the layout, and the one that covers all rows; with several sheets maybe the sum of their totals. */
export function getDeclaredTotals(
  { columns, parts: sourceTables, questions, totals_row, total_rows }: RecognizedTotals,
  others: readonly (readonly [row: number, cells: readonly string[] | number])[],
): { declared: DeclaredTotals | null; totals: DeclaredTotals[] } {
  const rowContents = new Map(others)
  const powers = getUnitPowers(columns, questions)
  const positions = sourceTables.map(
    (part) => new Map(part.places ?? columns.map(({ key }) => [key, Number(key.slice(1))] as const)),
  )
  const parseRow = (row: number): DeclaredTotals[] => {
    const content = rowContents.get(row)
    const cells = typeof content === 'number' ? rowContents.get(content) : content
    const tablePositions = positions[Math.floor(row / rowsPerSheet)]
    return cells && typeof cells !== 'number' && tablePositions
      ? [parseDeclaredTotals(row, cells, { columns, places: tablePositions, powers })]
      : []
  }
  const rows = new Set([...total_rows, ...(totals_row ? [totals_row.row] : [])])
  return {
    declared: totals_row && sourceTables.length === 1 ? (parseRow(totals_row.row)[0] ?? null) : null,
    totals: [...rows].flatMap(parseRow),
  }
}

/** A total that equals no sum, compared with the rows it most likely covers. */
export type WrongTotal = {
  readonly declared: DeclaredTotals
  /** Formats the rows, for example 上面 4 行（第 3–6 行）. */
  readonly rowsText: string
  readonly differences: readonly { readonly key: string; readonly fen: number; readonly sum: number }[]
}

/** Sums of a table up to a position. */
type PartialSum = { readonly sums: Float64Array; readonly count: number }
/** The rows that a total covers: above or below it, all, those of a department, of a block, or the totals before it. */
type TotalScope = 'above' | 'below' | 'all' | 'department' | 'block' | 'totals'
/** `agree` is the number of agreeing amounts other than zero. */
type Candidate = {
  readonly agree: number
  readonly differences: WrongTotal['differences']
  readonly rowsText: string
  readonly isNamed: boolean
}
type JudgedTotal = {
  readonly declared: DeclaredTotals
  readonly position: PartialSum
  /** The rows whose sum the total is. */
  matchedScope: TotalScope | null
  /** Otherwise, the most likely rows of each scope, in the order in which they were considered. */
  readonly candidates: Map<TotalScope, Candidate>
}

/** Maximum number of departments of a sheet summed by name. */
const maxDepartments = 200
/**
 * Maximum number of positions above at which the rows of a total may start: after an earlier total, after a row between
 * members, where the department changes.
 */
const maxPositions = 64

/** Validates totals; rows are added from top to bottom. Correct: all amounts sum the rows above it, below it, or all. */
export class TotalsValidator {
  readonly #declared: readonly DeclaredTotals[]
  readonly #index: ReadonlyMap<string, number>
  readonly #grandTotalRow: number | null
  #next = 0
  #tableIndex = -1
  #sums: Float64Array
  #count = 0
  #previousRow: { row: number; department: string } | null = null
  #positions: PartialSum[] = []
  /** Departments of the current table, wherever their rows are. */
  #departments = new Map<string, { sums: Float64Array; count: number }>()
  /** Totals of the current table. */
  #judged: JudgedTotal[] = []
  readonly #done: JudgedTotal[] = []
  readonly #overallSums: Float64Array
  #rowCount = 0
  #tableCount = 0

  /** `full`: the row that should be the sum of all rows. It may be the last department total, but covers nothing less. */
  constructor(stated: readonly DeclaredTotals[], full: number | null) {
    this.#grandTotalRow = full
    this.#declared = stated.filter(({ amounts }) => amounts.length > 0).toSorted((a, b) => a.row - b.row)
    this.#index = new Map(
      [...new Set(this.#declared.flatMap(({ amounts }) => amounts.map(({ key }) => key)))].map((key, at) => [key, at]),
    )
    this.#sums = new Float64Array(this.#index.size)
    this.#overallSums = new Float64Array(this.#index.size)
  }

  add(row: number, department: string, getFen: (key: string) => number): void {
    if (this.#index.size === 0) return
    const part = Math.floor(row / rowsPerSheet)
    if (part !== this.#tableIndex) this.#openTable(part)
    this.#judgeAbove(row)
    const before = this.#previousRow
    if (!before || row !== before.row + 1 || department !== before.department) this.#addPosition()
    this.#previousRow = { row, department }
    const own = this.#getDepartmentSum(department)
    for (const [key, at] of this.#index) {
      const fen = getFen(key)
      this.#sums[at] = (this.#sums[at] ?? 0) + fen
      if (own) own.sums[at] = (own.sums[at] ?? 0) + fen
    }
    this.#count += 1
    if (own) own.count += 1
  }

  #getDepartmentSum(name: string): { sums: Float64Array; count: number } | undefined {
    const existing = this.#departments.get(name)
    if (existing || name === '' || this.#departments.size >= maxDepartments) return existing
    const own = { sums: new Float64Array(this.#index.size), count: 0 }
    this.#departments.set(name, own)
    return own
  }

  finish(): { wrong: WrongTotal[]; rightRows: ReadonlySet<number> } {
    if (this.#index.size === 0) return { wrong: [], rightRows: new Set() }
    this.#openTable(-1)
    const everything = { sums: this.#overallSums, count: this.#rowCount }
    if (this.#tableCount > 1)
      for (const judged of this.#done)
        this.#consider(judged, null, everything, { where: 'all', rowsText: `各表 ${everything.count} 行` })
    const isRight = new Set<number>()
    const wrong: WrongTotal[] = []
    const typical = Map.groupBy(this.#done, ({ matchedScope }) => matchedScope)
    for (const { declared, matchedScope, candidates } of this.#done) {
      const likeliest =
        matchedScope === null ? selectLikeliest(candidates, (where) => typical.get(where)?.length ?? 0) : undefined
      if (!likeliest) isRight.add(declared.row)
      else if (declared.row !== this.#grandTotalRow || this.#tableCount > 1)
        wrong.push({ declared, rowsText: likeliest.rowsText, differences: likeliest.differences })
    }
    return { wrong, rightRows: isRight }
  }

  /** Ends a table and starts the next one. */
  #openTable(part: number): void {
    if (this.#tableIndex >= 0) {
      this.#judgeAbove((this.#tableIndex + 1) * rowsPerSheet)
      this.#judgeBelow()
      this.#sums.forEach((fen, at) => (this.#overallSums[at] = (this.#overallSums[at] ?? 0) + fen))
      this.#rowCount += this.#count
      this.#tableCount += 1
    }
    this.#tableIndex = part
    this.#sums = new Float64Array(this.#index.size)
    this.#count = 0
    this.#previousRow = null
    this.#positions = [{ sums: this.#sums.slice(), count: 0 }]
    this.#departments = new Map()
  }

  #addPosition(): void {
    this.#positions.push({ sums: this.#sums.slice(), count: this.#count })
    // The top of the table is always kept.
    if (this.#positions.length > maxPositions) this.#positions.splice(1, 1)
  }

  /** Judges the totals above a row. */
  #judgeAbove(row: number): void {
    for (let stated = this.#declared[this.#next]; stated && stated.row < row; stated = this.#declared[++this.#next]) {
      if (Math.floor(stated.row / rowsPerSheet) !== this.#tableIndex) continue
      const at: PartialSum = { sums: this.#sums.slice(), count: this.#count }
      const judged: JudgedTotal = { declared: stated, position: at, matchedScope: null, candidates: new Map() }
      // Rows directly above come first; a range with more rows that agrees no better does not replace them.
      const last = this.#judged.at(-1)
      if (last) this.#consider(judged, last.position, at, getRowsAbove(last.position, at))
      if (stated.row !== this.#grandTotalRow) {
        for (const position of this.#positions.toReversed()) this.#consider(judged, position, at, getRowsAbove(position, at))
        for (const { position } of this.#judged.slice(-maxPositions))
          this.#consider(judged, position, at, getRowsAbove(position, at))
        considerSumOfTotals(judged, this.#judged)
      }
      this.#judged.push(judged)
    }
  }

  #consider(judged: JudgedTotal, from: PartialSum | null, to: PartialSum, rows: ScopeRows): void {
    if (to.count === (from?.count ?? 0) || judged.matchedScope !== null) return
    const sums = new Map<string, number>()
    for (const { key } of judged.declared.amounts) {
      const at = this.#index.get(key) ?? -1
      sums.set(key, (to.sums[at] ?? 0) - (from?.sums[at] ?? 0))
    }
    saveBestCandidate(judged, sums, rows)
  }

  #judgeBelow(): void {
    const end: PartialSum = { sums: this.#sums, count: this.#count }
    this.#judged.forEach((judged, at) => {
      const { position: from, declared } = judged
      const until = this.#judged.slice(at + 1).find(({ position: next }) => next.count > from.count)?.position ?? end
      if (declared.row !== this.#grandTotalRow)
        this.#consider(judged, from, until, { where: 'below', rowsText: `下面 ${until.count - from.count} 行` })
      this.#consider(judged, null, end, { where: 'all', rowsText: `全部 ${end.count} 行` })
      this.#judgeBlocks(judged)
      this.#done.push(judged)
    })
    this.#judged = []
  }

  /** Judges department totals that are listed elsewhere: as the sum of one block, or of a department wherever its rows are. */
  #judgeBlocks(judged: JudgedTotal): void {
    const { row, label } = judged.declared
    const [named] = [...this.#departments.keys()].filter((name) => label.includes(name)).toSorted((a, b) => b.length - a.length)
    for (const [name, own] of this.#departments)
      if (row !== this.#grandTotalRow || label.includes(name))
        this.#consider(judged, null, own, { where: 'department', rowsText: `${name} ${own.count} 行`, isNamed: name === named })
    if (row === this.#grandTotalRow) return
    for (const [at, position] of this.#positions.entries()) {
      const next = this.#positions[at + 1]
      if (next) this.#consider(judged, position, next, { where: 'block', rowsText: `其中 ${next.count - position.count} 行` })
    }
  }
}

/** `isNamed` means that the label of the total names these rows. */
type ScopeRows = { readonly where: TotalScope; readonly rowsText: string; readonly isNamed?: boolean }
const getRowsAbove = (from: PartialSum, to: PartialSum): ScopeRows => ({
  where: 'above',
  rowsText: `上面 ${to.count - from.count} 行`,
})

/** Considers a total as the sum of earlier totals. */
function considerSumOfTotals(judged: JudgedTotal, before: readonly JudgedTotal[]): void {
  if (before.length < 2 || judged.matchedScope !== null) return
  const sums = new Map<string, number>()
  for (const { declared } of before) for (const { key, fen } of declared.amounts) sums.set(key, (sums.get(key) ?? 0) + fen)
  saveBestCandidate(judged, sums, { where: 'totals', rowsText: `前面 ${before.length} 个合计` })
}

function saveBestCandidate(
  judged: JudgedTotal,
  sums: ReadonlyMap<string, number>,
  { where, rowsText, isNamed = false }: ScopeRows,
): void {
  const wrong: WrongTotal['differences'][number][] = []
  let agree = 0
  for (const { key, fen, tolerance } of judged.declared.amounts) {
    const sum = sums.get(key) ?? 0
    if (Math.abs(sum - fen) > tolerance) wrong.push({ key, fen, sum })
    // A zero amount agrees with the sum of any empty rows and proves nothing.
    else if (fen !== 0) agree += 1
  }
  if (wrong.length === 0) judged.matchedScope = where
  const best = judged.candidates.get(where)
  const candidate = { agree, differences: wrong, rowsText, isNamed }
  if (!best || compareCandidates(candidate, best) < 0) judged.candidates.set(where, candidate)
}

/** Sorts by most agreeing amounts, then fewest differences, then rows named by the total. */
const compareCandidates = (one: Candidate, other: Candidate): number =>
  other.agree - one.agree || one.differences.length - other.differences.length || Number(other.isNamed) - Number(one.isNamed)

/**
 * Selects the rows that a wrong total most likely covers. If the amounts do not decide, it selects those of the
 * department it names, else those in the same position as for the other totals of the wage sheet, else those considered
 * first. The same rows keep their first description.
 */
function selectLikeliest(
  best: ReadonlyMap<TotalScope, Candidate>,
  getFrequency: (where: TotalScope) => number,
): Candidate | undefined {
  const [first] = [...best].toSorted(([a, one], [b, other]) => compareCandidates(one, other) || getFrequency(b) - getFrequency(a))
  const same = ({ differences }: Candidate): boolean =>
    differences.length === first?.[1].differences.length &&
    differences.every(({ key, sum }, at) => first[1].differences[at]?.key === key && first[1].differences[at]?.sum === sum)
  return first && ([...best.values()].find(same) ?? first[1])
}
