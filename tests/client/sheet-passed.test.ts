/** Whether the layout step can be skipped: only for columns that were sent in the same form before. */
import { expect, test } from 'vitest'
import type { WageSheetInfo } from '../../server/contract/sheets/sheet.ts'
import { hasExistingLayout } from '../../src/features/sheets/labels.ts'

const before: NonNullable<WageSheetInfo['remembered']> = {
  template_id: '018f0000-0000-7000-8000-000000000000',
  name: null,
  title: '2026年10月工资',
  month: '2026-10',
  sent: true,
  fresh: [],
  missing: [],
  renamed: [],
}
test.each([
  ['the same columns as sent before', before, true],
  ['the first wage sheet of its kind', null, false],
  ['a mapping of a draft that was never sent', { ...before, sent: false }, false],
  ['a mapping stored before the sent status was recorded', { ...before, sent: undefined }, false],
  ['a new column', { ...before, fresh: ['c7'] }, false],
  ['a missing column', { ...before, missing: [{ label: '餐补', role: 'earning' as const }] }, false],
  ['a renamed column', { ...before, renamed: [{ key: 'c3', from: '津贴' }] }, false],
])('%s: %s', (_what, remembered, passes) => {
  expect(hasExistingLayout({ remembered })).toBe(passes)
})
