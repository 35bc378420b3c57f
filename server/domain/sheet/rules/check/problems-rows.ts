/**
 * Whose figures a row carries, in words. Where all that says who somebody is was sorted or shifted together, no key of the row contradicts
 * another one: only last month's figures tell (`assign`). One mistake is one question with its evidence, however many rows it has.
 */

import type { ColumnRole } from '../../../../contract/words/words.ts'
import type { InTurns } from '../../../../rules/turns.ts'
import { assign } from '../months/assignment.ts'
import type { Disorder } from '../months/assignment-columns.ts'
import type { Comparison } from '../months/comparison.ts'
import { Likeness } from '../months/likeness.ts'
import type { Carried, Stretch } from '../months/stretches.ts'
import { type BesideLast, type Found, rowText } from './beside-last.ts'

/** Items that hardly change from month to month, by their labels; what varies is not asked about by itself. */
const fixed_label =
  /基本|基础|底薪|本薪|岗位|职务|职级|薪级|级别|工龄|司龄|技能|标准|固定|养老|医疗|医保|失业|公积金|社保|五险|年金|basic|base/i
const varying_label = /绩效|奖|加班|计件|提成|补发|补扣|扣款|浮动|考核/
const isFixedLabel = (label: string): boolean => fixed_label.test(label) && !varying_label.test(label)

/** From so many rows on that carry others' figures they are one question, with examples. */
const one_question = 6
/** Of so many stretches and columns over half of the rows, the sheet as a whole is in another order: that is one question. */
const one_order = 2
const examples = 3
const sums: ReadonlySet<ColumnRole> = new Set(['gross', 'net'])

export type RowFindings = {
  readonly found: Found[]
  /** Rows that a finding is about: their amounts are not asked about once more. */
  readonly rows: Set<number>
  /** Places in `BesideLast.rows` of people whose figures do not tell whether they are theirs. */
  readonly unproven: readonly number[]
  /** Of these, those that had rather be each other's, the likeliest two first. */
  readonly exchanged: readonly number[]
}

/** Rows that carry somebody else's figures, and those of which it cannot be told. */
export function* rowProblems(beside: BesideLast, comparison: Comparison): InTurns<RowFindings> {
  const like = yield* Likeness.of(beside, comparison)
  const labelOf = (column: number): string => beside.places[like.placeOf[column] ?? -1]?.label ?? ''
  const { stretches, carried, disorders, unproven, exchanged } = yield* assign(like, {
    isUsuallyFixed: (column) => isFixedLabel(labelOf(column)),
    isSum: (column) => sums.has(beside.places[like.placeOf[column] ?? -1]?.role ?? 'ignore'),
  })
  const says = new Sentences(beside, like)
  const rows = new Set<number>()
  for (const { from, to } of stretches) for (let row = from; row <= to; row++) rows.add(row)
  for (const { row } of carried) rows.add(row)
  for (const disorder of disorders) for (const row of disorder.rows) rows.add(row)
  const mistakes = once(carried, like)
  const isWhole = stretches.length + disorders.length >= one_order && rows.size * 2 >= beside.rows.length
  if (isWhole && disorders.length > 0)
    return {
      found: [
        says.whole(
          [...rows].toSorted((a, b) => a - b),
          [...stretches, ...disorders],
        ),
      ].flatMap((one) => one ?? []),
      rows,
      unproven,
      exchanged,
    }
  const found = [
    ...stretches.map((stretch) => says.slipped(stretch)),
    ...(mistakes.length >= one_question ? [says.many(mistakes)] : mistakes.map((one) => says.carried(one))),
    ...disorders.map((disorder) => says.disorder(disorder)),
  ]
  return { found: found.filter((one) => one !== null), rows, unproven, exchanged }
}

/** Two who changed places are one mistake, told at the upper one. */
const once = (carried: readonly Carried[], like: Likeness): Carried[] => {
  const isLower = ({ row, person, both }: Carried): boolean => {
    const theirs = like.rowOf[person] ?? -1
    return both && theirs < row && !like.skipped[theirs]
  }
  return carried.filter((one) => !like.skipped[one.row] && !isLower(one))
}

const short = (text: string): string => (text.length > 12 ? `${text.slice(0, 11)}…` : text || '没有姓名的一行')

class Sentences {
  readonly #beside: BesideLast
  readonly #like: Likeness

  constructor(beside: BesideLast, like: Likeness) {
    this.#beside = beside
    this.#like = like
  }

  slipped({ from, to, offset, columns }: Stretch): Found | null {
    const { rows } = this.#beside
    const first = rows.slice(from, to + 1).find(({ skipped }) => !skipped)
    const last = rows[to]
    if (!first || !last) return null
    const whose = this.#nameAt(rows.indexOf(first) + offset)
    const direction = offset > 0 ? '下方' : '上方'
    const distance = Math.abs(offset) === 1 ? `${direction}相邻一行` : `${direction}第 ${Math.abs(offset)} 行`
    const range = `第 ${rowText(first.row)}–${rowText(last.row)} 行`
    const example = whose ? `，例如「${short(first.name)}」这一行更像是「${short(whose)}」的` : ''
    return {
      row: first.row,
      name: first.name,
      column: this.#keyOf(columns[0]),
      level: 'error',
      kind: 'shifted_rows',
      message: `${range}的${this.#what(columns)}整体错位：每一行都更像是${distance}的人上月的数${example}；请在表里对齐后重新上传，确认无误才接受`,
      fix: ['accept'],
    }
  }

