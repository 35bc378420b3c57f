/**
 * Questions about the identity column, the net pay, and whether the sheet is about pay at all, when this cannot be
 * determined.
 */

import { noNetAnswer, notWageSheetAnswer } from '../../../contract/shared/statuses.ts'
import {
  columnRoles,
  identityRoles,
  isDeduction,
  isDeductionOrTax,
  isEarning,
  isEmployeeNo,
  isEmployerCost,
  isGross,
  isInfo,
  isLeadingName,
  isNet,
  isTax,
} from '../../../contract/sheets/column-roles.ts'
import type { Question } from '../../../contract/sheets/sheet.ts'
import { type Grid, getText } from '../../grid.ts'
import { mentionsPayTerms, normalizeHeader } from '../../recognise/synonyms.ts'
import { isEmployeeNumberCandidate } from './columns.ts'
import { isPaymentMethod } from './sub-items.ts'
import { findSum, getCellFen } from './sums.ts'
import type { SummedTable } from './totals.ts'
import type { ColumnDraft, CombinedTable, TableReading } from './types.ts'

const quoteColumn = ({ label, col, quote }: ColumnDraft) =>
  label === '' ? `${col} 列` : quote.endsWith('列）') ? quote : `${quote}（${col} 列）`
const createQuestion = (
  fields: Pick<Question, 'id' | 'kind' | 'message' | 'choices' | 'suggested'> & { rows?: number[] },
): Question => ({
  must: true,
  key: null,
  rows: [],
  answer: null,
  ...fields,
})
const maxListedRows = 50

/** The status of a sheet with items only, which is sent unchanged. */
export const noNetChoice = { value: noNetAnswer, label: '表中没有实发' }

/** The titles above the header and the names of sheet and file are searched as well. */
const listTitles = ({ grid, header, name, sheet }: TableReading) => [
  name,
  sheet,
  ...grid.rows.slice(0, header?.top ?? 0).flatMap((cells) => (cells ?? []).filter((cell) => typeof cell === 'string')),
]
export const mentionsPay = (reading: TableReading) =>
  reading.header !== null && mentionsPayTerms(reading.header, ...listTitles(reading))

export function createWageSheetQuestion(first: TableReading | undefined): Question[] {
  if (!first || mentionsPay(first)) return []
  return [
    createQuestion({
      id: 'about_pay',
      kind: 'about_pay',
      message: '这张表里没有一个说工资的词（工资、实发、奖金等），是要发给员工的工资表吗？',
      choices: [
        { value: 'yes', label: '是工资表' },
        { value: notWageSheetAnswer, label: '不是，不发' },
      ],
      suggested: '',
    }),
  ]
}

/** Asks for the identity column if there are amounts but no recognized members. */
export function createIdentityQuestion({ grid, columns }: CombinedTable, readings: readonly TableReading[]): Question[] {
  const rows = readings.flatMap(({ unassignedRows }) => unassignedRows)
  if (rows.length === 0 || readings.some((one) => one.rows.memberRows.length > 0)) return []
  const lost = readings[0]?.unassignedRows ?? []
  const candidates = columns.filter(
    ({ isAmount, profile }) => !isAmount && profile.filled > 0 && profile.dates * 2 <= profile.filled,
  )
  const choices = candidates.map((column) => {
    const isNumber = column.profile.texts * 2 < column.profile.filled || hasCodes(grid, lost, column.index)
    return isNumber
      ? { value: `employee_no:${column.key}`, label: `${quoteColumn(column)}是工号` }
      : { value: `name:${column.key}`, label: `${quoteColumn(column)}是姓名` }
  })
  const different = candidates.findIndex(({ profile }) => profile.distinct === profile.filled && profile.filled === profile.rows)
  return [
    createQuestion({
      id: 'who',
      kind: 'who',
      message:
        choices.length > 0
          ? `有 ${rows.length} 行金额，但认不出每一行是谁。哪一列是姓名或工号？`
          : `有 ${rows.length} 行金额，但没有一列写着是谁；请补上姓名或工号后重新上传`,
      rows: lost.slice(0, maxListedRows).map((row) => row + 1),
      choices,
      suggested: choices[different]?.value ?? '',
    }),
  ]
}

