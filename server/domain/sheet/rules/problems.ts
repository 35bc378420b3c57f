/**
 * Everything that can be wrong with a sheet, row by row. An error keeps the batch from being sent; a warning asks. Rows are given one
 * after the other, so that a large sheet is never in memory as a whole and the event loop can turn in between.
 */

import { formatFen } from '../../../contract/money.ts'
import type { Problem } from '../../../contract/sheet.ts'
import type { Fix, ProblemKind } from '../../../contract/words.ts'
import type { RowCells } from './amounts.ts'
import { tidy } from './cells.ts'
import { type Finding, matchRow, type Person, type Roster, type Said } from './matching.ts'
import { type CheckColumn, checkAmounts, type Figures, type Formula, isTrusted, termsOf } from './problems-amounts.ts'

export type CheckRow = {
  /** As Excel counts. */
  readonly row: number
  readonly cells: RowCells
  /** The person an administrator chose. */
  readonly member_id: string | null
  readonly skipped: boolean
  /** `kind:column` of what was accepted. */
  readonly accepted: readonly string[]
}

/** What is known of the sheet as a whole. */
export type CheckSheet = {
  readonly columns: readonly CheckColumn[]
  readonly formula: Formula | null
  /** The formula of the last sheet made from the same template, where this one keeps another or none. */
  readonly expected: Formula | null
  /** What the sheet's own row of totals says, beside what its rows add up to. */
  readonly totals_row: { readonly row: number; readonly net_fen: number | null; readonly agrees: boolean | null } | null
  /** The same file was uploaded before, in a batch that still counts. */
  readonly same_file: { readonly title: string; readonly month: string } | null
  /** `kind:column` of what was accepted for the whole sheet. */
  readonly accepted: readonly string[]
}

export type Around = {
  readonly roster: Roster
  /** Net pay by person in the last pay run of this kind. */
  readonly last: ReadonlyMap<string, number>
  /** People who already have a slip in the same title and month. */
  readonly already: ReadonlySet<string>
  idCardIndex(id_card: string): string
}

/** What became of a row. */
export type CheckedRow = Figures & {
  readonly row: number
  readonly name: string
  readonly member_id: string | null
  readonly skipped: boolean
}
export type Totals = { people: number; gross_fen: number | null; tax_fen: number | null; net_fen: number | null }
export type Checked = {
  readonly problems: Problem[]
  readonly rows: CheckedRow[]
  readonly totals: Totals
  readonly skipped: number
}

/** Who a row is for, in its own words. */
export function saidOf(cells: RowCells, columns: readonly CheckColumn[]): Said {
  const text = (role: CheckColumn['role']) => {
    const column = columns.find((one) => one.role === role)
    return column ? tidy(cells[column.key]?.value ?? '') : ''
  }
  const [last, first] = [text('last_name'), text('first_name')]
  const name = text('name')
  const latin = /^[ -ɏ]*$/.test(last + first)
  const names = name
    ? [name]
    : last || first
      ? [latin ? `${last} ${first}`.trim() : last + first, ...(latin ? [`${first} ${last}`.trim()] : [])]
      : []
  return {
    names,
    mobile: text('mobile'),
    id_card: text('id_card'),
    employee_no: text('employee_no'),
    department: text('department'),
  }
}

const fixesOf: Partial<Record<ProblemKind, readonly Fix[]>> = {
  unknown_person: ['create', 'match', 'skip'],
  no_contact: ['edit', 'match', 'skip'],
  no_name: ['edit', 'match', 'skip'],
  several_persons: ['match', 'skip'],
  name_mismatch: ['edit', 'match', 'skip'],
  left_person: ['skip'],
  out_of_scope: ['skip'],
  duplicate_person: ['skip', 'match'],
}

export class Check {
  readonly #sheet: CheckSheet
  readonly #around: Around
  readonly #problems: Problem[] = []
  readonly #rows: CheckedRow[] = []
  readonly #rowsOf = new Map<string, number[]>()
  readonly #terms: ReadonlySet<string>
  readonly #columnOf: (about: Finding['about']) => string | null

  constructor(sheet: CheckSheet, around: Around) {
    this.#sheet = sheet
    this.#around = around
    this.#terms = termsOf(sheet.formula)
    const byRole = new Map(sheet.columns.map((column) => [column.role, column.key]))
    this.#columnOf = (about) =>
      byRole.get(about) ?? (about === 'name' ? (byRole.get('last_name') ?? byRole.get('first_name')) : null) ?? null
  }

