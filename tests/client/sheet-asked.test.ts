/** What step 1 still needs, and the text next to its button, by columns and answers. */
import { expect, test } from 'vitest'
import type { ColumnRole, QuestionKind } from '../../server/contract/shared/schemas.ts'
import type { WageSheetInfo } from '../../server/contract/sheets/sheet.ts'
import { getMissingRoleLabels, summarizeRecognition } from '../../src/features/sheets/labels.ts'

const sheet = (roles: readonly ColumnRole[], answers: readonly (readonly [QuestionKind, string | null])[] = []) =>
  ({
    rows: 3,
    formula: null,
    columns: roles.map((role, at) => ({ key: `c${at}`, role, kind: 'money' })),
    questions: answers.map(([kind, answer]) => ({ kind, answer, must: true })),
  }) as unknown as WageSheetInfo

test.each<[string, WageSheetInfo, string[]]>([
  ['a sheet with names and a net pay', sheet(['name', 'net']), []],
  ['employee numbers, which also identify members', sheet(['employee_no', 'net']), []],
  ['nobody', sheet(['department', 'net']), ['姓名']],
  ['no net pay and no answer', sheet(['name', 'earning'], [['net', null]]), ['实发']],
  ['no net pay, as answered', sheet(['name', 'earning'], [['net', 'none']]), []],
  ['the sum recognized as net pay is none, as answered', sheet(['name', 'info'], [['role', 'none']]), []],
])('%s', (_, info, missing) => expect(getMissingRoleLabels(info)).toEqual(missing))

test('checks no sum without a net column', () => {
  expect(summarizeRecognition(sheet(['name', 'earning'], [['net', 'none']]))).toEqual({
    text: '识别到 3 人 · 没有实发，不核算',
    agrees: true,
  })
  expect(summarizeRecognition(sheet(['name', 'earning', 'net'])).text).toBe('识别到 3 人 · 实发未逐行核算')
})
