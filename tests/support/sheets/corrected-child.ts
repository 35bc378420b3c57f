/**
 * Compares a corrected wage sheet with the one before, row by row as the server does, with the heap limit of this
 * process. Arguments: `rows`, `columns`, and `traces` or `whole`. With `whole` both sheets stay in memory as they did
 * before traces, which must not fit.
 */

import type { ColumnRole } from '../../../server/contract/shared/schemas.ts'
import {
  alignRows,
  carryDecisions,
  createTracer,
  type DecidedTrace,
  findRowChanges,
  type RowTrace,
} from '../../../server/modules/sheets/rules/reconcile.ts'
import { BufferedRows } from '../../../server/modules/sheets/upload/buffered-rows.ts'
import type { RowCells } from '../../../server/rules/amounts.ts'
import { runToCompletion } from '../../../server/rules/cooperative-task.ts'

/** The numbers of changed, added and removed rows, of rows processed again, and of skipped rows. */
export type Notified = { changed: number; added: number; removed: number; again: number; skipped: number; isFull: boolean }

const [count = 0, width = 0] = process.argv.slice(2, 4).map(Number)
const isFull = process.argv[4] === 'whole'
const getRole = (at: number): ColumnRole => (at === 0 ? 'name' : at === 1 ? 'employee_no' : at === width - 1 ? 'net' : 'earning')
const columns = Array.from({ length: width }, (_, at) => ({ key: `c${at}`, label: `项目${at}`, role: getRole(at) }))
const sides = { before: columns, after: columns, newKeyByOld: new Map(columns.map(({ key }) => [key, key])) }

/** Returns the cells of a row. Every hundredth row differs in the corrected sheet. */
function getCells(row: number, isCorrected: boolean): RowCells {
  const texts = columns.map((_, at) => {
    const fen = row * 37 + at * 1_000 + (isCorrected && row % 100 === 0 && at === 5 ? 100 : 0)
    return at === 0 ? `员工${row}` : at === 1 ? `A${row}` : (fen / 100).toFixed(2)
  })
  return Object.fromEntries(
    texts.map((value, at) => [
      `c${at}`,
      at < 2 ? { value, kind: 'text' } : { value, kind: 'money', fen: Math.round(Number(value) * 100) },
    ]),
  )
}

const traces = createTracer(sides)
const before: DecidedTrace[] = []
const after: RowTrace[] = []
const both: unknown[] = []
const locked = new BufferedRows()
for (let row = 2; row < count + 2; row += 250) {
  const numbers = Array.from({ length: Math.min(250, count + 2 - row) }, (_, at) => row + at)
  for (const number of numbers) {
    const cells = getCells(number, false)
    if (isFull) both.push(cells)
    before.push({ ...traces.before({ row: number, cells }), member_id: null, skipped: number % 10 === 0, accepted: [] })
  }
  const coming = numbers.map((number) => ({ row: number, cells: getCells(number, true) }))
  if (isFull) both.push(coming)
  await locked.add(coming)
  for (const one of coming) after.push(traces.after(one))
}
const paired = runToCompletion(alignRows(before, after, sides))
const { changed, added, removed } = findRowChanges(paired, sides)
let again = 0
for await (const chunk of locked.rows()) again += chunk.length
const skipped = [...carryDecisions(paired, sides).values()].filter((one) => one.skipped).length
const notified: Notified = {
  changed: changed.length,
  added: added.length,
  removed: removed.length,
  again,
  skipped,
  isFull: both.length > 0,
}
process.stdout.write(JSON.stringify(notified))
