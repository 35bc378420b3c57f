/**
 * Which columns of a sheet the tax is computed from: employee social insurance and housing fund, separately taxed
 * income, and year-to-date sums.
 */
import { describe, expect, it } from 'vitest'
import type { ColumnRole } from '../../../server/contract/shared/schemas.ts'
import type { CheckColumn } from '../../../server/modules/sheets/rules/check/amount-issues.ts'
import { createTaxReader, type TaxColumns } from '../../../server/modules/sheets/rules/tax-columns.ts'
import type { RowCells } from '../../../server/rules/amounts.ts'
import { typed } from '../../support/check.ts'

const labels: Record<string, ColumnRole> = {
  应发: 'gross',
  加: 'earning',
  扣: 'deduction',
  公司: 'employer',
  税: 'tax',
  说明: 'info',
  实发: 'net',
}
/** `应发工资:应发=10000 | 养老保险:扣=800`: header, role, value in the row; an empty value is an empty cell. */
function getRow(text: string): { columns: CheckColumn[]; cells: RowCells; getKey: (label: string) => string } {
  const sections = text.split(' | ').map((part) => /^(.+):(.+)=(.*)$/.exec(part) ?? [])
  const columns = sections.map(([, label = '', what = ''], at) => ({ key: `c${at}`, label, role: labels[what] ?? 'info' }))
  const getKey = (label: string) => columns.find((column) => column.label === label)?.key ?? `no column ${label}`
  return {
    columns,
    cells: typed(
      columns,
      sections.map(([, , , value = '']) => value),
    ),
    getKey,
  }
}
type Sums = { readonly minus?: string; readonly subtotal?: string }
/** `minus`: what is subtracted from the net pay; `subtotal`: `合计 = 养老保险 公积金`. */
function read(text: string, { minus, subtotal }: Sums = {}) {
  const { columns, cells, getKey } = getRow(text)
  const [sum = '', sections = ''] = subtotal?.split(' = ') ?? []
  const sheet: TaxColumns = {
    columns,
    formula: minus === undefined ? null : { plus: [getKey('应发')], minus: minus.split(' ').map(getKey) },
    subtotals: subtotal ? [{ key: getKey(sum), plus: sections.split(' ').map(getKey), minus: [], holds: 9, of: 9 }] : [],
  }
  return createTaxReader(sheet)?.(cells) ?? null
}
const pay = '应发:应发=10000 | 个税:税=45 |'

describe('employee social insurance and housing fund, in yuan', () => {
  it.each<[string, string, Sums, number]>([
    ['pension', '养老保险:扣=800', { minus: '养老保险' }, 800],
    ['all of it in one column', '五险一金:扣=1700', { minus: '五险一金' }, 1_700],
    ['three kinds in sequence', '养老:扣=800 | 医疗:扣=200 | 公积金:扣=700', { minus: '养老 医疗 公积金' }, 1_700],
    ['written as a negative deduction', '社保:扣=-1500', { minus: '社保' }, 1_500],
    ['written with a thousands separator', '社保:扣=1,500.50', { minus: '社保' }, 1_500.5],
    ['an empty cell', '社保:扣=', { minus: '社保' }, 0],
    ["excludes the employer's share", '社保:扣=300 | 单位社保:公司=900', { minus: '社保' }, 300],
    [
      "excludes the employer's share under a heading of deductions",
      '社保:扣=300 | 单位养老:扣=900',
      { minus: '社保 单位养老' },
      300,
    ],
    ['the contribution base', '社保:扣=300 | 社保基数:扣=6000', { minus: '社保 社保基数' }, 300],
    ['the rate of a contribution', '公积金:扣=700 | 公积金比例:扣=7', { minus: '公积金 公积金比例' }, 700],
    ['commercial insurance, which does not reduce the tax', '商业医疗:扣=100 | 社保:扣=300', { minus: '商业医疗 社保' }, 300],
    ['a supplementary fund', '补充公积金:扣=100 | 公积金:扣=300', { minus: '补充公积金 公积金' }, 300],
    ['a fine, which is another kind of deduction', '迟到扣款:扣=50 | 社保:扣=300', { minus: '迟到扣款 社保' }, 300],
    ['shown, but not deducted from the net pay', '养老:扣=800 | 其他扣款:扣=10', { minus: '其他扣款' }, 0],
    [
      'the sum is deducted: its items once',
      '养老:扣=800 | 公积金:扣=700 | 社保合计:扣=1500',
      { minus: '社保合计', subtotal: '社保合计 = 养老 公积金' },
      1_500,
    ],
    [
      'a sum with another label',
      '养老:扣=800 | 公积金:扣=700 | 扣款合计:扣=1500',
      { minus: '扣款合计', subtotal: '扣款合计 = 养老 公积金' },
      1_500,
    ],
    ['an unknown formula of the net pay: the largest', '养老:扣=800 | 公积金:扣=700 | 社保合计:扣=1500', {}, 1_500],
    ['an unknown formula with one column', '养老:扣=800', {}, 800],
    ['an unknown formula without columns', '其他扣款:扣=10', {}, 0],
  ])('%s', (_, columns, sums, yuan) => expect(read(`${pay} ${columns}`, sums)?.special).toBe(yuan * 100))
})

