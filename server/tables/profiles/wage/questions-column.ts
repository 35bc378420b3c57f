/** Which column says who somebody is, which one is paid, and whether the sheet is about pay at all: asked where nobody can know. */

import { identityRoles, roleWords } from '../../../contract/sheet/column-roles.ts'
import type { Question } from '../../../contract/sheet/sheet.ts'
import { no_net, not_wages } from '../../../contract/words/states.ts'
import { type Grid, textAt } from '../../grid.ts'
import { normaliseHeader, speaksOfPay } from '../../recognise/synonyms.ts'
import { type ColumnDraft, isLikeNumber } from './columns.ts'
import { isWayOfPay } from './parts.ts'
import type { Pool } from './pool.ts'
import type { Reading } from './reading.ts'
import { fenAt } from './sums.ts'

const named = ({ label, col, quote }: ColumnDraft) =>
  label === '' ? `${col} 列` : quote.endsWith('列）') ? quote : `${quote}（${col} 列）`
const question = (
  asked: Pick<Question, 'id' | 'kind' | 'message' | 'choices' | 'suggested'> & { rows?: number[] },
): Question => ({
  must: true,
  key: null,
  rows: [],
  answer: null,
  ...asked,
})
const listed = 50

/** For a sheet of items only: it is sent as it stands. */
export const withoutNet = { value: no_net, label: '都不是，这张表没有实发' }

/** Texts over the header and the names of sheet and file speak for the sheet too. */
const titlesOf = ({ grid, header, name, sheet }: Reading) => [
  name,
  sheet,
  ...grid.rows.slice(0, header?.top ?? 0).flatMap((cells) => (cells ?? []).filter((cell) => typeof cell === 'string')),
]
export const isAboutPay = (reading: Reading) => reading.header !== null && speaksOfPay(reading.header, ...titlesOf(reading))

export function payQuestion(first: Reading | undefined): Question[] {
  if (!first || isAboutPay(first)) return []
  return [
    question({
      id: 'about_pay',
      kind: 'about_pay',
      message: '这张表里没有一个说工资的词（工资、实发、奖金等），是要发给员工的工资表吗？',
      choices: [
        { value: 'yes', label: '是工资表' },
        { value: not_wages, label: '不是，不发' },
      ],
      suggested: '',
    }),
  ]
}

/** Amounts, and nobody recognised: whoever uploads the sheet knows which column says who. */
export function whoQuestion({ grid, columns }: Pool, chosen: readonly Reading[]): Question[] {
  const rows = chosen.flatMap(({ lost }) => lost)
  if (rows.length === 0 || chosen.some((one) => one.rows.people.length > 0)) return []
  const lost = chosen[0]?.lost ?? []
  const asked = columns.filter(({ money, profile }) => !money && profile.filled > 0 && profile.dates * 2 <= profile.filled)
  const choices = asked.map((column) => {
    const isNumber = column.profile.texts * 2 < column.profile.filled || isCoded(grid, lost, column.index)
    return isNumber
      ? { value: `employee_no:${column.key}`, label: `${named(column)}是工号` }
      : { value: `name:${column.key}`, label: `${named(column)}是姓名` }
  })
  const different = asked.findIndex(({ profile }) => profile.distinct === profile.filled && profile.filled === profile.rows)
  return [
    question({
      id: 'who',
      kind: 'who',
      message:
        choices.length > 0
          ? `有 ${rows.length} 行金额，但认不出每一行是谁。哪一列是姓名或工号？`
          : `有 ${rows.length} 行金额，但没有一列写着是谁；请补上姓名或工号后重新上传`,
      rows: lost.slice(0, listed).map((row) => row + 1),
      choices,
      suggested: choices[different]?.value ?? '',
    }),
  ]
}

/**
 * Two columns that could both say who somebody is: by their headers, with other content in them, or by what stands in them. Which of them people
 * are found by is not guessed.
 */
