/**
 * Forty-three wage sheets from outside the project with their expected results. They are stored next to the project and
 * are not part of it; without them this file reports their absence and passes.
 */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { formatInspection } from '../../../server/commands/inspect.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { readGrids } from '../../../server/spreadsheets/read/read-grids.ts'

interface Truth {
  file: string
  sheet: string
  kind: string
  header_rows: number[]
  first_data_row: number | null
  last_data_row: number | null
  data_row_count: number
  data_rows?: number[]
  people: number
  identity_columns: Record<string, { col: string; label: string }>
  net_column: string | null
  net_sum_fen: number | null
  totals_row_net_fen?: number
  columns?: { col: string; label: string; kind: string }[]
  [rows: `${string}_rows`]: number[] | undefined
}

const folder = new URL('../../../../shared/sheets/', import.meta.url)
const context = existsSync(new URL('truth.json', folder))
const truths: Truth[] = context ? (JSON.parse(readFileSync(new URL('truth.json', folder), 'utf8')) as Truth[]) : []
const anonymous = ['title', 'meta', 'repeated_header', 'totals', 'statistics', 'signature', 'junk', 'column_code'] as const

describe.skipIf(!context)('public wage sheets', () => {
  let right = 0
  test.each(truths.map((truth) => [truth.file, truth] as const))('%s', async (file, truth) => {
    const { recognition } = recognizeWorkbook(await readGrids(readFileSync(new URL(file, folder))))
    const match = formatInspection(recognition)
    expect(match.kind).toBe(truth.kind)
    if (truth.kind === 'not_a_wage_sheet') expect(match.reason).toMatch(/[\u4e00-\u9fff]/)
    else {
      expect(match).toMatchObject({
        sheet: truth.sheet,
        header_rows: truth.header_rows,
        first_data_row: truth.first_data_row,
        last_data_row: truth.last_data_row,
        people: truth.people,
        net_column: truth.net_column,
        net_sum_fen: truth.net_sum_fen,
      })
      expect(match.identity_columns).toEqual(truth.identity_columns)
      expect(recognition.data_rows).toHaveLength(truth.data_row_count)
      if (truth.data_rows) expect(recognition.data_rows).toEqual(truth.data_rows)
      const columns = truth.columns ?? []
      expect(match.columns.map(({ col, label }) => `${col} ${label}`)).toEqual(columns.map(({ col, label }) => `${col} ${label}`))
      const paid = columns.filter(({ kind }) => kind === 'pay' || kind === 'net').map(({ label }) => label)
      expect(match.columns.filter(({ kind }) => kind === 'money').map(({ label }) => label)).toEqual(paid)
      const skipped = [
        ...anonymous.flatMap((what) => truth[`${what}_rows`] ?? []),
        ...((truth as { rows_to_skip?: number[] }).rows_to_skip ?? []),
      ]
      expect(match.ignored.map(({ row }) => row)).toEqual(expect.arrayContaining(skipped))
      if (truth.totals_row_net_fen !== undefined) expect(recognition.totals_row?.net_fen).toBe(truth.totals_row_net_fen)
    }
    right++
  })

  test('reports the score', () => {
    process.stdout.write(`    open wage sheets recognition: ${right} of ${truths.length}\n`)
    expect(right).toBe(truths.length)
  })
})
