/** The suggested title of a batch: from the file name, the title over the sheet, and the previous pay run. */
import { expect, test } from 'vitest'
import type { WageSheetInfo } from '../../server/contract/sheets/sheet.ts'
import { findMonthInFileName } from '../../server/rules/months.ts'
import {
  changeTitleMonth,
  checkCanContinue,
  getMonthHint,
  guessTitle,
  type TitleGuess,
} from '../../src/features/sheets/labels.ts'

const today = new Date(2026, 10, 22)
const guess = (file_name: string, last: TitleGuess | null = null) =>
  guessTitle(
    {
      title: null,
      says: { title: null, month: null },
      file_name,
      file_month: findMonthInFileName(file_name),
      sheets: [] as WageSheetInfo['sheets'],
    } as unknown as WageSheetInfo,
    last,
    today,
  )

test.each<[string, TitleGuess]>([
  ['2026年10月工资表.xlsx', { title: '2026年10月工资', month: '2026-10', kind: 'monthly' }],
  ['9月工资（10月15日发放）.xlsx', { title: '2026年9月工资', month: '2026-09', kind: 'monthly' }],
  ['2026年9月工资，2026年10月底前发放.xlsx', { title: '2026年9月工资', month: '2026-09', kind: 'monthly' }],
  ['10月工资表（含一次性奖金）.xlsx', { title: '2026年10月工资', month: '2026-10', kind: 'monthly' }],
  ['2026年10月奖金.xlsx', { title: '2026年10月奖金', month: '2026-10', kind: 'bonus' }],
  ['2026年10月年终奖工资表.xlsx', { title: '2026年10月奖金', month: '2026-10', kind: 'bonus' }],
])('%s', (file, requested) => expect(guess(file)).toEqual(requested))

test('suggests a monthly pay run again after a bonus', () => {
  const bonus: TitleGuess = { title: '2026年10月奖金', month: '2026-10', kind: 'bonus' }
  expect(guess('11月工资表.xlsx', bonus)).toEqual({ title: '2026年11月工资', month: '2026-11', kind: 'monthly' })
  expect(guess('11月.xlsx', bonus)).toEqual({ title: '2026年11月奖金', month: '2026-11', kind: 'bonus' })
})

/** One sheet of a file, or several selected together with `more`. */
const read = (says: Partial<WageSheetInfo['says']>, { file_name = '工资.xlsx', more = 0 } = {}) =>
  ({
    title: null,
    says: { title: null, month: null, ...says },
    file_name,
    file_month: findMonthInFileName(file_name),
    sheets: Array.from({ length: more + 1 }, (_, at) => ({
      name: `甲${at}`,
      rows: 3,
      hidden: false,
      chosen: true,
      like: true,
    })),
  }) as unknown as WageSheetInfo
const september: TitleGuess = { title: '2026年9月工资', month: '2026-09', kind: 'monthly' }
const guessed = '表中未注明月份，已按上传时间推算，请确认'
const both = { title: '2026年9月工资表', months: ['2026-09', '2026-10'] }

test.each<[string, WageSheetInfo, string, string | null]>([
  ['the sheet states the month', read({ month: '2026-10' }), '2026-10', null],
  ['the file name states the month', read({}, { file_name: '2026年8月工资.xlsx' }), '2026-08', null],
  ['the sheet states the month without a year', read({ months: ['-08'] }), '2026-08', null],
  ['nothing states the month: the one after the last, marked for review', read({}), '2026-10', guessed],
  ['a title with a creation date states no month', read({ title: '工资表（制表日期：2026年11月5日）' }), '2026-10', guessed],
  ['two months in one sheet', read(both), '2026-10', '表里写着 2026年9月、2026年10月，请核对这一批是哪个月的工资'],
  ['two months in one sheet, one of them in the file name', read(both, { file_name: '2026年9月工资.xlsx' }), '2026-09', null],
  [
    'two sheets of two months, whatever the file name: none until the user selects one',
    read(both, { more: 1, file_name: '2026年9月工资.xlsx' }),
    '',
    '合在一起的工作表写的是不同的月份（2026年9月、2026年10月），请选这一批是哪个月的工资',
  ],
  [
    'two sheets of two months, one of them without a year',
    read({ months: ['2026-09', '-10'] }, { more: 1 }),
    '',
    '合在一起的工作表写的是不同的月份（2026年9月、10月），请选这一批是哪个月的工资',
  ],
  [
    'the file name states two months',
    read({}, { file_name: '11月工资12月奖金.xlsx' }),
    '2026-10',
    '文件名里写着 11月、12月，请核对这一批是哪个月的工资',
  ],
  [
    'the file name states two months, one of them before 工资',
    read({}, { file_name: '2026.10 9月工资.xlsx' }),
    '2026-09',
    '文件名里写着 2026年9月、2026年10月，请核对这一批是哪个月的工资',
  ],
  ['the file name also states the pay date', read({}, { file_name: '2026.11.5发10月工资.xlsx' }), '2026-10', null],
  [
    'the file name has only a date',
    read({}, { file_name: '工资2026-11-05.xlsx' }),
    '2026-11',
    '文件名里只写了日期，月份是按日期推算的，请核对这一批是哪个月的工资',
  ],
  [
    'the sheet states the month, the file name its year',
    read({ months: ['-12'] }, { file_name: '2025年12月.xlsx' }),
    '2025-12',
    null,
  ],
  [
    'the sheet states another month than the file name',
    read({ months: ['-10'] }, { file_name: '2026-11-05.xlsx' }),
    '2026-10',
    null,
  ],
  ['two sheets of the same month', read({ month: '2026-10' }, { more: 1 }), '2026-10', null],
])('%s', (_, info, month, hint) => {
  expect([guessTitle(info, september, today).month, getMonthHint(info, today)]).toEqual([month, hint])
})

test.each<[string, TitleGuess, TitleGuess]>([
  ['the default title changes with the month', september, { title: '2026年10月工资', month: '2026-10', kind: 'monthly' }],
  [
    'a title entered by the user stays',
    { ...september, title: '门店工资' },
    { title: '门店工资', month: '2026-10', kind: 'monthly' },
  ],
  [
    'a missing title is created',
    { title: '', month: '', kind: 'bonus' },
    { title: '2026年10月奖金', month: '2026-10', kind: 'bonus' },
  ],
])('selects another month: %s', (_, before, after) => expect(changeTitleMonth(before, '2026-10')).toEqual(after))

test('does not complete step 1 without a month', () => {
  const info = {
    ...read(both, { more: 1 }),
    columns: [
      { key: 'c0', role: 'name', kind: 'text', path: ['姓名'] },
      { key: 'c1', role: 'net', kind: 'money', path: ['实发'] },
    ],
    questions: [],
    rows: 3,
  } as unknown as WageSheetInfo
  expect([checkCanContinue(info, ''), checkCanContinue(info, '2026-10')]).toEqual(['请先选这一批是哪个月的工资', true])
})
