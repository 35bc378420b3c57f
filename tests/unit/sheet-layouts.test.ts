/** Generated wage sheets: every kind of header over every kind of body, in six languages, against their truth. */
import { expect, test } from 'vitest'
import { recognizeWorkbook } from '../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { grid } from '../support/files/grid.ts'
import { bodies, headers, layout } from '../support/files/sheet-layouts.ts'
import { languages } from '../support/files/sheet-words.ts'

const chinese = headers.flatMap((header, h) =>
  bodies.flatMap((body, b) => [0, 1].map((n) => layout(1 + h * 100 + b * 10 + n, { header, body }))),
)
const others = (Object.keys(languages) as (keyof typeof languages)[])
  .filter((language) => language !== 'cn')
  .flatMap((language, l) =>
    headers.flatMap((header, h) => [0, 1, 2].map((n) => layout(5000 + l * 100 + h * 10 + n, { language, header }))),
  )

test.each([...chinese, ...others].map((one) => [one.what, one] as const))('%s', (_, { rows, merges, truth }) => {
  const found = recognizeWorkbook([grid(rows, { merges })]).recognition
  const identity = Object.fromEntries(
    found.columns
      .filter(({ role }) => ['name', 'department', 'employee_no', 'mobile', 'id_card', 'bank_account'].includes(role))
      .map(({ role, col }) => [role, col]),
  )
  expect({
    kind: found.kind,
    header_rows: found.header.rows,
    people: found.data_rows,
    identity,
    net: found.columns.find(({ role }) => role === 'net')?.col,
    gross: found.columns.find(({ role }) => role === 'gross')?.col,
    net_sum_fen: found.net_sum_fen,
    month: found.says.month,
    must: found.questions.filter(({ must }) => must).map(({ message }) => message),
  }).toEqual({ kind: 'wage', ...truth, must: [] })
  expect(found.formula?.holds).toBe(truth.people.length)
  expect(found.subtotals.find(({ key }) => key === found.columns.find(({ role }) => role === 'gross')?.key)?.holds).toBe(
    truth.people.length,
  )
})
