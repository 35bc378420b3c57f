/**
 * How the readers handle cells as Excel shows them: elapsed hours, noise beyond the 15th digit, odd spellings,
 * pictures, text without a byte order mark, ZIP64.
 */
import { readFileSync } from 'node:fs'
import { utils, write } from '@e965/xlsx'
import { describe, expect, test } from 'vitest'
import { sheetFileExtensions } from '../../../server/contract/sheets/sheet-files.ts'
import { decimalToFen, parseDecimal, roundToSignificantDigits } from '../../../server/rules/decimal.ts'
import { formatPercent, storedValueToFen } from '../../../server/spreadsheets/cells.ts'
import { type Grid, getCell } from '../../../server/spreadsheets/grid.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { readGrids } from '../../../server/spreadsheets/read/read-grids.ts'
import { UnreadableSheetError, unreadableMessages } from '../../../server/spreadsheets/read/unreadable-error.ts'
import { parseTimeFormat } from '../../../server/spreadsheets/read/xlsx/times.ts'
import { everyRow } from '../../support/files/grid.ts'
import { makeXlsx, makeZip, makeZip64, type XlsxCell, xlsxEntries } from '../../support/files/xlsx.ts'

const file = (name: string) => readFileSync(new URL(`../../cases/${name}`, import.meta.url))
const gridIn = async (bytes: Buffer): Promise<Grid> => (await readGrids(bytes))[0] as Grid
const readFile = async (name: string) => {
  const recognized = recognizeWorkbook(await readGrids(file(name)))
  const rows = everyRow(recognized.grids, recognized.recognition)
  const column = (label: string) => recognized.recognition.columns.find((one) => one.label === label)
  const cells = (label: string) => rows.map((row) => row.cells[column(label)?.key ?? ''])
  return { ...recognized.recognition, column, cells }
}

