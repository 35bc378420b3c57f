/** The amount in a cell: fen, nothing, or the reason why it is no amount. */
import { describe, expect, it } from 'vitest'
import { parseCellAmount, parseTypedCell, type RowCell } from '../../../server/rules/amounts.ts'

describe('amount in a cell', () => {
  it.each([
    ['8000', 800_000, null],
    ['8,000.005', 800_001, null],
    ['￥１２.5', 1_250, null],
    ['(5)', -500, null],
    ['-', null, null],
    ['', null, null],
    ['见备注', null, 'not_a_number'],
    ['12.5.1', null, 'not_a_number'],
    ['99999999999999999', null, 'damaged_number'],
  ])('%j', (text, fen, flaw) => expect(parseCellAmount(parseTypedCell(text, 'net') ?? undefined)).toEqual({ fen, error: flaw }))

  it.each<[string, RowCell, number | null, string | null]>([
    ['an Excel error', { value: '#REF!', kind: 'error' }, null, 'formula_error'],
    ['a formula without a result', { value: '', kind: 'error', flaw: 'uncached' }, null, 'formula_error'],
    ['a number of 18 digits', { value: '123456789012345680', kind: 'number', flaw: 'damaged' }, null, 'damaged_number'],
    ['a date', { value: '2026-03-05', kind: 'date' }, null, 'not_a_number'],
    ['a number in a column that became an amount', { value: '12', kind: 'number' }, 1_200, null],
  ])('%s', (_, cell, fen, flaw) => expect(parseCellAmount(cell)).toEqual({ fen, error: flaw }))
})
