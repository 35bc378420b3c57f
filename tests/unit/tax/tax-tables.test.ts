/**
 * The law tables are data and are read strictly: a wrong row, an unknown field, a duplicate month or a month without a
 * row are refused by name.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { getCitySchemes } from '../../../server/rules/law/insurance/cities.ts'
import { computeContributions } from '../../../server/rules/law/insurance/contributions.ts'
import { findScheme, readSchemes } from '../../../server/rules/law/insurance/scheme.ts'
import { findDatedRow, getDatedRow } from '../../../server/rules/law/tables/dated-table.ts'
import { currentLaw, getDocumentName, parseTaxTables } from '../../../server/rules/law/tables/law.ts'

type Loose = Record<string, unknown>
type Row = { valid_from: string; valid_to: string | null; documents: string[]; article: string; value: unknown }
const text = readFileSync(new URL('../../../server/rules/law/tables/figures.json', import.meta.url), 'utf8')
/** The tables with one error. */
const spoilt = (spoil: (book: Record<string, Row[]>) => void): Record<string, Row[]> => {
  const book = JSON.parse(text) as Record<string, Row[]>
  spoil(book)
  return book
}
const rows = (book: Record<string, Row[]>, name: string): Row[] => {
  const match = book[name]
  if (!match) throw new Error(`no table ${name}`)
  return match
}
const row = (book: Record<string, Row[]>, name: string, at = 0): Row => {
  const match = rows(book, name)[at]
  if (!match) throw new Error(`no row ${at} in ${name}`)
  return match
}
const level = (book: Record<string, Row[]>, at: number): Loose => (row(book, 'annual_rates').value as Loose[])[at] ?? {}

describe('invalid tables', () => {
  it.each<[string, (book: Record<string, Row[]>) => void, string]>([
    ['a missing table', (book) => delete book.caps, 'caps：应是列表'],
    ['an unknown table', (book) => Object.assign(book, { wealth: [] }), 'wealth：不认识的字段；可以写：annual_rates'],
    [
      'a row without a start',
      (book) => delete (row(book, 'caps') as Partial<Row>).valid_from,
      'caps[0].valid_from：没有写；请写月份',
    ],
    ['an invalid month', (book) => Object.assign(row(book, 'caps'), { valid_from: '2019-13' }), 'caps[0].valid_from：应是月份'],
    [
      'a row that ends before it starts',
      (book) => Object.assign(row(book, 'caps'), { valid_to: '2018-12' }),
      'caps[0].valid_to：早于',
    ],
    ['a row without a document', (book) => Object.assign(row(book, 'caps'), { documents: [] }), '每一行都要有出处'],
    [
      'a missing article',
      (book) => Object.assign(row(book, 'caps'), { article: '第二条' }),
      'caps[0].article：有 4 个文件，写了 1 处条款',
    ],
    [
      'an unregistered document',
      (book) => Object.assign(row(book, 'caps'), { documents: ['x-1'], article: '第一条' }),
      '没有登记的文件「x-1」',
    ],
    ['a row without an article', (book) => Object.assign(row(book, 'caps'), { article: '' }), 'caps[0].article：应是文字'],
    ['an additional field', (book) => Object.assign(row(book, 'caps'), { note: 'x' }), 'caps[0].note：不认识的字段'],
    [
      'an additional value',
      (book) => Object.assign(row(book, 'caps').value as Loose, { tea: '1' }),
      'caps[0].value.tea：不认识的字段',
    ],
    [
      'a missing value',
      (book) => delete (row(book, 'caps').value as Loose).fund_rate,
      'caps[0].value.fund_rate：没有写；请写比例',
    ],
    [
      'a rate in percent',
      (book) => Object.assign(row(book, 'caps').value as Loose, { fund_rate: '12' }),
      'caps[0].value.fund_rate：应是比例',
    ],
    ['a negative rate', (book) => Object.assign(level(book, 0), { rate: '-0.03' }), 'annual_rates[0].value[0].rate：应是比例'],
    [
      'an amount with a comma',
      (book) => Object.assign(level(book, 0), { up_to: '36,000' }),
      'annual_rates[0].value[0].up_to：应是金额',
    ],
    [
      'two rows of one month',
      (book) => rows(book, 'caps').push(structuredClone(row(book, 'caps'))),
      'caps[1].valid_from：与上一行的月份重叠',
    ],
    [
      'a quick deduction that is not continuous',
      (book) => Object.assign(level(book, 1), { quick: '2521' }),
      '速算扣除数与上一级接不上',
    ],
    [
      'a first bracket with a quick deduction',
      (book) => Object.assign(level(book, 0), { quick: '1' }),
      '第一级的速算扣除数应为 0',
    ],
    ['brackets in the wrong order', (book) => Object.assign(level(book, 1), { up_to: '30000' }), '级距和税率应逐级升高'],
    ['a last bracket with an end', (book) => Object.assign(level(book, 6), { up_to: '9000000' }), '只有最后一级没有上限'],
    ['no brackets', (book) => Object.assign(row(book, 'annual_rates'), { value: [] }), '没有级距'],
    ['another value instead of brackets', (book) => Object.assign(row(book, 'annual_rates'), { value: 7 }), '应是税率级距的列表'],
    [
      'a violated rule',
      (book) => Object.assign(row(book, 'equity_separate'), { value: 'yes' }),
      'equity_separate[0].value：应是 true',
    ],
    ['another value instead of a row', (book) => Object.assign(book, { caps: [7] }), 'caps[0]：应是 {字段: 值}'],
  ])('%s', (_what, spoil, message) => {
    expect(() => parseTaxTables(spoilt(spoil))).toThrow(message)
  })
  it('accepts the tables as they are', () => expect(parseTaxTables(spoilt(() => undefined))).toEqual(currentLaw))
})

