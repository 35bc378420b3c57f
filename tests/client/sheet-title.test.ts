/** What a batch is called before anybody says so: by the file, the title over the sheet, and the pay run before. */
import { expect, test } from 'vitest'
import type { SheetInfo } from '../../server/contract/sheet.ts'
import { guessTitle, type TitleGuess } from '../../src/parts/sheet/words.ts'

const today = new Date(2026, 10, 22)
const guess = (file_name: string, last: TitleGuess | null = null) =>
  guessTitle({ title: null, says: { title: null, month: null }, file_name } as SheetInfo, last, today)

test.each<[string, TitleGuess]>([
  ['2026年10月工资表.xlsx', { title: '2026年10月工资', month: '2026-10', kind: 'monthly' }],
  ['9月工资（10月15日发放）.xlsx', { title: '2026年9月工资', month: '2026-09', kind: 'monthly' }],
  ['2026年9月工资，2026年10月底前发放.xlsx', { title: '2026年9月工资', month: '2026-09', kind: 'monthly' }],
  ['10月工资表（含一次性奖金）.xlsx', { title: '2026年10月工资', month: '2026-10', kind: 'monthly' }],
  ['2026年10月奖金.xlsx', { title: '2026年10月奖金', month: '2026-10', kind: 'bonus' }],
  ['2026年10月年终奖工资表.xlsx', { title: '2026年10月奖金', month: '2026-10', kind: 'bonus' }],
])('%s', (file, wanted) => expect(guess(file)).toEqual(wanted))

test('after a bonus, a wage sheet is a month of pay again', () => {
  const bonus: TitleGuess = { title: '2026年10月奖金', month: '2026-10', kind: 'bonus' }
  expect(guess('11月工资表.xlsx', bonus)).toEqual({ title: '2026年11月工资', month: '2026-11', kind: 'monthly' })
  expect(guess('11月.xlsx', bonus)).toEqual({ title: '2026年11月奖金', month: '2026-11', kind: 'bonus' })
})
