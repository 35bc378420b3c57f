/** The month that a sheet says it is for, as clerks write it: a wrong one asks every month, or lets last month's sheet through. */
import { describe, expect, it } from 'vitest'
import type { Stored } from '../../server/domain/sheet/rules/grid.ts'
import { saysOf } from '../../server/domain/sheet/rules/recognise/says.ts'
import { grid } from '../kit/grid.ts'

type Above = {
  readonly above?: readonly string[]
  readonly sheet?: string
  readonly column?: readonly Stored[]
  readonly hidden?: number[]
}
/** Lines over the header, the name of the sheet, and a column of months. */
const monthOf = ({ above = [], sheet = 'Sheet1', column = [], hidden = [] }: Above): string | null =>
  saysOf(grid([...above.map((text) => [text]), ['姓名', '实发']], { hidden_rows: hidden }), above.length, sheet, column).month

describe('in a title', () => {
  it.each<[string, string | null]>([
    ['2026年1月工资表', '2026-01'],
    ['2026年01月工资表', '2026-01'],
    ['2026年12月工资表', '2026-12'],
    ['２０２６年１０月工资表', '2026-10'],
    ['2026 年 10 月 份 工 资 表', '2026-10'],
    ['二〇二六年一月工资', '2026-01'],
    ['二〇二六年十月工资', '2026-10'],
    ['二〇二六年十一月工资', '2026-11'],
    ['二○二六年十二月工资', '2026-12'],
    ['2026年十月份工资', '2026-10'],
    ['工资表2026/10', '2026-10'],
    ['工资表（2026.9）', '2026-09'],
    ['工资表 10/2026', '2026-10'],
    ['工资表202601', '2026-01'],
    ['工资表2026-10-31', '2026-10'],
    ['Payroll Sept 2026', '2026-09'],
    ['Payroll, May 2026', '2026-05'],
    ['PAYROLL DEC. 2026', '2026-12'],
    ['Salary Jan-2026', '2026-01'],
    ['2026年度10月工资', '2026-10'],
    ['2026年10月工资（2026年10月31日制表）', '2026-10'],
  ])('%s → %s', (title, month) => expect(monthOf({ above: [title] })).toBe(month))
})

describe('that is none', () => {
  it.each([
    ['no month at all', '工资表'],
    ['a year alone', '2026年度工资表'],
    ['the 13th', '2026年13月工资'],
    ['the month 0', '2026年0月工资'],
    ['six digits that end in no month', '工资表202613'],
    ['a number that is longer', '单号20261012345'],
    ['another century', '1926年10月工资'],
    ['two months', '2026年9月至10月工资'],
    ['two months, each with its year', '2026年12月-2027年1月工资'],
    ['from when to when', '考勤：2026.09.26-2026.10.25'],
    ['how many months', '2026年度前3个月工资'],
    ['the months before', '2026年度前三月工资'],
    ['months of service', '2026年度满6月转正工资'],
    ['a month without a year', '十月工资表'],
    ['a name that begins like one', '五月天文化公司工资'],
    ['a share', '10.20项目工资'],
  ])('%s: %s', (_, title) => expect(monthOf({ above: [title] })).toBeNull())
})

describe('in several places', () => {
  const first = new Date(Date.UTC(2026, 9, 1))
  it.each<[string, Above, string | null]>([
    ['nothing anywhere', {}, null],
    ['the title before the name of the sheet', { above: ['2026年10月工资'], sheet: '2026年9月' }, '2026-10'],
    ['the title of pay before another line', { above: ['2026年10月工资表', '制表日期：2026年11月5日'] }, '2026-10'],
    ['the same month twice', { above: ['2026年10月工资表', '所属期：2026-10'] }, '2026-10'],
    ['another line, where the title says none', { above: ['工资表', '所属期：2026年10月'] }, '2026-10'],
    ['two other lines that do not agree', { above: ['工资表', '所属期：2026年10月', '发放：2026年11月'] }, null],
    ['the name of the sheet alone', { sheet: '2026.10' }, '2026-10'],
    ['its year from the title', { above: ['2026年度工资表'], sheet: '10月' }, '2026-10'],
    ['its year from the title, as a word', { above: ['2026年工资表'], sheet: '十月' }, '2026-10'],
    ['a year from two places that differ', { above: ['2026年度工资表', '2025年度预算'], sheet: '10月' }, null],
    ['of 2026年9月 the year is no year of another month', { above: ['2026年9月工资表'], sheet: '10月' }, '2026-09'],
    ['a month of a line that has its year, and one without', { above: ['编制于2026年11月'], sheet: '10月' }, '2026-11'],
    ['until when it is paid is no month of pay', { above: ['2026年度工资', '10月底前发放'] }, null],
    ['no year anywhere', { above: ['工资表'], sheet: '10月' }, null],
    ['its year from a column of months', { above: ['10月工资表'], column: ['202610', '202610'] }, '2026-10'],
    ['that says another month', { above: ['10月工资表'], column: ['202609'] }, null],
    ['a column of dates', { column: [first, first] }, '2026-10'],
    ['a column of two months', { column: ['2026-10', '2026-11'] }, null],
    ['a column with gaps', { column: ['', null, '2026年10月', ''] }, '2026-10'],
    ['a column of plain words', { column: ['正式', '试用'] }, null],
    ['a date that never was', { column: [new Date(Number.NaN)] }, null],
    ['a hidden line is not read', { above: ['2026年10月工资表', '2026年9月工资表'], hidden: [0] }, '2026-09'],
  ])('%s', (_, above, month) => expect(monthOf(above)).toBe(month))
})
