/**
 * Amounts written in thousands or ten thousands of yuan: the dearest of all mistakes. A unit over the table is of the whole sheet; a unit in a label is
 * of its column. Where the rows add up with the columns counted so, that is suggested and need not be answered.
 */
import type { Question } from '../../../contract/sheet/sheet.ts'
import { cellAt, type Grid, type Stored } from '../../grid.ts'
import { getLabelUnit, type LabelUnit, withoutUnit } from '../../recognise/label-unit.ts'
import { normaliseHeader } from '../../recognise/synonyms.ts'
import type { ColumnDraft } from './columns.ts'
import type { Pool } from './pool.ts'
import { ask, named } from './questions.ts'
import type { Reading } from './reading.ts'
import { fenAt, findFormula } from './sums.ts'
import { findSubtotals, subtotalName } from './totals.ts'

const tens: Record<LabelUnit, number> = { yuan: 0, thousand: 3, wan: 4 }
const unitNames: Record<LabelUnit, string> = { yuan: '元', thousand: '千元', wan: '万元' }
const choices = [
  { value: 'yuan', label: '元：数字就是元，不用换算' },
  { value: 'thousand', label: '千元：每个金额乘以 1,000' },
  { value: 'wan', label: '万元：每个金额乘以 10,000' },
]
const unitWords = /(?:单位|計量單位|金额|unit)\s*[:：(（]?\s*(?:人民币)?\s*(万元|千元|万|千|wan)/i

/** By column key. */
type Units = ReadonlyMap<string, LabelUnit>

/** What is asked about units, and the pool with the amounts that are counted by their own columns as yuan. */
export function readUnits(pool: Pool, chosen: readonly Reading[]): { questions: Question[]; pool: Pool } {
  const paid = pool.columns.filter(isPaid)
  const stated = new Map(
    paid.flatMap((column): [string, LabelUnit][] => {
      const unit = getLabelUnit(column.path)
      return unit === undefined ? [] : [[column.key, unit]]
    }),
  )
  const note = findNote(chosen)
  if (!isMixed(pool, paid, stated, note)) return { questions: sheetQuestion(pool, stated, note), pool }
  const { units, proven } = chooseUnits(pool, paid, stated)
  const scaled = { ...pool, grid: scaleGrid(pool, units) }
  const asked = paid.filter(({ key }) => (stated.get(key) ?? 'yuan') !== 'yuan' || (units.get(key) ?? 'yuan') !== 'yuan')
  // Of the columns that say 元 themselves the note over the table is not true.
  const inYuan = note === undefined ? [] : paid.filter(({ key }) => stated.get(key) === 'yuan')
  return {
    questions: [
      ...(note === undefined || paid.every(({ key }) => stated.has(key)) ? [] : sheetQuestion(pool, stated, note)),
      ...[...asked, ...inYuan].map((column) =>
        columnQuestion(pool, column, {
          stated: stated.get(column.key),
          unit: units.get(column.key) ?? 'yuan',
          isProven: proven.has(column.key) || inYuan.includes(column),
        }),
      ),
    ],
    pool: scaled,
  }
}

/** Amounts that are somebody's pay of this month, or sums of such; what somebody sold is told as it is written. */
const isPaid = ({ money, role, path, profile }: ColumnDraft): boolean =>
  money &&
  profile.amounts > 0 &&
  role !== 'ignore' &&
  (role !== 'info' || subtotalName.test(normaliseHeader(withoutUnit(path.at(-1) ?? ''))))

function findNote(chosen: readonly Reading[]): LabelUnit | undefined {
  for (const { grid, header } of chosen)
    for (const cell of grid.rows.slice(0, header?.top ?? 0).flatMap((cells) => cells ?? [])) {
      const unit = typeof cell === 'string' && cell.length < 60 ? unitWords.exec(cell)?.[1] : undefined
      if (unit !== undefined) return unit.startsWith('千') ? 'thousand' : 'wan'
    }
  return undefined
}

/** The middle one of the amounts of a column that are not nothing, in fen. */
function findMiddle({ grid, people }: Pool, column: ColumnDraft): number {
  const amounts = people.flatMap((row) => Math.abs(fenAt(grid, row, column.index) || 0) || []).toSorted((a, b) => a - b)
  return amounts[Math.floor(amounts.length / 2)] ?? 0
}

/** Nobody earns 500 ten thousands a month: then the amount is written in yuan, whatever the label says. */
const isTooMuch = (middle: number, unit: LabelUnit): boolean => unit !== 'yuan' && middle >= (unit === 'wan' ? 500_00 : 5_000_00)

/** Beside thousands and ten thousands an amount of so many is written in yuan. */
const plainYuan = 500_00

/** Whether columns of one sheet count in different units. */
function isMixed(pool: Pool, paid: readonly ColumnDraft[], stated: Units, note: LabelUnit | undefined): boolean {
  const kinds = new Set([...stated.values(), ...(note === undefined ? [] : [note])])
  const [unit] = [...kinds].filter((one) => one !== 'yuan')
  if (unit === undefined) return false
  if (kinds.size > 1) return true
  // 单位：万元 stands over all of them.
  if (note !== undefined) return false
  const rest = paid.filter(({ key }) => !stated.has(key))
  if (rest.some((column) => findMiddle(pool, column) >= plainYuan)) return true
  if (rest.length === 0 || findProven(pool, new Map()) !== null) return false
  return findProven(pool, stated) !== null
}

/** Columns of sums that hold in every row when amounts are counted in these units; null where the rows prove nothing. */
function findProven(pool: Pool, units: Units): ReadonlySet<string> | null {
  const { people, columns } = pool
  const grid = scaleGrid(pool, units)
  const formula = findFormula(grid, people, columns)
  if (!formula || formula.of < 2 || formula.holds < formula.of) return null
  const proven = new Set([formula.net, ...formula.plus, ...formula.minus])
  for (const { key, plus, minus, holds, of } of findSubtotals(grid, people, columns))
    if (of > 1 && holds === of && proven.has(key)) for (const one of [...plus, ...minus]) proven.add(one)
  return proven
}

/** As the labels say; where the rows add up otherwise only, as they add up. */
function chooseUnits(pool: Pool, paid: readonly ColumnDraft[], stated: Units): { units: Units; proven: ReadonlySet<string> } {
  const isFew = (column: ColumnDraft) => column.profile.largest > 0 && column.profile.largest < 10
  const [big] = [...stated.values()].filter((unit) => unit !== 'yuan')
  const small = paid.filter((column) => !stated.has(column.key) && isFew(column))
  const credible = new Map(
    paid.flatMap((column): [string, LabelUnit][] => {
      const unit = stated.get(column.key)
      if (unit === undefined) return []
      return [[column.key, isTooMuch(findMiddle(pool, column), unit) ? 'yuan' : unit]]
    }),
  )
  const also = (some: readonly ColumnDraft[]): Units =>
    new Map([...stated, ...some.map(({ key }) => [key, big ?? 'yuan'] as const)])
  const ways = [stated, credible, also(small), ...small.slice(0, 6).map((column) => also([column])), new Map()]
  const nonZero = paid.filter(({ key, profile }) => profile.largest > 0 && (stated.get(key) ?? 'yuan') !== 'yuan')
  for (const units of ways) {
    const proven = findProven(pool, units)
    // What stands in no sum proves nothing about its unit.
    if (proven && nonZero.some(({ key }) => proven.has(key))) {
      const zero = paid.filter(({ profile }) => profile.largest === 0).map(({ key }) => key)
      // Sums that hold against what the label says are a reason to suggest it and to ask.
      const agrees = (key: string) => stated.get(key) === undefined || stated.get(key) === units.get(key)
      const hasTold = paid.every(({ key }) => agrees(key)) && units.size === stated.size
      return { units, proven: hasTold ? new Set([...proven, ...zero]) : new Set() }
    }
  }
  return { units: credible, proven: new Set() }
}

/** The same rows with the amounts of these columns as yuan. */
function scaleGrid({ grid, people, columns }: Pool, units: Units): Grid {
  const scaled = columns.flatMap(({ key, index }): [number, number][] => {
    const power = tens[units.get(key) ?? 'yuan']
    return power === 0 ? [] : [[index, power]]
  })
  if (scaled.length === 0) return grid
  const rows = [...grid.rows]
  for (const row of people) {
    const cells: Stored[] = [...(rows[row] ?? [])]
    for (const [index, power] of scaled) {
      const { decimal } = cellAt(grid, row, index)
      if (decimal !== null) cells[index] = Math.round(Number(`${decimal}e${power + 2}`)) / 100
    }
    rows[row] = cells
  }
  return { ...grid, rows }
}

function columnQuestion(
  { grid, people, numberOf }: Pool,
  column: ColumnDraft,
  { stated, unit, isProven }: { stated: LabelUnit | undefined; unit: LabelUnit; isProven: boolean },
): Question {
  const label = `「${column.path.at(-1) || column.label}」（${column.col} 列）`
  const example = people.find((row) => fenAt(grid, row, column.index))
  const text = example === undefined ? '' : cellAt(grid, example, column.index).text
  const inYuan = (said: LabelUnit) =>
    `${(Math.round(Number(`${cellAt(grid, example ?? 0, column.index).decimal ?? 0}e${tens[said] + 2}`)) / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })} 元`
  const shown = example === undefined ? '' : `，例如第 ${numberOf(example)} 行的 ${text} 是 ${inYuan(unit)}`
  const big = stated !== undefined && stated !== 'yuan' ? stated : undefined
  return ask({
    id: `unit:${column.key}`,
    kind: 'unit',
    must: !isProven,
    message: isProven
      ? `${label}按${unitNames[unit]}算${shown}`
      : big === undefined
        ? `${label}没有写单位，旁边的列写着万元或千元。这一列按什么单位算${shown}？`
        : `${label}写着${unitNames[big]}${unit === big ? '' : '，数字却像是元'}。这一列按什么单位算${shown}？`,
    key: column.key,
    rows: example === undefined ? [] : [numberOf(example)],
    choices,
    suggested: unit,
  })
}

/** The unit of the whole sheet: said over the table or in its labels, or nobody would be paid so little. */
function sheetQuestion(pool: Pool, stated: Units, note: LabelUnit | undefined): Question[] {
  const { grid, people, columns } = pool
  const net = columns.find(({ role }) => role === 'net') ?? columns.find(({ role }) => role === 'gross')
  const found = note ?? [...stated.values()].find((unit) => unit !== 'yuan')
  const amounts = net ? people.flatMap((row) => fenAt(grid, row, net.index) || []).toSorted((a, b) => a - b) : []
  const middle = amounts[Math.floor(amounts.length / 2)] ?? 0
  // Nobody is paid 0.85 yuan a month: the unit was not written down, or where it is not read.
  const broken = amounts.filter((fen) => fen % 100 !== 0).length
  const tiny = middle > 0 && middle < 10_00 && broken * 2 > amounts.length
  if (found === undefined && !tiny) return []
  const unit = found ?? (middle >= 3_00 ? 'thousand' : 'wan')
  return [
    ask({
      id: 'unit',
      kind: 'unit',
      must: true,
      message:
        found === undefined
          ? `${net ? named(net) : '金额'}大多不到 10 元，像是以${unitNames[unit]}为单位，工资条上的金额该按什么单位算？`
          : `表上写着金额的单位是${unitNames[unit]}，工资条上的金额该按什么单位算？`,
      choices,
      suggested: isTooMuch(middle, unit) ? 'yuan' : unit,
    }),
  ]
}