/**
 * Asks which of two columns identifies members, if their labels compete, or label and values contradict. This is never
 * guessed.
 */
export function createRivalQuestions({ grid, memberRows, columns }: CombinedTable): Question[] {
  const name = columns.find(({ role }) => isLeadingName(role))
  return [...identityRoles].flatMap((role) => {
    const best = columns.find((column) => column.role === role)
    if (!best) return []
    const isLabeled = (column: ColumnDraft) =>
      column.meaning.role === role && Math.abs(column.meaning.confidence - best.meaning.confidence) < maxConfidenceGap
    const isGuessed = isEmployeeNo(role) && best.meaning.role !== role && name !== undefined
    const rivals = columns.filter(
      (column) =>
        column !== best &&
        isInfo(column.role) &&
        column.profile.filled > 0 &&
        (isGuessed ? isEmployeeNumberCandidate(name)(column) : isLabeled(column)) &&
        memberRows.some((row) => getText(grid, row, column.index).trim() !== getText(grid, row, best.index).trim()),
    )
    if (rivals.length === 0) return []
    const all = [best, ...rivals]
    return [
      createQuestion({
        id: `who:${role}`,
        kind: 'who',
        message: `${all.map(quoteColumn).join('和')}都像${columnRoles[role].label}，内容不同。按哪一列认人？`,
        choices: [
          ...all.map((column) => ({ value: `${role}:${column.key}`, label: quoteColumn(column) })),
          { value: `info:${best.key}`, label: `都不是${columnRoles[role].label}` },
        ],
        suggested: `${role}:${best.key}`,
      }),
    ]
  })
}
/** Labels that are equally clear. */
const maxConfidenceGap = 0.05

const hasCodes = (grid: Grid, rows: readonly number[], column: number) =>
  rows.slice(0, maxListedRows).every((row) => /^[A-Za-z]{0,4}-?\d+$|^$/.test(getText(grid, row, column)))

/**
 * Asks which column is the net pay if no label says 实发. A column is suggested only where the sums prove it or its label
 * says so: a suggestion is pressed without a look, and a wrong one would pay a bonus as the net pay.
 */
export function createNetQuestion(table: SummedTable): Question[] {
  const { columns } = table
  if (columns.some(({ role }) => isNet(role))) return []
  const amounts = listPossibleNets(table)
  const isParted = amounts.filter(isPaymentMethod).length > 1
  const suggested = findProvenNet(table, amounts)
  const gross = columns.find(({ role }) => isGross(role))
  return [
    createQuestion({
      id: 'net',
      kind: 'net',
      message:
        amounts.length > 0
          ? `没有「实发」列，${isParted ? '实发分成了几列发放，' : ''}发给员工的是哪一列${gross ? '？没有扣款时，可以选应发' : '？'}`
          : '没有「实发」列，也没有可以当作实发的金额，照样发这张表吗？',
      choices: [...amounts.map((column) => ({ value: `net:${column.key}`, label: quoteColumn(column) })), noNetChoice],
      suggested: suggested ? `net:${suggested.key}` : isParted ? noNetAnswer : '',
    }),
  ]
}

/** Lists the amounts that may be the net pay, and columns that the rows prove to be a sum. */
function listPossibleNets(table: SummedTable): ColumnDraft[] {
  const provenSums = findSumColumns(table)
  return table.columns.filter(
    (column) =>
      provenSums.includes(column) ||
      (column.isAmount &&
        column.profile.amounts > 0 &&
        !isTax(column.role) &&
        !isDeduction(column.role) &&
        !isEmployerCost(column.role)),
  )
}

/** Returns the column that is most likely the net pay if no label says so: for finding sums, until the user answers. */
export function suggestNetColumn(table: SummedTable): ColumnDraft | undefined {
  const { columns } = table
  const amounts = listPossibleNets(table)
  if (amounts.filter(isPaymentMethod).length > 1) return undefined
  return findProvenNet(table, amounts) ?? findLastAmount(amounts, columns)
}