  carried({ row, person, both, column }: Carried): Found | null {
    const here = this.#beside.rows[row]
    if (!here) return null
    const theirs = this.#like.rowOf[person] ?? -1
    const there = this.#beside.rows[theirs]
    const said = `「${short(here.name)}」（第 ${rowText(here.row)} 行）`
    const what = this.#what(column === null ? [] : [column])
    const message = !there
      ? `${said}的${what}与本人上月的不同，更像是另一位这次不在表里的人的，可能错行了；请核对，确认无误才接受`
      : both
        ? `${said}和「${short(there.name)}」（第 ${rowText(there.row)} 行）的${what}像是对调了：各自更像对方上月的，与自己上月的不同；请核对，确认无误才接受`
        : `${said}的${what}更像是「${short(there.name)}」（第 ${rowText(there.row)} 行）上月的，与本人上月的不同，可能错行；请核对，确认无误才接受`
    return {
      row: here.row,
      name: here.name,
      column: this.#keyOf(column ?? undefined),
      level: 'error',
      kind: 'swapped_rows',
      message,
      ...(there && both && !there.skipped
        ? { other_row: there.row, fix: ['swap', 'accept', 'skip'] as const }
        : { fix: ['accept', 'skip'] as const }),
    }
  }

  /** Many rows at once: a column was sorted without the others, or cells were pasted elsewhere. */
  many(all: readonly Carried[]): Found | null {
    const first = this.#beside.rows[all[0]?.row ?? -1]
    if (!first) return null
    const shown = all.slice(0, examples).flatMap(({ row, person }) => {
      const here = this.#beside.rows[row]
      const theirs = this.#nameAt(this.#like.rowOf[person] ?? -1)
      return here && theirs ? [`第 ${rowText(here.row)} 行「${short(here.name)}」的金额更像是「${short(theirs)}」的`] : []
    })
    return {
      row: first.row,
      name: first.name,
      column: null,
      level: 'error',
      kind: 'shifted_rows',
      message: `金额和姓名对不上：有 ${all.length} 处的金额更像是别人上月的，可能只给一部分列排了序。${shown.join('；')}。请在表里对齐后重新上传，确认无误才接受`,
      fix: ['accept'],
    }
  }

  /** A few of many people, by their rows. */
  #examples(rows: readonly number[]): string {
    const shown = rows.slice(0, examples).flatMap((row) => this.#beside.rows[row] ?? [])
    return shown.map(({ row, name }) => `第 ${rowText(row)} 行「${short(name)}」`).join('、')
  }

  /** Most of the sheet stands beside other names: sorted, or pasted in pieces. Its columns are named once, with a few people. */
  whole(rows: readonly number[], parts: readonly (Stretch | Disorder)[]): Found | null {
    const columns = new Set(parts.flatMap((part) => ('column' in part ? [part.column] : part.columns)))
    const first = this.#beside.rows[rows[0] ?? -1]
    if (!first) return null
    return {
      row: first.row,
      name: first.name,
      column: null,
      level: 'error',
      kind: 'shifted_rows',
      message: `整张表的金额和姓名对不上：${rows.length} 人的${this.#what([...columns])}与本人上月的相差很大，像是换了顺序（${this.#examples(rows)}）；可能只给一部分列排了序，请在表里对齐后重新上传，确认无误才接受`,
      fix: ['accept'],
    }
  }

  disorder({ column, rows }: Disorder): Found | null {
    const first = this.#beside.rows[rows[0] ?? -1]
    if (!first) return null
    return {
      row: first.row,
      name: first.name,
      column: this.#keyOf(column),
      level: 'error',
      kind: 'shifted_rows',
      message: `${this.#what([column])}和姓名对不上：${rows.length} 人与本人上月的相差很大，有的多、有的少，合计却差不多，像是换了顺序（${this.#examples(rows)}）；请核对是否错行，确认无误才接受`,
      fix: ['accept'],
    }
  }

  #nameAt = (row: number): string => this.#beside.rows[row]?.name ?? ''
  #keyOf(column: number | undefined): string | null {
    return column === undefined ? null : (this.#beside.places[this.#like.placeOf[column] ?? -1]?.key ?? null)
  }
  #what(columns: readonly number[]): string {
    const labels = columns.map((column) => `「${this.#beside.places[this.#like.placeOf[column] ?? -1]?.label}」`)
    if (labels.length === 0) return '金额'
    return labels.slice(0, 3).join('') + (labels.length > 3 ? `等 ${labels.length} 列` : '')
  }
}