describe('applicable row', () => {
  it.each<[string, string | null, unknown]>([
    ['2021-12', '2021-12', null],
    ['the first month of the row', '2022-01', 100_000],
    ['the last month of the row', '2022-12', 100_000],
    ['a month of the next year', '2023-01', 200_000],
    ['a month long after', '2099-12', 200_000],
    ['no month: the last valid row', null, 200_000],
  ])('%s', (_what, month, amount) => expect(getDatedRow(currentLaw.additional, month).value.infant_care_fen).toBe(amount))
  it('returns no row before the law, and lists the existing ones', () => {
    expect(() => getDatedRow(currentLaw.basic_deduction, '2018-12')).toThrow(
      '「basic_deduction」：没有适用于 2018-12 的规定（已录入：2019-01 至 今）；请先录入该月份的规定和出处',
    )
    expect(findDatedRow(currentLaw.separate_bonus, '2028-01')).toBeNull()
  })
  it('refuses an unregistered document', () => expect(() => getDocumentName('x')).toThrow('没有登记的文件「x」'))
})

describe('schemes of cities', () => {
  const item = {
    code: 'pension',
    base_key: 'social',
    floor: '1.00',
    ceiling: '2.00',
    employee_rate: '0.08',
    employer_rate: '0.16',
  }
  const fund = { code: 'housing_fund', base_key: 'housing_fund', min_rate: '0.05', max_rate: '0.12' }
  const scheme = (more: Loose = {}) => ({ city: '甲', valid_from: '2026-01-01', document: '文', items: [item], ...more })
  it.each<[string, Loose[], string]>([
    ['an unknown code', [scheme({ items: [{ ...item, code: 'luck' }] })], 'configs[0].items[0].code：应是其中之一'],
    ['an unknown field', [scheme({ items: [{ ...item, tax: '1' }] })], 'configs[0].items[0].tax：不认识的字段'],
    ['a duplicate item', [scheme({ items: [item, item] })], '养老保险（pension）写了两次'],
    ['a ceiling below the floor', [scheme({ items: [{ ...item, ceiling: '0.50' }] })], '上限低于下限'],
    ['a unit of zero', [scheme({ items: [{ ...item, unit: '0' }] })], '取整单位应大于 0'],
    ['an unknown rounding', [scheme({ items: [{ ...item, mode: 'bankers' }] })], 'mode：应是其中之一：half_up、up、down'],
    ['an inverted rate range', [scheme({ items: [{ ...fund, min_rate: '0.13' }] })], '最高比例低于最低比例'],
    ['an end before the start', [scheme({ valid_to: '2025-12-31' })], '早于开始的 2026-01'],
    [
      'two schemes for a month',
      [scheme(), scheme({ valid_from: '2026-07-01' })],
      '甲的方案与第 1 个方案的月份重叠；请先填写前一个方案的结束月份',
    ],
    ['no start', [scheme({ valid_from: null })], 'configs[0].valid_from：没有写'],
  ])('%s', (_what, schemes, message) => expect(() => readSchemes(schemes, 'configs')).toThrow(message))

  it('selects schemes by the month, never the nearest, and separately by city', () => {
    const schemes = readSchemes(
      [scheme({ valid_to: '2026-06-15' }), scheme({ valid_from: '2026-08-20' }), scheme({ city: '乙' })],
      'configs',
    )
    const of = (month: string) => findScheme(schemes.slice(0, 2), month)?.valid_from ?? null
    expect(['2025-12', '2026-01', '2026-06', '2026-07', '2026-08', '2030-01'].map(of)).toEqual([
      null,
      '2026-01',
      '2026-01',
      null,
      '2026-08',
      '2026-08',
    ])
  })

  it.each<[string, string, string, number, [number, number] | string]>([
    // The published limits of both sides together are 376 – 5,222 and 384 – 5,282.
    ['the floor of Shanghai', '上海', '2025-12', 0, [188, 188]],
    ['the ceiling of Shanghai', '上海', '2025-12', 99_999, [2_611, 2_611]],
    ['next year’s floor of Shanghai', '上海', '2026-07', 0, [192, 192]],
    ['next year’s ceiling of Shanghai', '上海', '2026-07', 99_999, [2_641, 2_641]],
    ['Shanghai before the stored schemes', '上海', '2025-06', 0, 'no_config_for_month'],
    ['Beijing in a year that is not stored', '北京', '2026-07', 0, 'no_config_for_month'],
    ['a city without stored schemes', '杭州', '2026-07', 0, 'no_config_for_month'],
  ])('%s', (_what, city, month, base, expected) => {
    const of = { housing_fund_ppm: 70_000, supplementary_ppm: null, not_enrolled: [] }
    const match = computeContributions(getCitySchemes(city), { month, bases: new Map([['housing_fund', base * 100]]), ...of })
    const fund = 'refused' in match ? null : match.items.find(({ code }) => code === 'housing_fund')
    expect('refused' in match ? match.refused : fund && [fund.employee / 100, fund.employer / 100]).toEqual(expected)
  })
  it('marks a third party’s value for confirmation', () => {
    const [beijing] = getCitySchemes('北京')
    expect(beijing?.items.filter(({ check }) => check !== null).map(({ code }) => code)).toEqual([
      'medical',
      'injury',
      'housing_fund',
    ])
  })
})
