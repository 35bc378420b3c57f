/** What can be wrong with a sheet as a whole: uploaded before, another month, sums and totals that do not agree, numbers of two people. */
import { moneyRoles } from '../../../../contract/column-roles.ts'
import { formatFen } from '../../../../contract/money.ts'
import type { ColumnRole } from '../../../../contract/words.ts'
import { type RowCells } from '../amounts.ts'
import { tidy } from '../cells.ts'
import { fenInUnit, type Power } from '../unit.ts'
import { type Found, rowText } from './beside-last.ts'
import { fenOf } from './history.ts'
import { type CheckColumn, type Formula, isTrusted } from './problems-amounts.ts'

/** What the sheet's own row of totals says of a column. `within`: half of the last place it shows, in fen. */
export type Stated = { readonly row: number; readonly amounts: readonly { key: string; fen: number; within: number }[] }

/** From the cells of that row as they are shown. `places`: where a column stands, 0-based; `power`: the sheet counts in so many tens. */
export function statedTotals(
  row: number,
  cells: readonly string[],
  columns: readonly CheckColumn[],
  places: ReadonlyMap<string, number>,
  power: Power,
): Stated {
  const amounts = columns.flatMap(({ key, role }) => {
    const text = moneyRoles.has(role) ? (cells[places.get(key) ?? -1] ?? '') : ''
    const fen = fenInUnit(text, power)
    if (fen === null) return []
    // What is shown may be cut: 13 stands for 12.70 without its decimals, 12.5 for 12.50 or 12.53.
    const decimals = /\.(\d+)/.exec(text)?.[1]?.length ?? 0
    return [{ key, fen, within: decimals >= power + 2 ? 0 : 50 * 10 ** (power - decimals) }]
  })
  return { row, amounts }
}

export type SheetFacts = {
  readonly columns: readonly CheckColumn[]
  readonly formula: Formula | null
  readonly expected: Formula | null
  /** Columns that were not there last month, by key. */
  readonly fresh: ReadonlySet<string>
  readonly totals_row: { readonly row: number; readonly net_fen: number | null; readonly agrees: boolean | null } | null
  /** What every column of that row says, where the drawing has kept it. */
  readonly stated: Stated | null
  readonly says_month: string | null
  readonly title_month: string | null
}
export type SameFile = { readonly title: string; readonly month: string; readonly by: 'file' | 'content' }

/** `kept`: in how many rows last month's formula holds. */
export function sheetProblems(
  sheet: SheetFacts,
  sums: ReadonlyMap<string, number>,
  same_file: SameFile | null,
  kept: { readonly holds: number; readonly of: number } | null,
): Found[] {
  const { totals_row, stated, expected, formula, columns, says_month, title_month } = sheet
  const net = columns.find((column) => column.role === 'net')?.key ?? null
  const found: Found[] = []
  const say = (row: number, kind: Found['kind'], level: Found['level'], column: string | null, message: string) =>
    found.push({ row, name: '', kind, level, column, message, fix: ['accept'] })
  if (same_file) {
    const which = `${same_file.title}${same_file.month ? ` ${same_file.month}` : ''}`
    const what = same_file.by === 'file' ? `这个文件已经上传过（${which}）` : `每一格内容都与已上传的另一批相同（${which}）`
    say(0, 'same_file', 'warning', null, `${what}，请确认不是重复发放`)
  }
  if (says_month && title_month && says_month !== title_month)
    say(
      0,
      'other_month',
      'warning',
      null,
      `表里写的是 ${says_month}，这一批的月份是 ${title_month}；请确认没有传错表，或修改标题的月份`,
    )
  // A column that slipped by one row breaks the sums of the whole sheet at once; the last sheet knows how they ought to be.
  if (expected && expected.of >= 3 && isTrusted(expected) && expected.net === net) {
    if (!(formula && isTrusted(formula)))
      say(0, 'sum_mismatch', 'error', net, '上次同样的表各项相加等于实发，这次大部分行都不等；可能有一列错位了，请核对后再继续')
    else if (kept && kept.of >= 3 && kept.holds * 2 < kept.of && isOtherwise(formula, expected, sheet.fresh))
      say(
        0,
        'sum_mismatch',
        'error',
        net,
        '实发的算法和上次不同：按上次的算法，大部分行都不相等，换一种加减才相等；可能有两列的列名写反了，请核对表头和内容，确认无误才接受',
      )
  }
  if (stated && stated.amounts.length > 0) totalsOf(stated, columns, sums, say)
  else if (totals_row?.agrees === false) {
    const said = totals_row.net_fen === null ? '' : ` ${formatFen(totals_row.net_fen)}`
    say(totals_row.row, 'total_row_mismatch', 'warning', net, `表里合计行的实发${said} 与各行相加不一致，请核对`)
  }
  return found
}

