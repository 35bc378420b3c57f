/**
 * Compares a wage sheet with the last pay run of its kind: the same members, the same items. Rows are added one by one
 * and only their amounts are stored here (a few megabytes for ten thousand employees); all comparisons of the two
 * months use this class.
 */
import { type IssueFix, type IssueKind, rowsPerSheet } from '../../../../contract/shared/schemas.ts'
import { isNet } from '../../../../contract/sheets/column-roles.ts'
import { parseCellAmount, type RowCells } from '../../../../rules/amounts.ts'
import { MemberAmounts, type PayItemColumn, toPayItems } from './member-amounts.ts'

/** An issue found by the comparison rules. A `row` of 0 means the whole sheet. */
export type DetectedIssue = {
  readonly row: number
  readonly name: string
  readonly column: string | null
  readonly level: 'error' | 'warning'
  readonly kind: IssueKind
  readonly message: string
  readonly fix: readonly IssueFix[]
  readonly expected_fen?: number
  readonly other_row?: number
}

/** Formats a row number as in the wage sheet; from the second sheet on, with the sheet. */
export const formatRowNumber = (row: number): string =>
  row < rowsPerSheet ? `${row}` : `${row % rowsPerSheet}（第 ${Math.floor(row / rowsPerSheet) + 1} 个表）`

type ItemPosition = {
  readonly key: string
  readonly label: string
  readonly role: PayItemColumn['role']
  readonly item: string
  /** Index of the item in last month's amounts; −1 where nobody had it. */
  readonly lastIndex: number
}
export type ComparedRow = {
  readonly row: number
  readonly name: string
  readonly member_id: string | null
  readonly skipped: boolean
  readonly amounts: Float64Array
  /** Positions of cells that are no amount, or of a missing net pay: reported separately and not compared. */
  readonly unreadable: readonly number[]
}
const noUnreadable: readonly number[] = []

/** Reads the item amounts of a row; an empty cell counts as 0. */
export function readItemAmounts(cells: RowCells, columns: readonly PayItemColumn[]): Pick<ComparedRow, 'amounts' | 'unreadable'> {
  const unreadable: number[] = []
  const amounts = Float64Array.from(columns, ({ key, role }, index) => {
    const { fen, error } = parseCellAmount(cells[key])
    if (error || (fen === null && isNet(role))) unreadable.push(index)
    return fen ?? 0
  })
  return { amounts, unreadable: unreadable.length > 0 ? unreadable : noUnreadable }
}

export class LastMonthComparison {
  #items: readonly ItemPosition[]
  #lastMonth: MemberAmounts
  /**
   * Compares with pay runs that the user may not see: differences are reported as questions without amounts, and values
   * are compared on a grid.
   */
  #isHidden = false
  /** Rows in sheet order. Further rows of a member are left out because they are reported separately. */
  readonly rows: ComparedRow[] = []
  readonly #rowByMember = new Map<string, number>()

  constructor(columns: readonly PayItemColumn[], last: MemberAmounts | null, renamed?: ReadonlyMap<string, string>) {
    this.#lastMonth = last ?? new MemberAmounts()
    this.#items = toPayItems(columns, renamed).map(({ column: { key, label, role }, item }) => ({
      key,
      label: label.split(' / ').at(-1) || label,
      role,
      item,
      lastIndex: this.#lastMonth.getColumn(item),
    }))
  }

  get items(): readonly ItemPosition[] {
    return this.#items
  }
  get lastMonth(): MemberAmounts {
    return this.#lastMonth
  }
  get isHidden(): boolean {
    return this.#isHidden
  }
  /** Sets the amounts to compare with; which members are needed is known only after the rows have been read. */
  compareWith(last: MemberAmounts, isUnseen: boolean): void {
    this.#lastMonth = last
    this.#isHidden = isUnseen
    this.#items = this.#items.map((position) => ({ ...position, lastIndex: last.getColumn(position.item) }))
  }

  add(row: ComparedRow): void {
    if (row.member_id !== null) {
      if (this.#rowByMember.has(row.member_id)) return
      this.#rowByMember.set(row.member_id, this.rows.length)
    }
    this.rows.push(row)
  }

  /** Returns the row of a member; −1 where there is none. */
  findRow = (member_id: string): number => this.#rowByMember.get(member_id) ?? -1
  getCurrent = (row: number, position: number): number => this.toComparable(this.rows[row]?.amounts[position] ?? 0)
  /** Returns what the member of a row was paid last time; undefined where they were not paid or nobody had the item. */
  getPrevious(row: number, position: number): number | undefined {
    const member_id = this.rows[row]?.member_id
    return member_id ? this.getPreviousOfMember(member_id, position) : undefined
  }
  getPreviousOfMember = (member_id: string, position: number): number | undefined =>
    this.getPreviousItem(member_id, this.items[position]?.lastIndex ?? -1)
  /** `last` is the index of the item in last month's amounts. */
  getPreviousItem(member_id: string, last: number): number | undefined {
    const own = this.#lastMonth.getAmountsByMember().get(member_id)
    return own && last >= 0 ? this.toComparable(own[last] ?? 0) : undefined
  }
  /** Returns an amount in the form used for comparison. */
  toComparable = (fen: number): number => (this.#isHidden ? roundToGrid(fen) : fen)
}

/**
 * Every check uses what other administrators of the company have paid, without showing amounts that the user may not
 * see. For pay runs that the user may not see, both months are rounded to a grid, so that trying amounts until the
 * questions change reveals a grid step and no amount:
 *
 *     assignment      steps of 2 %: base pays of 8,000 and 8,400 differ, 8,000 and 8,050 perhaps not
 *     net, half more  the old amount in steps of a quarter
 */
const gridStep = Math.log(1.02)
const coarseGridStep = Math.log(1.25)

const roundToStep = (fen: number, step: number): number =>
  fen === 0 ? 0 : Math.sign(fen) * Math.exp(Math.round(Math.log(Math.abs(fen)) / step) * step)
export const roundToGrid = (fen: number): number => roundToStep(fen, gridStep)
export const roundCoarsely = (fen: number): number => roundToStep(fen, coarseGridStep)

/** With fewer members, a question would reveal something about one of them. */
export const minHiddenMembers = 3

/** Appended to every question that results from such a pay run. */
export const inaccessiblePayRunNote = '（与公司此前发过的工资比对，那次不由您经手，不显示金额）'
export const toHiddenRunIssue = (issue: DetectedIssue): DetectedIssue => ({
  ...issue,
  message: `${issue.message}${inaccessiblePayRunNote}`,
})

/** Whether enough members of a wage sheet are known in a pay run for the comparison to be meaningful. */
export const minMatchedShare = 0.5
export function isComparable(memberIds: readonly string[], has: (member_id: string) => boolean): boolean {
  return memberIds.filter(has).length >= memberIds.length * minMatchedShare
}