export function rivalQuestions({ grid, people, columns }: Pool): Question[] {
  const name = columns.find(({ role }) => role === 'name' || role === 'last_name')
  return [...identityRoles].flatMap((role) => {
    const best = columns.find((column) => column.role === role)
    if (!best) return []
    const isSaid = (column: ColumnDraft) =>
      column.meaning.role === role && Math.abs(column.meaning.confidence - best.meaning.confidence) < as_sure
    const isGuessed = role === 'employee_no' && best.meaning.role !== role && name !== undefined
    const rivals = columns.filter(
      (column) =>
        column !== best &&
        column.role === 'info' &&
        column.profile.filled > 0 &&
        (isGuessed ? isLikeNumber(name)(column) : isSaid(column)) &&
        people.some((row) => textAt(grid, row, column.index).trim() !== textAt(grid, row, best.index).trim()),
    )
    if (rivals.length === 0) return []
    const all = [best, ...rivals]
    return [
      question({
        id: `who:${role}`,
        kind: 'who',
        message: `${all.map(named).join('和')}都像${roleWords[role]}，内容不同。按哪一列认人？`,
        choices: [
          ...all.map((column) => ({ value: `${role}:${column.key}`, label: named(column) })),
          { value: `info:${best.key}`, label: `都不是${roleWords[role]}` },
        ],
        suggested: `${role}:${best.key}`,
      }),
    ]
  })
}
/** Headers that are as plain as each other. */
const as_sure = 0.05

const isCoded = (grid: Grid, rows: readonly number[], column: number) =>
  rows.slice(0, listed).every((row) => /^[A-Za-z]{0,4}-?\d+$|^$/.test(textAt(grid, row, column)))

/** No column says 实发: which one is paid? Arithmetic first, then the plainest word, then the last amount. */
export function netQuestion({ grid, people, columns }: Pool): Question[] {
  if (columns.some(({ role }) => role === 'net')) return []
  const amounts = columns.filter(
    ({ money, role, profile }) => money && profile.amounts > 0 && role !== 'tax' && role !== 'deduction' && role !== 'employer',
  )
  const isParted = amounts.filter(isWayOfPay).length > 1
  const suggested = isParted ? undefined : suggestedNet(grid, people, amounts, columns)
  const gross = columns.find(({ role }) => role === 'gross')
  return [
    question({
      id: 'net',
      kind: 'net',
      message:
        amounts.length > 0
          ? `没有「实发」列，${isParted ? '实发分成了几列发放，' : ''}发给员工的是哪一列${gross ? '？没有扣款时，可以选应发' : '？'}`
          : '没有「实发」列，也没有可以当作实发的金额，照样发这张表吗？',
      choices: [...amounts.map((column) => ({ value: `net:${column.key}`, label: named(column) })), withoutNet],
      suggested: suggested ? `net:${suggested.key}` : isParted ? no_net : '',
    }),
  ]
}

function suggestedNet(
  grid: Grid,
  people: readonly number[],
  amounts: readonly ColumnDraft[],
  columns: readonly ColumnDraft[],
): ColumnDraft | undefined {
  if (amounts.length === 1) return amounts[0]
  const taken = columns.filter(({ role, profile }) => (role === 'deduction' || role === 'tax') && profile.amounts > 0)
  const fen = (row: number, column: ColumnDraft) => fenAt(grid, row, column.index) ?? 0
  const holds = (target: ColumnDraft, from: ColumnDraft) =>
    people.length > 0 &&
    people.every((row) => {
      const less = taken.reduce((sum, column) => sum + Math.abs(fen(row, column)), 0)
      return fen(row, target) === fen(row, from) - less
    }) &&
    people.some((row) => fen(row, target) !== 0 && fen(row, target) !== fen(row, from))
  const byArithmetic = amounts.find((target) => amounts.some((from) => from !== target && holds(target, from)))
  if (byArithmetic) return byArithmetic
  const gross = amounts.find(({ role }) => role === 'gross')
  // Nothing is taken off: what was earned is what is paid.
  if (gross && taken.length === 0) return gross
  const weak = amounts.findLast(({ meaning }) => meaning.weak_net)
  if (weak) return weak
  const isBase = ({ path }: ColumnDraft) => /基数|标准|累计|上月|应税|计税/.test(normaliseHeader(path.join('')))
  // After the deductions stands what is left.
  const end = taken.at(-1)?.index ?? -1
  return amounts.findLast((column) => column.index > end && !isBase(column)) ?? gross
}