describe('elapsed hours', () => {
  test('reads 02-elapsed-hours.xlsx as Excel shows it', async () => {
    const { cells, column } = await readFile('bug-reports/02-elapsed-hours.xlsx')
    expect(cells('加班时长').map((cell) => cell?.value)).toEqual([
      '9:36',
      '14:38',
      '19:40',
      '24:43',
      '29:45',
      '34:48',
      '39:50',
      '44:52',
    ])
    expect(column('加班时长')).toMatchObject({ role: 'info', kind: 'date' })
  })

  /** Number, format, and what Excel shows. */
  const times: [number, string, string][] = [
    [1.24, '[h]:mm', '29:45'],
    [0.4, '[h]:mm', '9:36'],
    [0, '[h]:mm', '0:00'],
    [60.5, '[h]:mm', '1452:00'],
    [1.24, '[hh]:mm', '29:45'],
    [1.24, '[h]:mm:ss', '29:45:36'],
    [1.24, '[h]:mm;@', '29:45'],
    [1.24, '[h]"小时"mm"分"', '29小时45分'],
    [0.0625, '[m]"分"', '90分'],
    [1.24, '[mm]:ss', '1785:36'],
    [1.24, '[ss]', '107136'],
    [8.5 / 24, 'h:mm', '8:30'],
    [8.5 / 24 + 24.4 / 86_400, 'h:mm', '8:30'],
    [0.354166666666667, 'h:mm', '8:30'],
    [8.5 / 24, 'hh:mm', '08:30'],
    [8.5 / 24, 'h:mm:ss', '8:30:00'],
    [0.99999999, 'h:mm:ss', '0:00:00'],
    [0.6, 'h:mm AM/PM', '2:24 PM'],
    [0.25, 'h:mm AM/PM', '6:00 AM'],
    [0.0001, 'mm:ss.0', '00:08.6'],
  ]

  test.each(times)('shows %s in %s as %s', (serial, format, visible) => expect(parseTimeFormat(format)?.(serial)).toBe(visible))
  test.each(['yyyy-mm-dd', 'm/d h:mm', 'mmm', 'mm', 'General', '0.00', '0.00%', '@', ''])(
    'does not treat %s as a time format',
    (format) => expect(parseTimeFormat(format)).toBeNull(),
  )
  test('reads days with hours as the month shows them', () => {
    expect(parseTimeFormat('d"天"h"小时"')?.(1.24)).toBe('1天5小时')
    expect(parseTimeFormat('d"天"h"小时"')?.(45_000.5)).toBeNull()
  })
  test('takes the elapsed format of two conditions, and shows a negative time with its sign', () => {
    expect(parseTimeFormat('[<1]h:mm;[h]:mm')?.(1.24)).toBe('29:45')
    expect(parseTimeFormat('[h]:mm')?.(-0.5)).toBe('-12:00')
  })

  const visibleIn = (grid: Grid) => times.map((_, row) => getCell(grid, row + 1, 1).text)
  const requested = times.map(([, , visible]) => visible)
  test.each([false, true])('reads .xlsx with the 1904 date system: %s', async (date1904) => {
    const rows: XlsxCell[][] = times.map(([serial], at) => ['张三', { attributes: `s="${4 + at}"`, inside: `<v>${serial}</v>` }])
    const formats = times.map(([, format]) => format)
    expect(
      visibleIn(await gridIn(makeXlsx({ sheets: [{ name: 'S', rows: [['姓名', '工时'], ...rows] }], formats, date1904 }))),
    ).toEqual(requested)
  })
  test('reads elapsed hours in .xls', async () => {
    const sheet = utils.aoa_to_sheet([['姓名', '工时'], ...times.map(([v, z]) => ['张三', { t: 'n', v, z }])])
    const bytes = write({ SheetNames: ['S'], Sheets: { S: sheet } }, { type: 'buffer', bookType: 'biff8' }) as Buffer
    expect(visibleIn(await gridIn(bytes))).toEqual(requested)
  })
  test('reads elapsed hours in built-in formats of .xlsx', async () => {
    const ids: [number, string][] = [
      [18, '2:24 PM'],
      [20, '14:24'],
      [21, '14:24:00'],
      [32, '14时24分'],
      [45, '24:00'],
      [46, '38:24:00'],
      [55, '下午2时24分'],
      [56, '下午2时24分00秒'],
    ]
    const sections = xlsxEntries({
      sheets: [{ name: 'S', rows: ids.map((_, at) => ['张三', { attributes: `s="${at}"`, inside: '<v>1.6</v>' }]) }],
    })
    const styles = `<styleSheet><cellXfs>${ids.map(([id]) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`
    const grid = await gridIn(makeZip({ ...sections, 'xl/styles.xml': styles }))
    expect(ids.map((_, row) => getCell(grid, row, 1).text)).toEqual(ids.map(([, visible]) => visible))
  })
  test('reads elapsed hours in Excel 2003 XML written as a time or as a number', async () => {
    const cells: [string, string, string, string][] = [
      ['[h]:mm', 'DateTime', '1900-01-01T05:45:36.000', '29:45'],
      ['[h]:mm', 'DateTime', '1899-12-31T09:36:00.000', '9:36'],
      ['[h]:mm', 'DateTime', '1900-02-28T12:00:00.000', '1428:00'],
      ['[h]:mm', 'DateTime', '1900-02-29T12:00:00.000', '1452:00'],
      ['[h]:mm', 'DateTime', '1900-03-01T12:00:00.000', '1476:00'],
      ['[h]:mm', 'Number', '1.24', '29:45'],
      ['Short Time', 'DateTime', '1899-12-31T08:30:24.000', '8:30'],
      ['Long Time', 'DateTime', '1899-12-31T08:30:24.000', '8:30:24'],
      ['yyyy/m/d h:mm', 'DateTime', '2026-03-05T08:30:24.000', '2026-03-05 08:30'],
      ['Short Date', 'Number', '46086', '2026-03-05'],
      ['Fixed', 'Number', '46086', '46086'],
    ]
    const styles = cells.map(([format], at) => `<Style ss:ID="s${at}"><NumberFormat ss:Format="${format}"/></Style>`).join('')
    const rows = cells.map(
      ([, type, value], at) =>
        `<Row><Cell ss:StyleID="s${at}"><Data ss:Type="${type}">${value}</Data></Cell><Cell><Data ss:Type="String">x</Data></Cell></Row>`,
    )
    const grid = await gridIn(
      Buffer.from(
        `<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Styles>${styles}</Styles><Worksheet ss:Name="S"><Table>${rows.join('')}</Table></Worksheet></Workbook>`,
      ),
    )
    expect(cells.map((_, row) => getCell(grid, row, 0).text)).toEqual(cells.map(([, , , visible]) => visible))
  })
  test('uses the shown text in .ods, or hours where there is none', async () => {
    const cells: [value: string, text: string, shown: string][] = [
      ['PT36H15M', '36:15', '36:15'],
      ['PT36H15M00S', '', '36:15'],
      ['PT36H15M30S', '', '36:15:30'],
      ['P1DT12H15M', '', '36:15'],
      ['PT29H45M36.000000S', '29:45', '29:45'],
      ['PT08H30M24S', '8:30', '8:30'],
      ['PT08H30M00S', '', '08:30'],
      ['-PT12H', '', '-12:00'],
    ]
    const rows = cells.map(
      ([value, text]) =>
        `<table:table-row><table:table-cell office:value-type="string"><text:p>张三</text:p></table:table-cell><table:table-cell office:value-type="time" office:time-value="${value}">${text && `<text:p>${text}</text:p>`}</table:table-cell></table:table-row>`,
    )
    const content = `<office:document-content><office:body><office:spreadsheet><table:table table:name="S">${rows.join('')}</table:table></office:spreadsheet></office:body></office:document-content>`
    const grid = await gridIn(makeZip({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': content }))
    expect(cells.map((_, row) => getCell(grid, row, 1).text)).toEqual(cells.map(([, , visible]) => visible))
    expect(getCell(grid, 0, 1).kind).toBe('date')
  })
  test('keeps the shown text of a web page', async () => {
    const page = '<table><tr><td>姓名<td>工时<tr><td>张三<td>29:45<tr><td>李四<td>8:30</table>'
    const grid = await gridIn(Buffer.from(page))
    expect([1, 2].map((row) => getCell(grid, row, 1).text)).toEqual(['29:45', '8:30'])
  })
  test('removes only the seconds that the format of a date and time hides', async () => {
    const rows = [0, 1].map((at): XlsxCell[] => ['张三', { attributes: `s="${4 + at}"`, inside: '<v>46086.35444444444</v>' }])
    const grid = await gridIn(makeXlsx({ sheets: [{ name: 'S', rows }], formats: ['yyyy/m/d h:mm', 'yyyy/m/d h:mm:ss'] }))
    expect([0, 1].map((row) => getCell(grid, row, 1).text)).toEqual(['2026-03-05 08:30', '2026-03-05 08:30:24'])
  })
  test('shows the same text for more times than the limit of stored cell marks', async () => {
    const count = 50_010
    const rows = Array.from({ length: count }, (): XlsxCell[] => [{ attributes: 's="4"', inside: '<v>1.24</v>' }])
    const grid = await gridIn(makeXlsx({ sheets: [{ name: 'S', rows }], formats: ['[h]:mm'] }))
    expect(new Set(Array.from({ length: count }, (_, row) => getCell(grid, row, 0).text))).toEqual(new Set(['29:45']))
  })
})

describe('rounding as Excel shows it', () => {
  const decimals: [string, string, number | null][] = [
    ['1234.5649999999998', '1234.565', 123_457],
    ['-1234.5649999999998', '-1234.565', -123_457],
    ['1234.56499999999', '1234.56499999999', 123_456],
    ['710.4000000000001', '710.4', 71_040],
    ['0.30000000000000004', '0.3', 30],
    ['99.99999999999999', '100', 10_000],
    ['9.999999999999999999', '10', 1_000],
    ['71413.035', '71413.035', 7_141_304],
    ['0.00000123456789012345678', '0.00000123456789012346', 0],
    ['12345678901234567', '12345678901234567', null],
  ]
  test.each(decimals)('shows %s as %s', (decimal, rounded, fen) => {
    expect(roundToSignificantDigits(decimal)).toBe(rounded)
    expect(decimalToFen(decimal)).toBe(fen)
  })
  test('keeps every fen of numbers with two decimals', () => {
    for (let fen = -123_456_789; fen < 123_456_789; fen += 99_991) expect(storedValueToFen(fen / 100)).toBe(fen)
  })
  test('sums amounts with binary noise to the sum of the fen', () => {
    let total = 0
    for (let fen = 1; fen < 20_000; fen += 7) {
      total += fen / 100
      const exact = Array.from({ length: (fen - 1) / 7 + 1 }, (_, at) => 1 + at * 7).reduce((sum, one) => sum + one, 0)
      expect(storedValueToFen(total)).toBe(exact)
    }
  })
  test('reads 16-half-cents.xlsx to the fen that Excel shows', async () => {
    const { cells } = await readFile('bug-reports/16-half-cents.xlsx')
    expect(cells('基本工资').map((cell) => cell?.fen)).toEqual([123_457, 200_001, 111_112, 800_000])
    expect(cells('实发工资').map((cell) => cell?.fen)).toEqual([123_457, 200_001, 333_334, 800_000])
  })
  const header = ['姓名', '工号', '基本工资', '实发工资']
  const people = (value: XlsxCell): XlsxCell[][] => ['张三', '李四', '王五'].map((name, at) => [name, `A00${at}`, value, value])
  const read = async (bytes: Buffer) => {
    const { grids, recognition } = recognizeWorkbook(await readGrids(bytes))
    return everyRow(grids, recognition).map(({ cells }) => cells.c3?.fen)
  }
  test('rounds alike in .xlsx, .xls, .ods, Excel 2003 XML and .csv', async () => {
    const all = [123_457, 123_457, 123_457]
    expect(
      await read(
        makeXlsx({ sheets: [{ name: 'S', rows: [header, ...people({ raw: '1234.5649999999998', format: 'money' })] }] }),
      ),
    ).toEqual(all)
    const sheet = utils.aoa_to_sheet([header, ...people(1234.5649999999998)])
    for (const bookType of ['biff8', 'ods', 'xlml'] as const)
      expect(await read(write({ SheetNames: ['S'], Sheets: { S: sheet } }, { type: 'buffer', bookType }) as Buffer)).toEqual(all)
    const csv = [header, ...people('1234.5649999999998')].map((row) => row.join(',')).join('\n')
    expect(await read(Buffer.from(csv))).toEqual(all)
  })
  test('rounds a calculated result of many digits once', async () => {
    const rows = people(null).map((row, at) => [...row.slice(0, 2), { raw: '1234567.1249999' }, { formula: `C${at + 2}` }])
    expect(await read(makeXlsx({ sheets: [{ name: 'S', rows: [header, ...rows] }] }))).toEqual([
      123_456_712, 123_456_712, 123_456_712,
    ])
  })
  test('rounds a percentage at the 15th digit first', () => expect(formatPercent(0.08499999999999999, 0)).toBe('9%'))
})

describe('odd spellings of numbers', () => {
  const spelled: [string, string | null][] = [
    ['9000.-', '9000'],
    ['9,000.-', '9000'],
    ['9000.—', '9000'],
    ['9000,-', '9000'],
    ['¥9000.-', '9000'],
    ['9000.-元', '9000'],
    ['-9000.-', '-9000'],
    ['(9000.-)', '-9000'],
    ['9000-', '-9000'],
    ['9000.00-', '-9000'],
    ['8 000.00', '8000'],
    ['1 234 567.5', '1234567.5'],
    ['¥8 000.00', '8000'],
    ['8\u00a0000', '8000'],
    ['8\u2009000.00', '8000'],
    ['-8\u202f000', '-8000'],
    ["12'000.50", '12000.5'],
    ['12’000', '12000'],
    // Ambiguous: may be two numbers.
    ['8 000', null],
    ['8\n000.00', null],
    ['5\n200', null],
    ['8 00.00', null],
    ['008 000.00', null],
    ['1 234,50', null],
    ['1 234.567', null],
    ['138 0013 8000', null],
    ['6,000.00 CR', null],
  ]
  test.each(spelled)('reads %j as %s', (text, decimal) => expect(parseDecimal(text)).toBe(decimal))
  test('reads 19-odd-numbers.xlsx with a warning for unreadable cells', async () => {
    const { cells, warnings } = await readFile('bug-reports/19-odd-numbers.xlsx')
    expect(cells('基本工资').map((cell) => cell?.fen)).toEqual([800_000, 900_000, 700_000, undefined])
    expect(cells('实发工资').map((cell) => cell?.fen)).toEqual([900_000, 900_000, 740_000, 600_000])
    expect(warnings).toEqual(['「基本工资」列有读不成金额的内容：第 5 行'])
  })
  const marked: [string, string][] = [
    ["'00124", '00124'],
    ["'110101199003077651", '110101199003077651'],
    ["'-500.00", '-500.00'],
    ['’00124', '00124'],
    ["''", "''"],
    ["'张三", "'张三"],
    ["'2' 号", "'2' 号"],
    ["O'Neil", "O'Neil"],
  ]
  test.each(marked)('reads a cell with %s as %s', async (written, text) => {
    const csv = await gridIn(Buffer.from(`姓名,工号,实发工资\n张三,${written},5000\n李四,2,6000\n王五,3,7000`))
    expect(getCell(csv, 1, 1).text).toBe(text)
    expect(getCell(await gridIn(makeXlsx({ sheets: [{ name: 'S', rows: [['工号', written]] }] })), 0, 1).text).toBe(text)
  })
})

describe('pictures in cells', () => {
  test('reads 03-wps-picture-in-cell.xlsx without the picture column, with a warning', async () => {
    const { column, cells, warnings, questions } = await readFile('bug-reports/03-wps-picture-in-cell.xlsx')
    expect(column('员工签名')).toMatchObject({ role: 'ignore', samples: [], reason: '这一列是图片' })
    expect(cells('员工签名')).toEqual([undefined, undefined, undefined])
    expect(warnings).toEqual(['「员工签名」列是图片，没有读入'])
    expect(questions).toEqual([])
  })
  const header = ['姓名', '工号', '基本工资', '实发工资', '照片']
  const rowsWith = (picture: XlsxCell): XlsxCell[][] => [
    header,
    ...['张三', '李四'].map((name, at): XlsxCell[] => [name, `A00${at}`, 5000, 5000, picture]),
  ]
  const visible = '=DISPIMG("ID_A1B1",1)'
  const pictures: [string, XlsxCell][] = [
    ['as WPS writes it', { attributes: 't="str"', inside: `<f>_xlfn.DISPIMG("ID_A1B1",1)</f><v>${visible}</v>` }],
    ['without a prefix', { formula: 'DISPIMG("ID_A1B1",1)', value: visible }],
    ['saved by Excel', { attributes: 't="e"', inside: '<f>_xlfn.DISPIMG("ID_A1B1",1)</f><v>#NAME?</v>' }],
    ['without a result', { formula: '_xlfn.DISPIMG("ID_A1B1",1)' }],
    ['copied as a value', visible],
    ['as a lookup result', { formula: 'VLOOKUP(A2,照片!A:B,2,0)', value: visible }],
    [
      'the function IMAGE',
      { attributes: 't="e" vm="1"', inside: '<f>_xlfn.IMAGE("https://example.com/a.png")</f><v>#VALUE!</v>' },
    ],
    ['placed in the cell by Excel', { attributes: 't="e" vm="1"', inside: '<v>#VALUE!</v>' }],
  ]
  const expectPictures = async (bytes: Buffer) => {
    const { columns, warnings, questions } = recognizeWorkbook(await readGrids(bytes)).recognition
    expect(columns.map(({ role }) => role)).toEqual(['name', 'employee_no', 'earning', 'net', 'ignore'])
    expect(warnings).toEqual(['「照片」列是图片，没有读入'])
    expect(questions).toEqual([])
  }
  test.each(pictures)('recognizes a picture in .xlsx: %s', async (_, picture) =>
    expectPictures(makeXlsx({ sheets: [{ name: 'S', rows: rowsWith(picture) }] })),
  )
  test.each(['biff8', 'ods', 'xlml', 'html', 'csv'] as const)('%s', async (bookType) => {
    const sheet = utils.aoa_to_sheet(rowsWith(visible))
    await expectPictures(write({ SheetNames: ['S'], Sheets: { S: sheet } }, { type: 'buffer', bookType }) as Buffer)
  })
  test('omits a picture among texts and names it', async () => {
    const rows = rowsWith('见附件')
    rows[2] = ['李四', 'A001', 5000, 5000, visible]
    const { columns, warnings } = recognizeWorkbook(await readGrids(makeXlsx({ sheets: [{ name: 'S', rows }] }))).recognition
    expect(columns.at(-1)).toMatchObject({ role: 'info', samples: ['见附件'] })
    expect(warnings).toEqual(['「照片」列里有图片，没有读入：第 3 行'])
  })
  test('keeps an error with a formula as an error', async () => {
    const { warnings } = recognizeWorkbook(
      await readGrids(
        makeXlsx({
          sheets: [{ name: 'S', rows: rowsWith({ attributes: 't="e" vm="1"', inside: '<f>A1:A9</f><v>#VALUE!</v>' }) }],
        }),
      ),
    ).recognition
    expect(warnings.join()).not.toContain('图片')
  })
})

describe('UTF-16 without a byte order mark', () => {
  const text =
    '姓名,手机号,部门,基本工资,实发工资\r\n张一,19911110015,行政部,"8,000.00",8000\r\n最后一,19911110016,行政部,9000,9000\r\n'
  const little = Buffer.from(text, 'utf16le')
  const big = Buffer.from(little).swap16()
  test('reads 21-utf16-without-mark.csv', async () => {
    const { people, net_sum_fen } = await readFile('bug-reports/21-utf16-without-mark.csv')
    expect({ people, net_sum_fen }).toEqual({ people: 3, net_sum_fen: 2_600_000 })
  })
  test.each([
    ['LE', little],
    ['BE', big],
    ['little-endian text with tabs', Buffer.from(text.replace(/"8,000.00"/, '8000').replaceAll(',', '\t'), 'utf16le')],
    ['LE with a byte order mark', Buffer.concat([Buffer.from([0xff, 0xfe]), little])],
    ['BE with a byte order mark', Buffer.concat([Buffer.from([0xfe, 0xff]), big])],
  ])('%s', async (_, bytes) => {
    const { recognition } = recognizeWorkbook(await readGrids(bytes))
    expect(recognition).toMatchObject({ people: 2, net_sum_fen: 1_700_000 })
  })
  test.each([
    ['single bytes with a zero among them', Buffer.from(text.replace('行政部', '行\u0000部'))],
    ['Latin text with a zero among it', Buffer.from('name,pay\nzhangsan,5000\nlisi,6000\u0000\n')],
    ['zeros', Buffer.alloc(4000)],
    ['a program file', Buffer.concat([Buffer.from('MZ'), Buffer.alloc(400, 1), Buffer.alloc(400)])],
    ['half a character', Buffer.concat([little, Buffer.from([0x41])])],
  ])('does not read %s as UTF-16', async (_, bytes) => expect(readGrids(bytes)).rejects.toThrow(UnreadableSheetError))
})

describe('ZIP64', () => {
  const rows: XlsxCell[][] = [
    ['姓名', '工号', '基本工资', '实发工资'],
    ['张三', 'A1', 5000, 5000],
    ['李四', 'A2', 6000, 6000],
  ]
  const plain = makeXlsx({ sheets: [{ name: 'S', rows }] })
  const getNet = async (bytes: Buffer) => recognizeWorkbook(await readGrids(bytes)).recognition.net_sum_fen
  test('w21-zip64-sizes.xlsx is a valid file', async () =>
    expect(await getNet(file('wage-sheets-and-rosters/w21-zip64-sizes.xlsx'))).toBe(1_050_000))
  test.each([
    ['sizes', makeZip64(plain)],
    ['sizes and offsets', makeZip64(plain, { places: true })],
    ['sizes, offsets and the directory', makeZip64(plain, { places: true, record: true })],
  ])('reads ZIP64 with %s in its fields', async (_, bytes) => expect(await getNet(bytes)).toBe(1_100_000))
  test('reads ZIP64 where the end record refers to it for everything', async () => {
    const bytes = makeZip64(plain, { record: true })
    bytes.fill(0xff, bytes.length - 14, bytes.length - 2)
    expect(await getNet(bytes)).toBe(1_100_000)
  })

  const bomb = makeZip({ '[Content_Types].xml': '<Types/>', 'xl/workbook.xml': ' '.repeat(60 * 1024 * 1024) })
  const claim = (at: number, value: bigint) => (fields: Buffer, what: string) => {
    if (what === 'entry') fields.writeBigUInt64LE(value, at)
    return fields
  }
  const long = (at: number, value: bigint) => (fields: Buffer, what: string) => {
    if (what === 'record') fields.writeBigUInt64LE(value, at)
    return fields
  }
  const spoilt: [string, () => Buffer, string][] = [
    ['a decompression bomb', () => makeZip64(bomb), unreadableMessages.too_big_inside],
    [
      'a decompression bomb with a small declared size',
      () => makeZip64(bomb, { spoil: claim(4, 5_000n) }),
      unreadableMessages.damaged,
    ],
    ['sizes of terabytes', () => makeZip64(plain, { spoil: claim(4, 1n << 42n) }), unreadableMessages.too_big_inside],
    ['sizes beyond the number range', () => makeZip64(plain, { spoil: claim(4, 1n << 63n) }), unreadableMessages.damaged],
    ['a packed size beyond the file', () => makeZip64(plain, { spoil: claim(12, 1n << 40n) }), unreadableMessages.damaged],
    [
      'offsets beyond the file',
      () => makeZip64(plain, { places: true, spoil: claim(20, 1n << 40n) }),
      unreadableMessages.damaged,
    ],
    ['a contradicting size', () => makeZip64(plain, { spoil: claim(4, 100n) }), unreadableMessages.too_big_inside],
    [
      'a missing field',
      () => makeZip64(plain, { spoil: (fields, what) => (what === 'entry' ? Buffer.alloc(0) : fields) }),
      unreadableMessages.damaged,
    ],
    [
      'half of a field',
      () => makeZip64(plain, { spoil: (fields, what) => (what === 'entry' ? fields.subarray(0, 12) : fields) }),
      unreadableMessages.damaged,
    ],
    ['a different count', () => makeZip64(plain, { record: true, spoil: long(32, 3n) }), unreadableMessages.damaged],
    ['a different start', () => makeZip64(plain, { record: true, spoil: long(48, 1n) }), unreadableMessages.damaged],
    ['a longer record', () => makeZip64(plain, { record: true, spoil: long(4, 99n) }), unreadableMessages.damaged],
  ]
  test.each(spoilt)('refuses %s', async (_, make, sentence) => expect(readGrids(make())).rejects.toThrow(sentence))
})

describe('spreadsheet files by extension', () => {
  test('reads 09-wps.et by its actual content', async () => {
    const { people, net_sum_fen } = await readFile('bug-reports/09-wps.et')
    expect({ people, net_sum_fen }).toEqual({ people: 2, net_sum_fen: 1_700_000 })
  })
  test('names an alternative in every rejection of a file, and not only WPS', () => {
    const { word, picture, pdf, html, prose, old, damaged } = unreadableMessages
    for (const sentence of [word, picture, pdf, html, prose, old, damaged]) expect(sentence).toMatch(/请.*另存为 \.xlsx 再上传$/)
    expect(sheetFileExtensions).toEqual(expect.arrayContaining(['et', 'ett', 'txt', 'html', 'htm', 'xml', 'ods', 'tsv']))
  })
})
