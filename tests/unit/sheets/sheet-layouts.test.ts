/**
 * Generated wage sheets: every kind of header over every kind of body, in six languages, compared with the expected
 * result.
 */
import { expect, test } from 'vitest'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { grid } from '../../support/files/grid.ts'
import { bodies, headers, layout } from '../../support/files/sheet-layouts.ts'
import { languages } from '../../support/files/sheet-words.ts'

const chinese = headers.flatMap((header, h) =>
  bodies.flatMap((body, b) => [0, 1].map((n) => layout(1 + h * 100 + b * 10 + n, { header, body }))),
)
const others = (Object.keys(languages) as (keyof typeof languages)[])
  .filter((language) => language !== 'cn')
  .flatMap((language, l) =>
    headers.flatMap((header, h) => [0, 1, 2].map((n) => layout(5000 + l * 100 + h * 10 + n, { language, header }))),
  )

test.each([...chinese, ...others].map((one) => [one.what, one] as const))('%s', (_, { rows, merges, truth }) => {
  const match = recognizeWorkbook([grid(rows, { merges })]).recognition
  const identity = Object.fromEntries(
    match.columns
      .filter(({ role }) => ['name', 'department', 'employee_no', 'mobile', 'id_card', 'bank_account'].includes(role))
      .map(({ role, col }) => [role, col]),
  )
  expect({
    kind: match.kind,
    header_rows: match.header.rows,
    people: match.data_rows,
    identity,
    net: match.columns.find(({ role }) => role === 'net')?.col,
    gross: match.columns.find(({ role }) => role === 'gross')?.col,
    net_sum_fen: match.net_sum_fen,
    month: match.says.month,
    must: match.questions.filter(({ must }) => must).map(({ message }) => message),
  }).toEqual({ kind: 'wage', ...truth, must: [] })
  expect(match.formula?.holds).toBe(truth.people.length)
  expect(match.subtotals.find(({ key }) => key === match.columns.find(({ role }) => role === 'gross')?.key)?.holds).toBe(
    truth.people.length,
  )
})
