/** What step 1 still needs, and the text beside its button, by columns and answers. */
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
  ['names and a net pay', sheet(['name', 'net']), []],
  ['numbers of employees lead to people too', sheet(['employee_no', 'net']), []],
  ['nobody', sheet(['department', 'net']), ['姓名']],
  ['no net pay, and nobody has said so', sheet(['name', 'earning'], [['net', null]]), ['实发']],
  ['no net pay, as was said', sheet(['name', 'earning'], [['net', 'none']]), []],
  ['the sum that was taken for it is none, as was said', sheet(['name', 'info'], [['role', 'none']]), []],
])('%s', (_, info, missing) => expect(getMissingRoleLabels(info)).toEqual(missing))

test('checks no sum without a net column', () => {
  expect(summarizeRecognition(sheet(['name', 'earning'], [['net', 'none']]))).toEqual({
    text: '识别到 3 人 · 没有实发，不验算',
    agrees: true,
  })
  expect(summarizeRecognition(sheet(['name', 'earning', 'net'])).text).toBe('识别到 3 人 · 实发没有逐行验算')
})