describe('income and tax of a row', () => {
  it.each<[string, string, ReturnType<typeof read>]>([
    ['no income, so nothing to compute', '个税:税=45 | 实发:实发=5000', null],
    ['a row without tax', '应发:应发=10000 | 实发:实发=10000', null],
    ['both', '应发:应发=10000 | 个税:税=45', figures(10_000, 45)],
    ['an empty income: unknown, and not 0', '应发:应发= | 个税:税=45', { ...figures(0, 45), gross: null }],
    ['text in place of an amount', '应发:应发=待定 | 个税:税=45', { ...figures(0, 45), gross: null }],
    ['an empty tax', '应发:应发=10000 | 个税:税=', figures(10_000, 0)],
    ['a refunded tax', '应发:应发=10000 | 个税:税=-20', figures(10_000, -20)],
    ['two tax columns', '应发:应发=10000 | 个税:税=45 | 补缴个税:税=5', figures(10_000, 50)],
    [
      'a bonus taxed separately',
      '应发:应发=10000 | 个税:税=45 | 年终奖个税:税=300',
      { ...figures(10_000, 345), hasSeparateBonus: true },
    ],
    ['an empty bonus column', '应发:应发=10000 | 个税:税=45 | 年终奖个税:税=0', figures(10_000, 45)],
    ['the thirteenth month', '应发:应发=10000 | 十三薪个税:税=300', { ...figures(10_000, 300), hasSeparateBonus: true }],
    [
      'two headings, one above the other',
      '应发:应发=10000 | 年终奖 / 个税:税=300',
      { ...figures(10_000, 300), hasSeparateBonus: true },
    ],
  ])('%s', (_, columns, expected) => {
    const match = read(columns)
    expect(match && { ...match, wages: null }).toEqual(expected)
  })
})

describe('inputs of monthly withholding taken from a row, in yuan', () => {
  type Wages = NonNullable<NonNullable<ReturnType<typeof read>>['wages']>
  it.each<[string, string, Sums, Partial<Wages>]>([
    ['wages and insurance only', '社保:扣=1500', { minus: '社保' }, { income: 10_000, special: 1_500, is_plain: true }],
    ['a missing insurance is not zero', '餐费:扣=100', { minus: '餐费' }, { income: 10_000, special: null, is_plain: true }],
    ['an insurance of zero', '社保:扣=0', { minus: '社保' }, { income: 10_000, special: null, is_plain: true }],
    ['a component of zero is known to be zero', '养老保险:扣=0', { minus: '养老保险' }, { income: 10_000, special: 0 }],
    ['a mere repayment', '报销:加=300', {}, { income: 9_700, is_plain: false }],
    ['an exempt component', '免税收入:加=200', {}, { income: 10_000, exempt: 200, is_plain: false }],
    ['an annuity', '企业年金:扣=400', { minus: '企业年金' }, { other: 400, is_plain: false }],
    ['a donation', '公益捐赠:说明=50', {}, { donation: 50, is_plain: false }],
    ['relief', '减免税额:说明=15', {}, { reduction: 15, is_plain: false }],
  ])('%s', (_, columns, sums, expected) => {
    const { wages } = read(`${pay} ${columns}`, sums) ?? {}
    const yuan = Object.fromEntries(
      Object.entries(wages ?? {}).map(([of, one]) => [of, typeof one === 'number' ? one / 100 : one]),
    )
    expect(yuan).toMatchObject(expected)
  })
})

describe('year-to-date sums in a row', () => {
  it.each<[string, string, NonNullable<ReturnType<typeof read>>['cumulative']]>([
    ['taxable and withheld', '累计应纳税所得额:说明=35000 | 累计已预缴税额:说明=60', sums(35_000, 60, 0)],
    ['with the labels of the official client', '累计应纳税所得额:说明=35000 | 已缴税额:说明=60', sums(35_000, 60, 0)],
    ['with special additional deductions', '累计应税所得:说明=35000 | 累计已扣:说明=60 | 减免税额:说明=15', sums(35_000, 60, 15)],
    ['with brackets and spaces', '累计（应纳税所得额）:说明=35000 | 累计 已预扣 税额:说明=60', sums(35_000, 60, 0)],
    ['withheld is missing', '累计应纳税所得额:说明=35000', null],
    ['taxable is missing', '累计收入:说明=60000 | 累计已预缴税额:说明=60', null],
    ['a column treated as the tax of this month is none of the year', '累计应纳税所得额:说明=35000 | 累计已预缴税额:税=60', null],
    ['sums of this month only', '应纳税所得额:说明=3500 | 累计已预缴税额:说明=60', null],
    ['text in one of them', '累计应纳税所得额:说明=见附表 | 累计已预缴税额:说明=60', null],
    ['one of the sums is empty', '累计应纳税所得额:说明=35000 | 累计已预缴税额:说明=', null],
    ['no tax withheld yet', '累计应纳税所得额:说明=35000 | 累计已预缴税额:说明=0', sums(35_000, 0, 0)],
    ['more deducted than earned', '累计应纳税所得额:说明=-500 | 累计已预缴税额:说明=0', sums(-500, 0, 0)],
  ])('%s', (_, columns, expected) => expect(read(`${pay} ${columns}`)?.cumulative).toEqual(expected))
})

function figures(gross: number, tax: number): NonNullable<ReturnType<typeof read>> {
  return { gross: gross * 100, tax: tax * 100, special: 0, hasSeparateBonus: false, cumulative: null, wages: null }
}
function sums(taxable: number, withheld: number, relief: number) {
  return { taxable: taxable * 100, withheld: withheld * 100, relief: relief * 100 }
}
