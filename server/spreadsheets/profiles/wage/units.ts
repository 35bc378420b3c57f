/**
 * Amounts written in thousands or ten thousands of yuan, the most expensive of all mistakes. A unit above the table
 * applies to the whole sheet; a unit in a label applies to its column. If the rows add up with the columns converted
 * accordingly, this is suggested and needs no answer.
 */
import { isGross, isIgnored, isInfo, isNet } from '../../../contract/sheets/column-roles.ts'
import type { Question } from '../../../contract/sheets/sheet.ts'
import { type Grid, getCell, type StoredValue } from '../../grid.ts'
import { getLabelUnit, type LabelUnit, removeUnit } from '../../recognise/label-unit.ts'
import { normalizeHeader } from '../../recognise/synonyms.ts'
import { createQuestion, getQuote } from './questions.ts'
import { findFormula, getCellFen } from './sums.ts'
import { findSubtotals, subtotalNamePattern } from './totals.ts'
import type { ColumnDraft, CombinedTable, TableReading } from './types.ts'

const powerByUnit: Record<LabelUnit, number> = { yuan: 0, thousand: 3, wan: 4 }
const unitLabels: Record<LabelUnit, string> = { yuan: '元', thousand: '千元', wan: '万元' }
const unitChoices = [
  { value: 'yuan', label: '元：数字就是元，不用换算' },
  { value: 'thousand', label: '千元：每个金额乘以 1,000' },
  { value: 'wan', label: '万元：每个金额乘以 10,000' },
]
const unitPattern = /(?:单位|計量單位|金额|unit)\s*[:：(（]?\s*(?:人民币)?\s*(万元|千元|万|千|wan)/i

/** Units by column key. */
type UnitByColumn = ReadonlyMap<string, LabelUnit>

/**
 * Returns the questions about units, and the combined table with amounts converted to yuan by the units of their
 * columns.
 */
export function readUnits(
  pool: CombinedTable,
  selected: readonly TableReading[],
): { questions: Question[]; pool: CombinedTable } {
  const paid = pool.columns.filter(isPayAmount)
  const stated = new Map(
    paid.flatMap((column): [string, LabelUnit][] => {
      const unit = getLabelUnit(column.path)
      return unit === undefined ? [] : [[column.key, unit]]
    }),
  )
  const note = findUnitNote(selected)
  if (!hasMixedUnits(pool, paid, stated, note)) return { questions: createSheetUnitQuestion(pool, stated, note), pool }
  const { units, proven } = selectUnits(pool, paid, stated)
  const scaled = { ...pool, grid: scaleGrid(pool, units) }
  const requested = paid.filter(({ key }) => (stated.get(key) ?? 'yuan') !== 'yuan' || (units.get(key) ?? 'yuan') !== 'yuan')
  // The note above the table does not apply to columns labelled 元.
  const inYuan = note === undefined ? [] : paid.filter(({ key }) => stated.get(key) === 'yuan')
  return {
    questions: [
      ...(note === undefined || paid.every(({ key }) => stated.has(key)) ? [] : createSheetUnitQuestion(pool, stated, note)),
      ...[...requested, ...inYuan].map((column) =>
        createColumnUnitQuestion(pool, column, {
          stated: stated.get(column.key),
          unit: units.get(column.key) ?? 'yuan',
          isProven: proven.has(column.key) || inYuan.includes(column),
        }),
      ),
    ],
    pool: scaled,
  }
}

/** Returns whether an amount is pay of this month or a sum of it; a sales figure is displayed as written. */
const isPayAmount = ({ isAmount, role, path, profile }: ColumnDraft): boolean =>
  isAmount &&
  profile.amounts > 0 &&
  !isIgnored(role) &&
  (!isInfo(role) || subtotalNamePattern.test(normalizeHeader(removeUnit(path.at(-1) ?? ''))))

function findUnitNote(selected: readonly TableReading[]): LabelUnit | undefined {
  for (const { grid, header } of selected)
    for (const cell of grid.rows.slice(0, header?.top ?? 0).flatMap((cells) => cells ?? [])) {
      const unit = typeof cell === 'string' && cell.length < 60 ? unitPattern.exec(cell)?.[1] : undefined
      if (unit !== undefined) return unit.startsWith('千') ? 'thousand' : 'wan'
    }
  return undefined
}

/** Returns the median of the non-zero amounts of a column, in fen. */
function findMedianFen({ grid, memberRows }: CombinedTable, column: ColumnDraft): number {
  const amounts = memberRows.flatMap((row) => Math.abs(getCellFen(grid, row, column.index) || 0) || []).toSorted((a, b) => a - b)
  return amounts[Math.floor(amounts.length / 2)] ?? 0
}

/** 500 ten thousands a month are implausible as pay: then the amount is in yuan, regardless of the label. */
const isImplausible = (middle: number, unit: LabelUnit): boolean =>
  unit !== 'yuan' && middle >= (unit === 'wan' ? 500_00 : 5_000_00)

/** Among columns in thousands or ten thousands, a larger amount is in yuan. */
const minYuanFen = 500_00

/** Returns whether columns of one sheet use different units. */
function hasMixedUnits(
  pool: CombinedTable,
  paid: readonly ColumnDraft[],
  stated: UnitByColumn,
  note: LabelUnit | undefined,
): boolean {
  const kinds = new Set([...stated.values(), ...(note === undefined ? [] : [note])])
  const [unit] = [...kinds].filter((one) => one !== 'yuan')
  if (unit === undefined) return false
  if (kinds.size > 1) return true
  // A unit such as 单位：万元 above the table applies to all columns.
  if (note !== undefined) return false
  const rest = paid.filter(({ key }) => !stated.has(key))
  if (rest.some((column) => findMedianFen(pool, column) >= minYuanFen)) return true
  if (rest.length === 0 || findProvenSums(pool, new Map()) !== null) return false
  return findProvenSums(pool, stated) !== null
}

/** Returns the columns of sums that hold in every row with these units; null if the rows prove nothing. */
function findProvenSums(pool: CombinedTable, units: UnitByColumn): ReadonlySet<string> | null {
  const { memberRows, columns } = pool
  const grid = scaleGrid(pool, units)
  const formula = findFormula(grid, memberRows, columns)
  if (!formula || formula.of < 2 || formula.holds < formula.of) return null
  const proven = new Set([formula.net, ...formula.plus, ...formula.minus])
  for (const { key, plus, minus, holds, of } of findSubtotals(grid, memberRows, columns))
    if (of > 1 && holds === of && proven.has(key)) for (const one of [...plus, ...minus]) proven.add(one)
  return proven
}

/** Selects the units by the labels; if the rows add up only with other units, by the sums. */
function selectUnits(
  pool: CombinedTable,
  paid: readonly ColumnDraft[],
  stated: UnitByColumn,
): { units: UnitByColumn; proven: ReadonlySet<string> } {
  const isFew = (column: ColumnDraft) => column.profile.largest > 0 && column.profile.largest < 10
  const [big] = [...stated.values()].filter((unit) => unit !== 'yuan')
  const small = paid.filter((column) => !stated.has(column.key) && isFew(column))
  const credible = new Map(
    paid.flatMap((column): [string, LabelUnit][] => {
      const unit = stated.get(column.key)
      if (unit === undefined) return []
      return [[column.key, isImplausible(findMedianFen(pool, column), unit) ? 'yuan' : unit]]
    }),
  )
  const also = (some: readonly ColumnDraft[]): UnitByColumn =>
    new Map([...stated, ...some.map(({ key }) => [key, big ?? 'yuan'] as const)])
  const candidates = [stated, credible, also(small), ...small.slice(0, 6).map((column) => also([column])), new Map()]
  const nonZero = paid.filter(({ key, profile }) => profile.largest > 0 && (stated.get(key) ?? 'yuan') !== 'yuan')
  for (const units of candidates) {
    const proven = findProvenSums(pool, units)
    // An amount that is in no sum proves nothing about its unit.
    if (proven && nonZero.some(({ key }) => proven.has(key))) {
      const zero = paid.filter(({ profile }) => profile.largest === 0).map(({ key }) => key)
      // Sums that hold contrary to the labels are a reason to suggest the units and to ask.
      const agrees = (key: string) => stated.get(key) === undefined || stated.get(key) === units.get(key)
      const agreesWithStatedUnits = paid.every(({ key }) => agrees(key)) && units.size === stated.size
      return { units, proven: agreesWithStatedUnits ? new Set([...proven, ...zero]) : new Set() }
    }
  }
  return { units: credible, proven: new Set() }
}

/** Returns the same rows with the amounts of these columns converted to yuan. */
function scaleGrid({ grid, memberRows, columns }: CombinedTable, units: UnitByColumn): Grid {
  const scaled = columns.flatMap(({ key, index }): [number, number][] => {
    const power = powerByUnit[units.get(key) ?? 'yuan']
    return power === 0 ? [] : [[index, power]]
  })
  if (scaled.length === 0) return grid
  const rows = [...grid.rows]
  for (const row of memberRows) {
    const cells: StoredValue[] = [...(rows[row] ?? [])]
    for (const [index, power] of scaled) {
      const { decimal } = getCell(grid, row, index)
      if (decimal !== null) cells[index] = Math.round(Number(`${decimal}e${power + 2}`)) / 100
    }
    rows[row] = cells
  }
  return { ...grid, rows }
}

function createColumnUnitQuestion(
  { grid, memberRows, getRowNumber }: CombinedTable,
  column: ColumnDraft,
  { stated, unit, isProven }: { stated: LabelUnit | undefined; unit: LabelUnit; isProven: boolean },
): Question {
  const label = `「${column.path.at(-1) || column.label}」（${column.col} 列）`
  const example = memberRows.find((row) => getCellFen(grid, row, column.index))
  const text = example === undefined ? '' : getCell(grid, example, column.index).text
  const inYuan = (message: LabelUnit) =>
    `${(Math.round(Number(`${getCell(grid, example ?? 0, column.index).decimal ?? 0}e${powerByUnit[message] + 2}`)) / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })} 元`
  const visible = example === undefined ? '' : `，例如第 ${getRowNumber(example)} 行的 ${text} 是 ${inYuan(unit)}`
  const big = stated !== undefined && stated !== 'yuan' ? stated : undefined
  return createQuestion({
    id: `unit:${column.key}`,
    kind: 'unit',
    must: !isProven,
    message: isProven
      ? `${label}按${unitLabels[unit]}算${visible}`
      : big === undefined
        ? `${label}没有写单位，旁边的列写着万元或千元。这一列按什么单位算${visible}？`
        : `${label}写着${unitLabels[big]}${unit === big ? '' : '，数字却像是元'}。这一列按什么单位算${visible}？`,
    key: column.key,
    rows: example === undefined ? [] : [getRowNumber(example)],
    choices: unitChoices,
    suggested: unit,
  })
}

/**
 * Asks for the unit of the whole sheet if it is stated above the table or in labels, or if the amounts are implausibly
 * small.
 */
function createSheetUnitQuestion(pool: CombinedTable, stated: UnitByColumn, note: LabelUnit | undefined): Question[] {
  const { grid, memberRows, columns } = pool
  const net = columns.find(({ role }) => isNet(role)) ?? columns.find(({ role }) => isGross(role))
  const match = note ?? [...stated.values()].find((unit) => unit !== 'yuan')
  const amounts = net ? memberRows.flatMap((row) => getCellFen(grid, row, net.index) || []).toSorted((a, b) => a - b) : []
  const middle = amounts[Math.floor(amounts.length / 2)] ?? 0
  // 0.85 yuan a month are implausible: the unit is missing, or is written where it is not read.
  const broken = amounts.filter((fen) => fen % 100 !== 0).length
  const tiny = middle > 0 && middle < 10_00 && broken * 2 > amounts.length
  if (match === undefined && !tiny) return []
  const unit = match ?? (middle >= 3_00 ? 'thousand' : 'wan')
  return [
    createQuestion({
      id: 'unit',
      kind: 'unit',
      must: true,
      message:
        match === undefined
          ? `${net ? getQuote(net) : '金额'}大多不到 10 元，像是以${unitLabels[unit]}为单位，工资条上的金额该按什么单位算？`
          : `表上写着金额的单位是${unitLabels[unit]}，工资条上的金额该按什么单位算？`,
      choices: unitChoices,
      suggested: isImplausible(middle, unit) ? 'yuan' : unit,
    }),
  ]
}
