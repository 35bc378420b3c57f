/** A year of an employee's pay: what is added up, and what is left out with a note. */
import { describe, expect, it } from 'vitest'
import { summarizeYear } from '../../../server/modules/payslips/employee/rules/year-summary.ts'

const line = (month: string, net_fen: number | null, gross_fen: number | null = null, tax_fen: number | null = null) => ({
  month,
  amounts: { net_fen, gross_fen, tax_fen },
})

describe('year summary', () => {
  it.each([
    ['nothing', [], [], [0, 0, null, null, null]],
    [
      'adds up the payslips of a month and keeps the months in order',
      [line('2026-10', 100, 150, 20), line('2026-09', 7, 9, 1), line('2026-10', 50, 50, 0)],
      [
        ['2026-09', 1, 0, 7, 9, 1],
        ['2026-10', 2, 0, 150, 200, 20],
      ],
      [3, 0, 157, 209, 21],
    ],
    [
      'leaves a column empty that no sheet had, and sums a column that some had',
      [line('2026-01', 100), line('2026-02', 200, 300)],
      [
        ['2026-01', 1, 0, 100, null, null],
        ['2026-02', 1, 0, 200, 300, null],
      ],
      [2, 0, 300, 300, null],
    ],
    [
      'counts hidden payslips and excludes them from sums',
      [line('2026-01', 100), { month: '2026-01', amounts: null }, { month: '2026-02', amounts: null }],
      [
        ['2026-01', 2, 1, 100, null, null],
        ['2026-02', 1, 1, null, null, null],
      ],
      [3, 2, 100, null, null],
    ],
    [
      'subtracts refunded amounts',
      [line('2026-01', 100, 120, 20), line('2026-01', -30, -30, -5)],
      [['2026-01', 2, 0, 70, 90, 15]],
      [2, 0, 70, 90, 15],
    ],
  ] as const)('%s', (_, lines, months, total) => {
    const year = summarizeYear(lines)
    expect(year.months.map((one) => [one.month, one.slips, one.kept_back, one.net_fen, one.gross_fen, one.tax_fen])).toEqual(
      months,
    )
    const { total: all } = year
    expect([all.slips, all.kept_back, all.net_fen, all.gross_fen, all.tax_fen]).toEqual(total)
  })
})
