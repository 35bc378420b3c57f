/**
 * Cell values are read exactly or reported as unreadable, never guessed. The expected values are written down or
 * computed by independent arithmetic, not by product code.
 */
import { utils, write } from '@e965/xlsx'
import { beforeAll, describe, expect, test } from 'vitest'
import { storedValueToFen } from '../../../server/spreadsheets/cells.ts'
import { type Grid, type GridCell, getCell } from '../../../server/spreadsheets/grid.ts'
import { readGrids } from '../../../server/spreadsheets/read/read-grids.ts'
import { makeXlsx, makeZip, type XlsxCell } from '../../support/files/xlsx.ts'

type Requested = Partial<GridCell> & { fen?: number | null }
type Fact = [what: string, cell: XlsxCell, wanted: Requested]

const raw = (value: string, attributes = ''): XlsxCell => ({ attributes, inside: `<v>${value}</v>` })
const unread: Requested = { decimal: null, fen: null }
const number = (decimal: string, more: Requested = {}): Requested => ({ kind: 'number', decimal, ...more })

/** Converts written digits to a plain decimal by moving characters. */
function plain(written: string): string {
  const [, sign = '', full = '', fraction = '', power = '0'] = /^(-?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(written) ?? []
  const digits = `${'0'.repeat(40)}${full}${fraction}${'0'.repeat(40)}`
  const point = 40 + full.length + Number(power)
  const left = digits.slice(0, point).replace(/^0+(?=\d)/, '')
  const right = digits.slice(point).replace(/0+$/, '')
  const value = right ? `${left}.${right}` : left
  return value === '0' ? '0' : sign + value
}
function getFen(decimal: string): number {
  const [, sign, full = '', fraction = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(decimal) ?? []
  const three = BigInt(full + fraction.padEnd(3, '0').slice(0, 3))
  return Number((three + 5n) / 10n) * (sign ? -1 : 1) || 0
}

/** Numbers of one to fifteen digits with the decimal point anywhere; the same ones in every run. */
function decimals(count: number): string[] {
  let seed = 20_261_121
  const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
  return Array.from({ length: count }, () => {
    const length = 1 + next(15)
    const digits = Array.from({ length }, (_, at) => (at === 0 ? 1 + next(9) : next(10))).join('')
    const point = Math.max(1, length - next(5))
    const text = point >= length ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`
    return next(4) === 0 ? `-${text}` : text
  })
}

const stored: Fact[] = [
  ...decimals(120).map(
    (text): Fact => [
      text,
      raw(text),
      number(plain(text), plain(text).replace(/\D/g, '').length < 14 ? { fen: getFen(plain(text)) } : {}),
    ],
  ),
  ...['1.5E3', '7.104e2', '1E+2', '-2.5e-3', '5E-1', '1.23456789012345E14', '9.99E-5', '0.0', '5.', '.5', '00012', '0.10'].map(
    (text): Fact => [text, raw(text), number(plain(text))],
  ),
  ['the remainder of a sum', raw('710.4000000000001'), { kind: 'number', fen: 71_040 }],
  ['0.1 + 0.2', raw('0.30000000000000004'), { kind: 'number', fen: 30 }],
  ['the double closest to 1.005', raw('1.0049999999999999'), { kind: 'number', fen: 101 }],
  ['half a fen', raw('71413.035'), { kind: 'number', fen: 7_141_304 }],
  ['half a fen less', raw('-0.005'), { kind: 'number', fen: -1 }],
  ['a fen with binary noise', raw('1.005'), { kind: 'number', fen: 101 }],
  ['another', raw('8.165'), { kind: 'number', fen: 817 }],
  ['negative zero', raw('-0'), number('0', { text: '0', fen: 0 })],
  ['negative zero in full', raw('-0.00'), number('0', { text: '0', fen: 0 })],
  ['an amount with a currency format', raw('1234.5', 's="3"'), number('1234.5', { text: '1234.5', fen: 123_450 })],
  ['fifteen digits', raw('123456789012345'), number('123456789012345')],
  ['sixteen digits', raw('1234567890123456'), { kind: 'number', damaged: true }],
  ['an ID card', raw('110101199003074477'), { kind: 'number', damaged: true }],
  ['a bank card', raw('6.2220212345678901E+18'), { kind: 'number', damaged: true }],
  ['beyond the largest number', raw('1e309'), { kind: 'error', ...unread }],
  ['beyond the smallest number', raw('-1e309'), { kind: 'error', ...unread }],
  ['larger than an amount', raw('1e20'), { kind: 'number', damaged: true, fen: null }],
  ['more decimals than an amount has', raw('1e-320'), { kind: 'number', fen: null }],
  ['spaces in a number', raw(' 5 '), number('5')],
  ['only spaces in a number', raw(' '), { kind: 'empty', ...unread }],
  // Invalid content that a faulty program leaves in a numeric cell.
  ...['abc', '12abc', '1 234', '0x10', '0b11', '1_000', 'NaN', 'Infinity', '--5', '1.2.3', '1e', '½', '1,23'].map(
    (text): Fact => [`no number: ${text}`, raw(text), unread],
  ),
]

const amounts: [string, string | null][] = [
  ['0012', '12'],
  ['1,234.5', '1234.5'],
  ['1,234,567.89', '1234567.89'],
  ['-1,234.5', '-1234.5'],
  ['(5)', '-5'],
  ['(1,234.50)', '-1234.5'],
  ['（５）', '-5'],
  ['5-', '-5'],
  ['-5', '-5'],
  ['−5', '-5'],
  ['+5', '5'],
  ['￥１２', '12'],
  ['¥1,234.50', '1234.5'],
  ['-¥3', '-3'],
  ['¥-3', '-3'],
  ['12元', '12'],
  ['RMB 12.5', '12.5'],
  ['５０００．５０', '5000.5'],
  ['１，２３４．５', '1234.5'],
  [' 5000 ', '5000'],
  ['\u00a05000\u200b', '5000'],
  ['.5', '0.5'],
  ['5.', '5'],
  ['0.00', '0'],
  ['-0', '0'],
  ['123456789012345678', '123456789012345678'],
  ['1 234,50', null],
  ['234,22', null],
  ['1,23,456', null],
  ['1.234.567', null],
  ['12abc', null],
  ['1e3', null],
  ['0x10', null],
  ['五千', null],
  ['5000/月', null],
  ['8%', null],
  ['--5', null],
  ['(-5', null],
  ['1..2', null],
  ['', null],
  ['-', null],
  ['/', null],
  ['5,', null],
  [',5', null],
  ['1,2345', null],
]
/** Surrounding spaces and zero-width characters are not part of a text. */
const view = (text: string) => text.replaceAll('\u200b', '').trim()
const texts: Fact[] = amounts.flatMap(([text, decimal]): Fact[] => {
  const requested: Requested = { kind: text === '' ? 'empty' : 'text', text: view(text), decimal }
  return [
    [`text ${text}`, text, requested],
    [
      `text in the cell ${text}`,
      { attributes: 't="inlineStr"', inside: `<is><t xml:space="preserve">${text}</t></is>` },
      requested,
    ],
    [`result ${text}`, { attributes: 't="str"', inside: `<f>A1</f><v>${text}</v>` }, text === '' ? {} : requested],
  ]
})

const errorTexts = ['#REF!', '#DIV/0!', '#VALUE!', '#NAME?', '#NUM!', '#N/A', '#NULL!']
const others: Fact[] = [
  ['a percentage of 8%', { raw: '0.08', format: 'percent' }, number('0.08', { text: '8.00%' })],
  ['a twelfth of a unit', raw('0.0833333333333333', 's="4"'), { kind: 'number', text: '8.3%' }],
  ['five thousandths, rounded as Excel does', raw('0.005', 's="5"'), { text: '1%' }],
  ['a negative percentage', raw('-0.125', 's="4"'), { text: '-12.5%' }],
  ['a month', raw('46082', 's="6"'), { kind: 'date', text: '2026-03' }],
  ['a day', raw('46086', 's="1"'), { kind: 'date', text: '2026-03-05' }],
  ['a date and time', raw('46086.354166666664', 's="7"'), { kind: 'date', text: '2026-03-05 08:30' }],
  ['a leap day', raw('45351', 's="1"'), { kind: 'date', text: '2024-02-29' }],
  ['1 March 1900', raw('61', 's="1"'), { kind: 'date', text: '1900-03-01' }],
  ['the first day of the calendar', raw('1', 's="1"'), { kind: 'date', text: '1900-01-01' }],
  ['28 February 1900', raw('59', 's="1"'), { kind: 'date', text: '1900-02-28' }],
  ['a format with days and words', raw('46086', 's="8"'), { kind: 'date', text: '2026-03-05' }],
  ['an amount with 日 in words is an amount', raw('46086', 's="9"'), number('46086')],
  ['yes', true, { kind: 'text', text: '是', ...unread }],
  ['no', false, { kind: 'text', text: '否', ...unread }],
  ['a boolean formula', { attributes: 't="b"', inside: '<f>1=1</f><v>1</v>' }, { text: '是' }],
  ...errorTexts.flatMap((error): Fact[] => [
    [error, { error }, { kind: 'error', text: error, ...unread }],
    [
      `${error} of a formula`,
      { attributes: 't="e"', inside: `<f>1/0</f><v>${error}</v>` },
      { kind: 'error', text: error, ...unread },
    ],
    [`${error} as text of a formula`, { attributes: 't="str"', inside: `<f>X</f><v>${error}</v>` }, { kind: 'error', ...unread }],
  ]),
  ['a formula result', { formula: 'A1+1', value: 4321.09 }, number('4321.09', { fen: 432_109 })],
  ['a missing formula result', { formula: 'VLOOKUP(1,A:A,1)' }, { kind: 'error', uncached: true, ...unread }],
  ['an empty formula result', { attributes: '', inside: '<f>A1</f><v></v>' }, { uncached: true }],
  ['the first of shared formulas', { attributes: '', inside: '<f t="shared" ref="A1:A2" si="7">A1+1</f><v>5</v>' }, number('5')],
  ['another shared formula', { attributes: '', inside: '<f t="shared" si="7"/><v>6.25</v>' }, number('6.25')],
  ['another shared formula without a result', { attributes: '', inside: '<f t="shared" si="7"/>' }, { uncached: true }],
  ['runs', raw('0', 't="s"'), { text: '张三丰', kind: 'text' }],
  ['runs with a phonetic reading', raw('1', 't="s"'), { text: '東京' }],
  ['spaces kept between runs', raw('2', 't="s"'), { text: '佟 坤' }],
  ['characters that XML does not allow', raw('3', 't="s"'), { text: '一\r\n二' }],
  ['a literal underscore', raw('4', 't="s"'), { text: '_x0041_' }],
  ['entities', raw('5', 't="s"'), { text: '<a> & "b" \'c\' 中' }],
  ['an empty text', raw('6', 't="s"'), { text: '', kind: 'empty' }],
  ['a text of two lines', raw('7', 't="s"'), { text: '基本\n工资' }],
  [
    'inline runs',
    {
      attributes: 't="inlineStr"',
      inside:
        '<is><r><rPr><b/></rPr><t>实发</t></r><r><t xml:space="preserve"> 工资</t></r><rPh sb="0" eb="1"><t>x</t></rPh></is>',
    },
    { text: '实发 工资' },
  ],
  ['CDATA', { attributes: 't="inlineStr"', inside: '<is><t><![CDATA[<张>&]]></t></is>' }, { text: '<张>&' }],
  ['neither true nor false', raw('2', 't="b"'), unread],
  ['spaces only', '   ', { kind: 'empty', text: '' }],
  ['nothing', { attributes: 's="1"', inside: '' }, { kind: 'empty', text: '' }],
]
const shared = [
  '<si><r><rPr><b/><sz val="11"/></rPr><t>张</t></r><r><t>三</t></r><r><t>丰</t></r></si>',
  '<si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh><phoneticPr fontId="1"/></si>',
  '<si><r><t xml:space="preserve">佟 </t></r><r><t>坤</t></r></si>',
  '<si><t>一_x000D_\n二</t></si>',
  '<si><t>_x005F_x0041_</t></si>',
  '<si><t>&lt;a&gt; &amp; &quot;b&quot; &apos;c&apos; &#20013;</t></si>',
  '<si><t/></si>',
  '<si><t xml:space="preserve">基本\n工资</t></si>',
]
const formats = ['0.0%', '0%', 'yyyy"年"m"月"', 'yyyy/m/d h:mm', 'yyyy"年"m"月"d"日"', '0.00"元/日"']

const details = [...stored, ...texts, ...others]
const across = 10

function expectCell(grid: Grid, row: number, column: number, [what, , requested]: Fact) {
  const { fen, ...rest } = requested
  const cell = getCell(grid, row, column)
  expect(cell, what).toMatchObject(rest)
  for (const sign of ['uncached', 'computed', 'damaged'] as const) expect(cell[sign], `${what}: ${sign}`).toBe(requested[sign])
  if (fen !== undefined)
    expect(storedValueToFen(cell.kind === 'error' ? null : grid.rows[row]?.[column]), `${what}: fen`).toBe(fen)
}

describe('golden workbook', () => {
  const rows: XlsxCell[][] = []
  details.forEach(([, cell], at) => (rows[Math.floor(at / across)] ??= []).push(cell))
  let grid: Grid
  beforeAll(async () => {
    grid = (await readGrids(makeXlsx({ sheets: [{ name: 'S', rows }], shared, formats })))[0] as Grid
  })

  test('contains three hundred cells in the golden workbook', () => {
    expect(details.length).toBeGreaterThan(300)
  })
  test.each(details.map((fact, at) => [fact[0], at] as const))('%s', (_, at) => {
    expectCell(grid, Math.floor(at / across), at % across, details[at] as Fact)
  })

  test('refuses the golden workbook with a reference to a missing text', async () => {
    const bytes = makeXlsx({ sheets: [{ name: 'S', rows: [['姓名', raw('99999', 't="s"')]] }], shared })
    await expect(readGrids(bytes)).rejects.toThrow(/损坏/)
  })

  test('counts dates in the golden workbook from 1904', async () => {
    const days: [string, string][] = [
      ['0', '1904-01-01'],
      ['1', '1904-01-02'],
      ['59', '1904-02-29'],
      ['44624', '2026-03-05'],
      ['44624.5', '2026-03-05 12:00'],
    ]
    const cells = days.map(([serial]) => [raw(serial, 's="1"')])
    const [from1904] = await readGrids(makeXlsx({ sheets: [{ name: 'S', rows: [['x'], ...cells] }], date1904: true }))
    expect(days.map((_, at) => getCell(from1904 as Grid, at + 1, 0).text)).toEqual(days.map(([, text]) => text))
  })

  test('reports hidden rows and columns of the golden workbook', async () => {
    const body = [
      ['甲', '乙', '丙'],
      [1, 2, 3],
      [4, 5, 6],
    ]
    const grids = await readGrids(
      makeXlsx({
        sheets: [
          { name: '一', rows: body, hidden_rows: [2], hidden_columns: [1, 3] },
          { name: '二', rows: body, hidden: true },
        ],
      }),
    )
    expect(grids.map(({ name, hidden }) => [name, hidden])).toEqual([
      ['一', false],
      ['二', true],
    ])
    expect([...(grids[0]?.hidden_rows ?? [])]).toEqual([1])
    expect([...(grids[0]?.hidden_columns ?? [])]).toEqual([0, 2])
    expect(grids[0]?.rows).toEqual(body)
  })
})

describe('the same values in other formats', () => {
  const numbers = decimals(40)
  const plainTexts = amounts.map(([text]) => text).filter((text) => text.trim() !== '' && !/[\u200b]/.test(text))

  /** The file is written by another program than ours. */
  const book = (type: 'biff8' | 'ods') => {
    const sheet = utils.aoa_to_sheet([numbers.map(Number), plainTexts, [true, false, null, '佟 坤', '一\n二', '<&>"']])
    sheet['A4'] = { t: 'n', v: 4321.09, f: 'A1+1' }
    sheet['B4'] = { t: 'n', v: 0.08, z: '0.00%' }
    // That program writes no dates that OpenDocument supports.
    if (type === 'biff8') sheet['C4'] = { t: 'n', v: 46_086, z: 'yyyy-mm-dd' }
    if (type === 'biff8')
      errorTexts.forEach(
        (error, at) => (sheet[`${'DEFGHIJ'[at]}4`] = { t: 'e', v: [0x17, 7, 0x0f, 0x1d, 0x24, 0x2a, 0][at] ?? 0 }),
      )
    sheet['!ref'] = `A1:${utils.encode_cell({ r: 3, c: 60 })}`
    return write({ SheetNames: ['工资'], Sheets: { 工资: sheet } }, { type: 'buffer', bookType: type }) as Buffer
  }

  test.each(['biff8', 'ods'] as const)('%s', async (type) => {
    const [grid] = (await readGrids(book(type))) as [Grid]
    expect(grid.name).toBe('工资')
    numbers.forEach((text, at) => expect(getCell(grid, 0, at)).toMatchObject({ kind: 'number', decimal: plain(text) }))
    plainTexts.forEach((text, at) => {
      const decimal = amounts.find(([one]) => one === text)?.[1] ?? null
      expect(getCell(grid, 1, at), text).toMatchObject({ text: view(text), kind: 'text', decimal })
    })
    expect([0, 1, 2, 3, 4, 5].map((at) => getCell(grid, 2, at).text)).toEqual(['是', '否', '', '佟 坤', '一\n二', '<&>"'])
    expect(getCell(grid, 3, 0)).toMatchObject({ kind: 'number', decimal: '4321.09' })
    expect(getCell(grid, 3, 1)).toMatchObject({ decimal: '0.08' })
    if (type === 'ods') return
    expect(getCell(grid, 3, 2)).toMatchObject({ kind: 'date', text: '2026-03-05' })
    errorTexts.forEach((text, at) => expect(getCell(grid, 3, 3 + at)).toMatchObject({ kind: 'error', text }))
  })

  test.each([false, true])(
    'reads shown values of an .xls: percentages, months, Chinese dates (from 1904: %s)',
    async (date1904) => {
      const day = date1904 ? 46_086 - 1462 : 46_086
      const visible: [number, string, object][] = [
        [0.08, '0%', { text: '8%', kind: 'number', decimal: '0.08' }],
        [0.0855, '0.0%', { text: '8.6%', decimal: '0.0855' }],
        [-0.5, '0.00%', { text: '-50.00%' }],
        [day, 'yyyy"年"m"月"', { text: '2026-03', kind: 'date' }],
        [day, 'yyyy"年"m"月"d"日"', { text: '2026-03-05', kind: 'date' }],
        [day + 0.5, 'yyyy/m/d h:mm', { text: '2026-03-05 12:00', kind: 'date' }],
        [day, 'm/d/yy', { text: '2026-03-05', kind: 'date' }],
        [day, '0.00"元/日"', { kind: 'number', decimal: String(day) }],
        [1234.5, '#,##0.00', { text: '1234.5', kind: 'number' }],
      ]
      const sheet = utils.aoa_to_sheet([['姓名'], visible.map(([v, z]) => ({ t: 'n', v, z }))])
      const Workbook = { WBProps: { date1904 } }
      const bytes = write(
        { SheetNames: ['甲', '乙'], Sheets: { 甲: utils.aoa_to_sheet([['x', 0.08]]), 乙: sheet }, Workbook },
        { type: 'buffer', bookType: 'biff8' },
      ) as Buffer
      const grid = (await readGrids(bytes))[1] as Grid
      visible.forEach(([, format, requested], at) => expect(getCell(grid, 1, at), format).toMatchObject(requested))
    },
  )

  test('reads built-in date formats of Chinese programs', async () => {
    const sheet = utils.aoa_to_sheet([[{ t: 'n', v: 46_086, z: 'm/d/yy' }]])
    const bytes = write({ SheetNames: ['S'], Sheets: { S: sheet } }, { type: 'buffer', bookType: 'biff8' }) as Buffer
    // The style with format 14 gets format 31 instead: 2026年3月5日 in a Chinese Excel.
    const style = bytes.indexOf(Buffer.from([0xe0, 0, 0x14, 0, 0, 0, 14, 0]))
    expect(style).toBeGreaterThan(0)
    for (const id of [27, 31, 36, 50, 57, 58]) {
      bytes.writeUInt16LE(id, style + 6)
      const [grid] = (await readGrids(bytes)) as [Grid]
      expect(getCell(grid, 0, 0)).toMatchObject({ kind: 'date', text: '2026-03-05' })
    }
  })

  test('reads OpenDocument value types', async () => {
    const value = (type: string, attributes: string, text: string) =>
      `<table:table-cell office:value-type="${type}" ${attributes}><text:p>${text}</text:p></table:table-cell>`
    const content = `<?xml version="1.0"?><office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x" xmlns:style="s"><office:automatic-styles><style:style style:name="h" style:family="table"><style:table-properties table:display="false"/></style:style></office:automatic-styles><office:body><office:spreadsheet><table:table table:name="工资"><table:table-column/><table:table-column table:visibility="collapse"/><table:table-row>${value('float', 'office:value="1234.5"', '1,234.50')}${value('percentage', 'office:value="0.08"', '8.00%')}${value('currency', 'office:currency="CNY" office:value="-12.3"', '-¥12.30')}${value('date', 'office:date-value="2026-03-05"', '2026年3月5日')}${value('boolean', 'office:boolean-value="true"', 'TRUE')}${value('string', '', '0012')}${value('float', 'office:value="622202123456789012"', '6.2E17')}${value('float', 'table:formula="of:=[.A1]+1" office:value="1235.5"', '1235.5')}</table:table-row><table:table-row table:visibility="collapse"><table:table-cell office:value-type="string" table:number-columns-spanned="2" table:number-rows-spanned="1"><text:p>一</text:p><text:p>二<text:s text:c="2"/>三</text:p></table:table-cell><table:covered-table-cell/><table:table-cell table:number-columns-repeated="3" office:value-type="float" office:value="7"><text:p>7</text:p></table:table-cell></table:table-row><table:table-row table:number-rows-repeated="1048574"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table><table:table table:name="藏" table:style-name="h"><table:table-row>${value('float', 'office:value="1"', '1')}</table:table-row></table:table></office:spreadsheet></office:body></office:document-content>`
    const grids = await readGrids(
      makeZip({
        mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
        'content.xml': content,
        'META-INF/manifest.xml': '<a/>',
      }),
    )
    const [grid] = grids as [Grid]
    const requested: Requested[] = [
      number('1234.5'),
      { decimal: '0.08' },
      number('-12.3'),
      { kind: 'date', text: '2026-03-05' },
      { text: '是' },
      { kind: 'text', text: '0012' },
      { kind: 'number', damaged: true },
      number('1235.5'),
    ]
    requested.forEach((one, at) => expect(getCell(grid, 0, at)).toMatchObject(one))
    expect([0, 1, 2, 3, 4, 5].map((at) => getCell(grid, 1, at).text)).toEqual(['一\n二  三', '', '7', '7', '7', ''])
    expect(grid.rows).toHaveLength(2)
    expect(grid.merges).toEqual([{ top: 1, left: 0, bottom: 1, right: 1 }])
    expect(grids.map(({ name, hidden }) => [name, hidden])).toEqual([
      ['工资', false],
      ['藏', true],
    ])
    expect([...grid.hidden_rows]).toEqual([1])
    expect([...grid.hidden_columns]).toEqual([1])
  })

  const field = (text: string) => (/[",\n\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  const table = (separator: string) =>
    [
      '姓名,工号,实发工资'.replaceAll(',', separator),
      ...amounts.map(([text], at) => [`张三${at}`, `00${at}`, field(text)].join(separator)),
    ].join('\r\n')
  /** Encodes the text in GB 18030; its two-byte part is the inverse of the decoder. */
  const gb18030 = (text: string) => {
    const codes = new Map<string, Buffer>([
      ['\u00a0', Buffer.from('81308432', 'hex')],
      ['\u00a5', Buffer.from('81308436', 'hex')],
      ['\u2212', Buffer.from('8136d331', 'hex')],
      ['\u200b', Buffer.from('8136a437', 'hex')],
    ])
    const decoder = new TextDecoder('gb18030')
    for (let lead = 0x81; lead <= 0xfe; lead++)
      for (let trail = 0x40; trail <= 0xfe; trail++) {
        const code = Buffer.from([lead, trail])
        const sign = trail === 0x7f ? '' : decoder.decode(code)
        if (sign.length === 1 && sign !== '\ufffd' && !codes.has(sign)) codes.set(sign, code)
      }
    return Buffer.concat([...text].map((sign) => (sign < '\u0080' ? Buffer.from(sign) : (codes.get(sign) ?? Buffer.from('?')))))
  }
  const encodings: [string, (text: string) => Buffer][] = [
    ['UTF-8', (text) => Buffer.from(text)],
    ['UTF-8 with a byte order mark', (text) => Buffer.from(`\ufeff${text}`)],
    ['UTF-16 LE', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 BE', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['GB 18030', gb18030],
  ]
  test.each(encodings.flatMap(([name, encode]) => [',', '\t', ';'].map((separator) => [name, separator, encode] as const)))(
    'reads text in %s, separated by %j',
    async (_, separator, encode) => {
      const [grid] = (await readGrids(encode(table(separator)))) as [Grid]
      expect(getCell(grid, 0, 2).text).toBe('实发工资')
      amounts.forEach(([text, decimal], at) => {
        expect(getCell(grid, at + 1, 0).text).toBe(`张三${at}`)
        expect(getCell(grid, at + 1, 1)).toMatchObject({ text: `00${at}`, kind: 'text' })
        expect(getCell(grid, at + 1, 2), text).toMatchObject({ text: view(text), decimal })
      })
    },
  )
})