/** Returns the column that the sums or its label prove to be the net pay. */
function findProvenNet(table: SummedTable, amounts: readonly ColumnDraft[]): ColumnDraft | undefined {
  const { grid, memberRows, columns } = table
  if (amounts.filter(isPaymentMethod).length > 1) return undefined
  const total = findLastAmount(amounts, columns)
  return (
    findSumColumns(table).at(-1) ??
    findNamedNet(grid, memberRows, amounts, columns) ??
    (total && /合计|总计/.test(normalizeHeader(total.path.join(''))) ? total : undefined)
  )
}

/**
 * Finds amounts, and numbers under an unknown label, that equal a sum of the preceding columns in every row: these are
 * not items.
 */
function findSumColumns({ grid, memberRows, columns }: SummedTable): ColumnDraft[] {
  const isNumber = ({ profile }: ColumnDraft) =>
    profile.amounts > 0 && profile.amounts * 2 > profile.filled && profile.dates + profile.percents === 0 && !profile.counting
  const isUnknown = ({ meaning, role }: ColumnDraft) => meaning.nature === 'unknown' && (isInfo(role) || isEarning(role))
  const terms = columns.filter(
    (column) => isNumber(column) && (column.isAmount || isUnknown(column)) && !isEmployerCost(column.role),
  )
  return terms.filter((target) => {
    const items = terms.filter(({ index }) => index < target.index)
    if (!(isUnknown(target) || (target.isAmount && isEarning(target.role))) || items.length < 2) return false
    const getSign = ({ role, profile }: ColumnDraft) =>
      isDeductionOrTax(role) && profile.negatives * 2 <= profile.amounts ? -1 : 1
    const earned = items.filter(({ role }) => isEarning(role))
    const guesses = [items, earned].map((some) => new Map(some.map((item) => [item, getSign(item)] as const)))
    return findSum(grid, memberRows, target, items, guesses, { most: maxTriedRows, may_be_one: false })?.proof === 'all'
  })
}
const maxTriedRows = 200

function findNamedNet(
  grid: Grid,
  people: readonly number[],
  amounts: readonly ColumnDraft[],
  columns: readonly ColumnDraft[],
): ColumnDraft | undefined {
  if (amounts.length === 1) return amounts[0]
  const usedTerms = columns.filter(({ role, profile }) => isDeductionOrTax(role) && profile.amounts > 0)
  const fen = (row: number, column: ColumnDraft) => getCellFen(grid, row, column.index) ?? 0
  const holds = (target: ColumnDraft, from: ColumnDraft) =>
    people.length > 0 &&
    people.every((row) => {
      const less = usedTerms.reduce((sum, column) => sum + Math.abs(fen(row, column)), 0)
      return fen(row, target) === fen(row, from) - less
    }) &&
    people.some((row) => fen(row, target) !== 0 && fen(row, target) !== fen(row, from))
  const byArithmetic = amounts.find((target) => amounts.some((from) => from !== target && holds(target, from)))
  if (byArithmetic) return byArithmetic
  const gross = amounts.find(({ role }) => isGross(role))
  // Without deductions the gross pay is paid.
  if (gross && usedTerms.length === 0) return gross
  return amounts.findLast(({ meaning }) => meaning.possibleNet)
}

/** Returns the last amount after the deductions that is no base and no item, otherwise the gross pay. */
function findLastAmount(amounts: readonly ColumnDraft[], columns: readonly ColumnDraft[]): ColumnDraft | undefined {
  const usedTerms = columns.filter(({ role, profile }) => isDeductionOrTax(role) && profile.amounts > 0)
  const gross = amounts.find(({ role }) => isGross(role))
  const isBase = ({ path }: ColumnDraft) => /基数|标准|累计|上月|应税|计税/.test(normalizeHeader(path.join('')))
  // The remaining amount comes after the deductions.
  const end = usedTerms.at(-1)?.index ?? -1
  // An item is a part of the pay and not the amount paid.
  const isItem = ({ role, meaning }: ColumnDraft) =>
    end < 0 && isEarning(role) && meaning.nature === 'money' && meaning.confidence >= 0.7
  return amounts.findLast((column) => column.index > end && !isBase(column) && !isItem(column)) ?? gross
}
