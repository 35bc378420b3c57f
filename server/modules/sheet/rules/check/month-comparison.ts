/**
 * A sheet beside the last run of its kind: the same people, the same items. Rows come one after the other and leave only their
 * figures here (a few megabytes for ten thousand people); what is asked of both months is asked through this.
 */
import { type IssueFix, type IssueKind, rowsPerSheet } from '../../../../contract/shared/schemas.ts'
import { parseCellAmount, type RowCells } from '../../../../rules/amounts.ts'
import { MemberAmounts, type PayItemColumn, toPayItems } from './member-amounts.ts'

/** A problem as the rules of both months see it. `row` 0: of the sheet. */
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

/** A row as the sheet numbers it; of the second sheet on, with the sheet. */
export const formatRowNumber = (row: number): string =>
  row < rowsPerSheet ? `${row}` : `${row % rowsPerSheet}（第 ${Math.floor(row / rowsPerSheet) + 1} 个表）`

type ItemPosition = {
  readonly key: string
  readonly label: string
  readonly role: PayItemColumn['role']
  readonly item: string
  /** Where the item stands in last month's figures; -1 where nobody had it. */
  readonly lastIndex: number
}
export type ComparedRow = {
  readonly row: number
  readonly name: string
  readonly member_id: string | null
  readonly skipped: boolean
  readonly amounts: Float64Array
  /** Places whose cell is no amount, or the net pay that is not there: said by itself, and compared with nothing. */
  readonly unreadable: readonly number[]
}
const noUnreadable: readonly number[] = []

/** What a row says of these items; what a cell does not say is 0. */
export function readItemAmounts(cells: RowCells, columns: readonly PayItemColumn[]): Pick<ComparedRow, 'amounts' | 'unreadable'> {
  const unreadable: number[] = []
  const amounts = Float64Array.from(columns, ({ key, role }, index) => {
    const { fen, error } = parseCellAmount(cells[key])
    if (error || (fen === null && role === 'net')) unreadable.push(index)
    return fen ?? 0
  })
  return { amounts: amounts, unreadable: unreadable.length > 0 ? unreadable : noUnreadable }
}

export class LastMonthComparison {
  #items: readonly ItemPosition[]
  #lastMonth: MemberAmounts
  /** Figures of runs that whoever checks may not see: told of as questions, without an amount, and compared on a grid. */
  #isHidden = false
  /** In the order of the sheet. A person's second row is left out: it is an error of its own. */
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
  /** Beside these figures from now on: whose they are asked of is only known when the rows are. */
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

  /** The row of a person; -1 where he has none. */
  findRow = (member_id: string): number => this.#rowByMember.get(member_id) ?? -1
  getCurrent = (row: number, position: number): number => this.toComparable(this.rows[row]?.amounts[position] ?? 0)
  /** What the person of a row got last time; undefined where he got nothing or nobody had the item. */
  getPrevious(row: number, position: number): number | undefined {
    const member_id = this.rows[row]?.member_id
    return member_id ? this.getPreviousOfMember(member_id, position) : undefined
  }
  getPreviousOfMember = (member_id: string, position: number): number | undefined =>
    this.getPreviousItem(member_id, this.items[position]?.lastIndex ?? -1)
  /** `last`: where the item stands in last month's figures. */
  getPreviousItem(member_id: string, last: number): number | undefined {
    const own = this.#lastMonth.getAmountsByMember().get(member_id)
    return own && last >= 0 ? this.toComparable(own[last] ?? 0) : undefined
  }
  /** An amount as it may be compared. */
  toComparable = (fen: number): number => (this.#isHidden ? roundToGrid(fen) : fen)
}

/**
 * What other administrators of the company paid serves every check, and shows nobody what he may not see. Beside runs that he may not see
 * both months stand on a grid, so that whoever tries amounts until the questions change finds a step of it and no amount:
 *
 *     assignment      steps of 2 %: base pays of 8,000 and 8,400 are two, of 8,000 and 8,050 perhaps one
 *     net, half more  the old amount in steps of a quarter
 */
const gridStep = Math.log(1.02)
const coarseGridStep = Math.log(1.25)

const roundToStep = (fen: number, step: number): number =>
  fen === 0 ? 0 : Math.sign(fen) * Math.exp(Math.round(Math.log(Math.abs(fen)) / step) * step)
export const roundToGrid = (fen: number): number => roundToStep(fen, gridStep)
export const roundCoarsely = (fen: number): number => roundToStep(fen, coarseGridStep)

/** Of so few people a question would be an answer about one of them. */
export const minHiddenMembers = 3

/** Said behind every question that comes of such a run. */
export const hiddenRunNote = '（与公司此前发过的工资比对，那次不由您经手，不显示金额）'
export const toHiddenRunIssue = (issue: DetectedIssue): DetectedIssue => ({
  ...issue,
  message: `${issue.message}${hiddenRunNote}`,
})

/** Whether the people of a sheet are known well enough to a run for it to speak for the sheet. */
export const minMatchedShare = 0.5
export function isComparable(memberIds: readonly string[], has: (member_id: string) => boolean): boolean {
  return memberIds.filter(has).length >= memberIds.length * minMatchedShare
}