/** Without a column that counted last month, and without one that is new: then nothing was added to the sheet, but a column says something else. */
function isOtherwise({ plus, minus }: Formula, expected: Formula, fresh: ReadonlySet<string>): boolean {
  const counts = [
    [expected.plus, plus],
    [expected.minus, minus],
  ] as const
  return (
    ![...plus, ...minus].some((key) => fresh.has(key)) && counts.some(([were, are]) => were.some((key) => !are.includes(key)))
  )
}

function totalsOf(
  { row, amounts }: Stated,
  columns: readonly CheckColumn[],
  sums: ReadonlyMap<string, number>,
  say: (row: number, kind: Found['kind'], level: Found['level'], column: string | null, message: string) => void,
): void {
  const wrong = amounts.filter(({ key, fen, within }) => Math.abs((sums.get(key) ?? 0) - fen) > within)
  const first = wrong.find(({ key }) => columns.some((column) => column.key === key && column.role === 'net')) ?? wrong[0]
  if (!first) return
  const labelOf = (key: string) => `「${columns.find((column) => column.key === key)?.label ?? ''}」`
  const text = ({ key, fen }: (typeof wrong)[number]) =>
    `${labelOf(key)}写的是 ${formatFen(fen)}，各行相加是 ${formatFen(sums.get(key) ?? 0)}`
  // More than a few: the row is perhaps not the sum of these rows; that is one question, not forty.
  if (wrong.length <= 3)
    for (const one of wrong)
      say(row, 'total_row_mismatch', 'warning', one.key, `表里合计行的${text(one)}，请核对是否漏行或改过数`)
  else
    say(
      row,
      'total_row_mismatch',
      'warning',
      first.key,
      `表里合计行有 ${wrong.length} 列与各行相加不一致：${text(first)}；另有${wrong
        .filter((one) => one !== first)
        .slice(0, 3)
        .map(({ key }) => labelOf(key))
        .join('')}${wrong.length > 4 ? '等' : ''}；请核对是否漏行`,
    )
}

/** Sums over the rows of the part in which the total row stands. */
export function addUp(sums: Map<string, number>, stated: Stated | null, cells: RowCells): void {
  for (const { key } of stated?.amounts ?? []) sums.set(key, (sums.get(key) ?? 0) + fenOf(cells, key))
}

const numbers: readonly (readonly [ColumnRole, string])[] = [
  ['mobile', '手机号'],
  ['id_card', '身份证号'],
  ['bank_account', '银行卡号'],
]

/** Numbers that only one person has: who bears which. */
export class Numbers {
  readonly #columns: readonly { key: string; word: string }[]
  readonly #of = new Map<string, { row: number; name: string; who: string }[]>()

  constructor(columns: readonly CheckColumn[]) {
    this.#columns = numbers.flatMap(([role, word]) => {
      const column = columns.find((one) => one.role === role)
      return column ? [{ key: column.key, word }] : []
    })
  }

  /** `who`: the person where one is known, else the name. */
  add(row: number, name: string, who: string, cells: RowCells): void {
    for (const { key } of this.#columns) {
      const cell = cells[key]
      const text = cell && cell.flaw !== 'damaged' ? tidy(cell.value).replace(/[\s-]/g, '').toUpperCase() : ''
      // A word in place of a number (无, 现金) is nobody's.
      if (!/\d{6}/.test(text)) continue
      const id = `${key} ${text}`
      const bearers = this.#of.get(id)
      if (bearers) bearers.push({ row, name, who })
      else this.#of.set(id, [{ row, name, who }])
    }
  }

  problems(): Found[] {
    return [...this.#of].flatMap(([id, bearers]) => {
      if (new Set(bearers.map(({ who }) => who)).size < 2) return []
      const column = this.#columns.find(({ key }) => id.startsWith(`${key} `))
      const rows = bearers.slice(0, 5).map(({ row }) => rowText(row))
      const list = rows.join('、') + (bearers.length > 5 ? ' 等' : '')
      return bearers.map(
        ({ row, name }): Found => ({
          row,
          name,
          column: column?.key ?? null,
          level: 'warning',
          kind: 'same_number',
          message: `第 ${list} 行的${column?.word}相同，却不是同一个人；请核对是否粘贴错了`,
          fix: ['edit', 'accept', 'skip'],
        }),
      )
    })
  }
}

/** Several rows of one person; `rowsOf`: those of each. */
export function duplicates(
  rowsOf: readonly (readonly number[])[],
  named: readonly { readonly row: number; readonly name: string }[],
  column: string | null,
): Found[] {
  const nameOf = new Map(named.map(({ row, name }) => [row, name]))
  return rowsOf.flatMap((rows) => {
    if (rows.length < 2) return []
    const list = rows.slice(0, 5).map(rowText).join('、') + (rows.length > 5 ? ' 等' : '')
    const message = `第 ${list} 行是同一个人，一批里一个人只能有一张工资条；请跳过多余的行，或把其中一行指定给别人`
    return rows.map(
      (row): Found => ({
        row,
        name: nameOf.get(row) ?? '',
        column,
        level: 'error',
        kind: 'duplicate_person',
        message,
        fix: ['skip', 'match'],
      }),
    )
  })
}
