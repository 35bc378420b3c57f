/** What the cells of a correction say, as values: how they are spelled, what is a change, and what moves along. */
import { moneyRoles } from '../../../../server/contract/sheet/column-roles.ts'
import { follow } from '../../../../server/contract/slip/slip.ts'
import { formatFen, parseFen, plainFen, signed } from '../../../../server/contract/words/money.ts'
import type { Detail, SlipLine } from '../words.ts'

export type EditColumn = Detail['columns'][number]
type Texts = Readonly<Record<string, string>>

const fenOf = (text: string | undefined) => parseFen((text ?? '').replaceAll(/[,，\s¥￥]/g, '').replace('−', '-'))
const amountIn = ({ role }: Pick<EditColumn, 'role'>, text: string) => (moneyRoles.has(role) ? fenOf(text) : null)

/** In its field: an amount as amounts are written, with the sign of the sheet, because that is what one types. */
export function spelled(column: EditColumn, text: string): string {
  const fen = amountIn(column, text)
  return fen === null ? text : formatFen(fen)
}
/** As the person reads it on the slip. */
export function onSlip(column: EditColumn, text: string): string {
  const fen = amountIn(column, text)
  return fen === null ? text : formatFen(signed(fen, column.sign))
}
/** Whether a minus sign that nobody types stands before the amount. */
export function hasMinus(column: EditColumn, text: string): boolean {
  const fen = amountIn(column, text)
  return column.sign === 'turned' || (column.sign === 'minus' && (fen === null || fen >= 0))
}
/** The same amount in another spelling is no change. */
export function isSame(column: EditColumn, one: string, other: string): boolean {
  if (one === other) return true
  const fen = amountIn(column, one)
  return fen !== null && fen === amountIn(column, other)
}

const amountsOf = (texts: Texts) =>
  new Map(
    Object.entries(texts).flatMap(([key, text]) => {
      const fen = text === '' ? 0 : fenOf(text)
      return fen === null ? [] : [[key, fen] as const]
    }),
  )

/** What moves along with what was typed, and what contradicts it: as the server reckons it. */
export function reckon(line: Pick<SlipLine, 'cells'>, { columns, sums }: Pick<Detail, 'columns' | 'sums'>, typed: Texts) {
  const money = new Set(sums.flatMap(({ key, plus, minus }) => [key, ...plus, ...minus]))
  const was = (key: string) => line.cells[key]?.value ?? ''
  const texts = columns.flatMap(({ key }) => (money.has(key) && line.cells[key] ? [[key, was(key)] as const] : []))
  const changed = columns.flatMap((column) => {
    const text = typed[column.key]
    return text === undefined || !money.has(column.key) || isSame(column, text, was(column.key))
      ? []
      : [[column.key, text] as const]
  })
  const { followed, uneven } = follow(sums, amountsOf(Object.fromEntries(texts)), amountsOf(Object.fromEntries(changed)))
  return { followed: new Map([...followed].map(([key, fen]) => [key, plainFen(fen)])), uneven }
}

/**
 * Of a payslip made of several rows, what can be corrected are the cells of its rows: the columns and sums of each, in the place of those that
 * follow from them.
 */
export function ofRows(
  line: Pick<SlipLine, 'cells'>,
  { columns, sums }: Pick<Detail, 'columns' | 'sums'>,
): Pick<Detail, 'columns' | 'sums'> {
  const rows = [...new Set(Object.keys(line.cells).flatMap((key) => key.split('@')[1] ?? []))].toSorted(
    (a, b) => Number(a) - Number(b),
  )
  if (rows.length === 0) return { columns, sums }
  const within = (row: string) => (key: string) => `${key}@${row}`
  return {
    columns: rows.flatMap((row, at) =>
      columns.map((column) => ({ ...column, key: within(row)(column.key), label: `第 ${at + 1} 行 · ${column.label}` })),
    ),
    sums: rows.flatMap((row) =>
      sums.map(({ key, plus, minus }) => ({ key: within(row)(key), plus: plus.map(within(row)), minus: minus.map(within(row)) })),
    ),
  }
}