  add(row: CheckRow): void {
    const { columns } = this.#sheet
    const said = saidOf(row.cells, columns)
    const name = said.names[0] ?? ''
    const { person, findings } = matchRow(said, this.#around.roster, row.member_id, (text) => this.#around.idCardIndex(text))
    const last = person ? (this.#around.last.get(person.id) ?? null) : null
    const amounts = checkAmounts(row.cells, { columns, formula: this.#sheet.formula, terms: this.#terms }, last)
    this.#rows.push({ row: row.row, name, member_id: person?.id ?? null, skipped: row.skipped, ...amounts.figures })
    if (row.skipped) return
    const say = (problem: Omit<Problem, 'id' | 'row' | 'name'>) => {
      if (!row.accepted.includes(`${problem.kind}:${problem.column ?? ''}`) || !problem.fix.includes('accept'))
        this.#problems.push({ id: idOf(row.row, problem.kind, problem.column), row: row.row, name, ...problem })
    }
    for (const finding of findings) {
      const column = this.#columnOf(finding.about)
      const { kind, level, message } = finding
      const offered = level === 'warning' ? (['edit', 'accept'] as const) : (fixesOf[kind] ?? ['edit', 'match', 'skip'])
      const fix = offered.filter(
        (one) => one !== 'edit' || column !== null || (kind === 'no_contact' && this.#columnOf('mobile') !== null),
      )
      // A missing phone is written into the phone's column, not over the name.
      const at = kind === 'no_contact' ? (this.#columnOf('mobile') ?? column) : column
      say({
        column: at,
        level,
        kind,
        message,
        fix: at === null ? fix.filter((one) => one !== 'edit') : [...fix],
        candidates: finding.candidates.map(shown),
      })
    }
    for (const finding of amounts.findings) say({ ...finding, fix: [...finding.fix], candidates: [] })
    if (!person) return
    const rows = this.#rowsOf.get(person.id)
    if (rows) rows.push(row.row)
    else this.#rowsOf.set(person.id, [row.row])
    if (this.#around.already.has(person.id)) {
      const message = '同一标题、同一月份里已经给此人发过工资条，请确认是否重复'
      say({
        column: this.#columnOf('name'),
        level: 'warning',
        kind: 'same_month',
        message,
        fix: ['accept', 'skip'],
        candidates: [],
      })
    }
  }

  finish(): Checked {
    const { columns } = this.#sheet
    const nameOf = new Map(this.#rows.map((row) => [row.row, row.name]))
    for (const rows of this.#rowsOf.values()) {
      if (rows.length < 2) continue
      const list = rows.slice(0, 5).join('、') + (rows.length > 5 ? ' 等' : '')
      const message = `第 ${list} 行是同一个人，一批里一个人只能有一张工资条；请跳过多余的行，或把其中一行指定给别人`
      const column = this.#columnOf('name')
      for (const row of rows) {
        const kind = 'duplicate_person'
        const fix = [...(fixesOf[kind] ?? [])]
        const name = nameOf.get(row) ?? ''
        this.#problems.push({
          id: idOf(row, kind, column),
          row,
          name,
          column,
          level: 'error',
          kind,
          message,
          fix,
          candidates: [],
        })
      }
    }
    const problems = [...this.#ofSheet(), ...this.#problems.sort((a, b) => a.row - b.row || order(a) - order(b))]
    const counting = this.#rows.filter((row) => !row.skipped)
    const sum = (field: keyof Figures, has: boolean) => (has ? counting.reduce((all, row) => all + (row[field] ?? 0), 0) : null)
    const has = (role: CheckColumn['role']) => columns.some((column) => column.role === role)
    return {
      problems,
      rows: this.#rows,
      totals: {
        people: counting.length,
        gross_fen: sum('gross_fen', has('gross')),
        tax_fen: sum('tax_fen', has('tax')),
        net_fen: sum('net_fen', has('net')),
      },
      skipped: this.#rows.length - counting.length,
    }
  }

  #ofSheet(): Problem[] {
    const { totals_row, same_file, expected, formula, accepted, columns } = this.#sheet
    const net = columns.find((column) => column.role === 'net')?.key ?? null
    const found: Problem[] = []
    const say = (row: number, kind: ProblemKind, level: Problem['level'], column: string | null, message: string) => {
      if (!accepted.includes(`${kind}:${column ?? ''}`))
        found.push({ id: idOf(row, kind, column), row, name: '', column, level, kind, message, fix: ['accept'], candidates: [] })
    }
    if (same_file)
      say(
        0,
        'same_file',
        'warning',
        null,
        `这个文件已经上传过（${same_file.title}${same_file.month ? ` ${same_file.month}` : ''}），请确认不是重复发放`,
      )
    // A column that slipped by one row breaks the sums of the whole sheet at once; the last sheet knows how they ought to be.
    if (expected && expected.of >= 3 && isTrusted(expected) && expected.net === net && !(formula && isTrusted(formula)))
      say(0, 'sum_mismatch', 'error', net, '上次同样的表各项相加等于实发，这次大部分行都不等；可能有一列错位了，请核对后再继续')
    if (totals_row?.agrees === false) {
      const said = totals_row.net_fen === null ? '' : ` ${formatFen(totals_row.net_fen)}`
      say(totals_row.row, 'total_row_mismatch', 'warning', net, `表里合计行的实发${said} 与各行相加不一致，请核对`)
    }
    return found
  }
}

const idOf = (row: number, kind: ProblemKind, column: string | null): string => `${row}:${kind}:${column ?? ''}`
const order = (problem: Problem): number => (problem.level === 'error' ? 0 : 1)
const shown = (person: Person): Problem['candidates'][number] => ({
  member_id: person.id,
  name: person.name,
  mobile_masked: `${person.mobile.slice(0, 3)}****${person.mobile.slice(-4)}`,
  departments: person.departments,
})
