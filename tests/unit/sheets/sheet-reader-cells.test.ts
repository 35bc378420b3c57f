/**
 * Every type of cell with a missing, empty, self-closing, invalid and huge value, in each format: the value read, or
 * the rejection of the file.
 */
import { CFB } from '@e965/xlsx'
import { describe, expect, test } from 'vitest'
import { type Grid, getCell, type StoredValue } from '../../../server/spreadsheets/grid.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { readGrids } from '../../../server/spreadsheets/read/read-grids.ts'
import { makeZip } from '../../support/files/xlsx.ts'

const huge = '张'.repeat(32_768)
/** The value of the cell, a date as its text; the error message where the file is refused. */
async function cell(file: Buffer, row = 0, column = 1): Promise<StoredValue> {
  try {
    const [grid] = await readGrids(file)
    if (!grid) return undefined
    const stored = grid.rows[row]?.[column] ?? null
    if (getCell(grid, row, column).uncached) return '没有算出'
    return stored instanceof Date ? `日期 ${getCell(grid, row, column).text}` : stored
  } catch (error) {
    return `拒绝 ${error instanceof Error ? error.message.slice(0, 8) : ''}`
  }
}
type Case = [what: string, written: string, read: StoredValue]
const damaged = '拒绝 文件已损坏，无法'
const long = '拒绝 单元格里的文字太'

describe('.xlsx', () => {
  const split = (data: string, more: Record<string, string> = {}, strings = '<si><t>张三</t></si><si/><si><t/></si>') => {
    const link = (id: string, type: string, target: string) => `<Relationship Id="${id}" Type="x/${type}" Target="${target}"/>`
    return {
      '[Content_Types].xml': '<Types/>',
      '_rels/.rels': `<Relationships>${link('r', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
      'xl/workbook.xml': '<workbook><sheets><sheet name="S" sheetId="1" r:id="a"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': `<Relationships>${link('a', 'worksheet', 'sheet1.xml')}${link('c', 'sharedStrings', 'strings.xml')}${link('s', 'styles', 'styles.xml')}</Relationships>`,
      'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
      'xl/strings.xml': `<sst>${strings}</sst>`,
      'xl/sheet1.xml': `<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c>${data}</row></sheetData></worksheet>`,
      ...more,
    }
  }
  const written = (type: string, value: string) => (value === '自闭' ? `<c r="B1"${type}/>` : `<c r="B1"${type}>${value}</c>`)
  const types: [type: string, cases: Case[]][] = [
    [
      '',
      [
        ['none', '自闭', null],
        ['empty', '<v></v>', null],
        ['closed', '<v/>', null],
        ['wrong', '<v>0x10</v>', '0x10'],
        ['huge', '<v>99999999999999999999</v>', 1e20],
      ],
    ],
    [
      ' t="n"',
      [
        ['none', '自闭', null],
        ['empty', '<v></v>', null],
        ['closed', '<v/>', null],
        ['wrong', '<v>五</v>', '五'],
        ['beyond', '<v>1e999</v>', Number.POSITIVE_INFINITY],
      ],
    ],
    [
      ' t="s"',
      [
        ['none', '自闭', null],
        ['empty', '<v></v>', null],
        ['closed', '<v/>', null],
        ['blank', '<v> </v>', null],
        ['wrong', '<v>9</v>', damaged],
        ['negative', '<v>-1</v>', damaged],
        ['no whole', '<v>0.5</v>', damaged],
        ['no number', '<v>x</v>', damaged],
        ['huge', '<v>4294967296</v>', damaged],
        ['an empty text', '<v>1</v>', ''],
      ],
    ],
    [
      ' t="str"',
      [
        ['none', '自闭', ''],
        ['empty', '<v></v>', ''],
        ['closed', '<v/>', ''],
        ['a number', '<v>007</v>', '007'],
        ['huge', `<v>${huge}</v>`, long],
      ],
    ],
    [
      ' t="inlineStr"',
      [
        ['none', '自闭', ''],
        ['empty', '<is><t></t></is>', ''],
        ['closed', '<is/>', ''],
        ['wrong', '<v>0</v>', ''],
        ['a reading', '<is><t>王五</t><rPh><t>ワン</t></rPh></is>', '王五'],
        ['a text beside runs', '<is><t>实</t><r><t>发</t></r><r><t>工资</t></r></is>', '实发工资'],
        ['huge', `<is><t>${huge}</t></is>`, long],
      ],
    ],
    [
      ' t="b"',
      [
        ['none', '自闭', null],
        ['empty', '<v></v>', null],
        ['closed', '<v/>', null],
        ['wrong', '<v>x</v>', 'x'],
        ['a word', '<v>TRUE</v>', true],
        ['no', '<v>0</v>', false],
      ],
    ],
    [
      ' t="e"',
      [
        ['none', '自闭', ''],
        ['empty', '<v></v>', ''],
        ['closed', '<v/>', ''],
        ['an error', '<v>#REF!</v>', '#REF!'],
        ['huge', `<v>${huge}</v>`, long],
      ],
    ],
    [
      ' t="d"',
      [
        ['none', '自闭', null],
        ['empty', '<v></v>', null],
        ['closed', '<v/>', null],
        ['wrong', '<v>五月</v>', '五月'],
        ['a day', '<v>2026-03-05</v>', '日期 2026-03-05'],
        ['a time', '<v>2021-12-31T23:44:51.894Z</v>', '日期 2021-12-31 23:44:51'],
        ['a time of day', '<v>08:30:00</v>', '日期 08:30'],
        ['no day', '<v>2026-13-45</v>', '2026-13-45'],
      ],
    ],
    [
      ' s="1"',
      [
        ['none', '自闭', null],
        ['a date', '<v>46086</v>', '日期 2026-03-05'],
        ['the day that never was', '<v>60.5</v>', '日期 1900-02-28 12:00'],
        ['a formula without a result', '<f>A1</f>', '没有算出'],
        ['with an empty one', '<f>A1</f><v></v>', '没有算出'],
      ],
    ],
  ]
  test.each(
    types.flatMap(([type, cases]) =>
      cases.map(([what, value, read]): Case => [`${type || 'no type'}: ${what}`, written(type, value), read]),
    ),
  )('%s', async (_, data, read) => expect(await cell(makeZip(split(data)))).toEqual(read))

  const person = (rows: string) => makeZip(split(rows))
  test('reads no employee from a row whose name cell refers to no text', async () => {
    const [grid] = await readGrids(
      makeZip({
        ...split(''),
        'xl/strings.xml': '<sst><si><t>姓名</t></si><si><t>基本工资</t></si><si><t>实发工资</t></si><si><t>张三</t></si></sst>',
        'xl/sheet1.xml':
          '<worksheet><sheetData><row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c></row><row><c t="s"><v>3</v></c><c><v>5000</v></c><c><v>5000</v></c></row><row><c t="s"/><c><v>6000</v></c><c><v>6000</v></c></row></sheetData></worksheet>',
      }),
    )
    const { recognition } = recognizeWorkbook([grid as Grid])
    expect([recognition.data_rows, recognition.unclaimed]).toEqual([[2], [3]])
  })
  test('reads text next to rich text runs and phonetic readings', async () => {
    const strings = '<si><t>实</t><r><t>发</t></r></si><si><t>王五</t><rPh sb="0" eb="1"><t>ワン</t></rPh></si>'
    const [grid] = await readGrids(makeZip(split('<c r="B1" t="s"><v>1</v></c>', {}, strings)))
    expect(grid?.rows[0]).toEqual(['实发', '王五'])
  })
  test('reads a line break as one character, as in XML', async () =>
    expect(await cell(person('<c r="B1" t="str"><v>实发\r\n工资\r合计</v></c>'))).toBe('实发\n工资\n合计'))
  test('uses the 1904 date system, whatever an extension of the same name states', async () => {
    const workbook =
      '<workbook><workbookPr date1904="1"/><sheets><sheet name="S" r:id="a"/></sheets><extLst><ext><x15:workbookPr chartTrackingRefBase="1"/></ext></extLst></workbook>'
    expect(await cell(makeZip(split('<c r="B1" s="1"><v>44624</v></c>', { 'xl/workbook.xml': workbook })))).toBe(
      '日期 2026-03-05',
    )
  })
  test('reads part names with backslashes', async () => {
    const windows = Object.fromEntries(
      Object.entries(split('<c r="B1"><v>5</v></c>')).map(([name, text]) => [name.replaceAll('/', '\\'), text]),
    )
    expect(await cell(makeZip(windows))).toBe(5)
  })
  test('reads a sheet despite a broken picture, macro or comment', async () => {
    const more = { 'xl/media/image1.png': 'x', 'xl/comments1.xml': '<!DOCTYPE x><comments>' }
    expect(await cell(makeZip(split('<c r="B1"><v>5</v></c>', more)))).toBe(5)
  })
  const two = (second: string) => ({
    'xl/workbook.xml': `<workbook><sheets><sheet name="S" r:id="a"/><sheet name="十月" r:id="${second}"/></sheets></workbook>`,
  })
  test.each(['nowhere', ''])('reports a sheet whose link is "%s", and reads the others', async (id) => {
    const grids = await readGrids(makeZip(split('<c r="B1"><v>5</v></c>', two(id))))
    expect(grids.map(({ name, broken }) => [name, broken === true])).toEqual([
      ['S', false],
      ['十月', true],
    ])
    expect(recognizeWorkbook(grids).recognition.warnings.join()).toContain('「十月」已损坏，没有读入')
  })
  test('refuses a workbook of broken sheets only', async () =>
    expect(await cell(makeZip(split('', { 'xl/_rels/workbook.xml.rels': '<Relationships/>' })))).toBe(damaged))
  test('refuses a workbook that names one sheet twice', async () =>
    expect(await cell(makeZip(split('', two('a'))))).toBe(damaged))
  test('inspects one long text in twelve thousand cells once', async () => {
    const cells = Array.from({ length: 12_000 }, (_, at) => `<row r="${at + 2}"><c r="A${at + 2}" t="s"><v>0</v></c></row>`).join(
      '',
    )
    const strings = `<si><t>${'\u200b张'.repeat(800)}</t></si>`
    const sheet = `<worksheet><sheetData>${cells}</sheetData></worksheet>`
    const [grid] = await readGrids(makeZip(split('', { 'xl/sheet1.xml': sheet }, strings)))
    const texts = grid?.rows.slice(1).map((row) => row?.[0]) ?? []
    expect(new Set(texts)).toEqual(new Set(['张'.repeat(800)]))
    expect(texts).toHaveLength(12_000)
  })
})

describe('.ods', () => {
  const ods = (row: string, more: Record<string, string> = {}) =>
    makeZip({
      mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
      'content.xml': `<office:document-content><office:body><office:spreadsheet>${row}</office:spreadsheet></office:body></office:document-content>`,
      ...more,
    })
  const table = (rows: string) => `<table:table table:name="S">${rows}</table:table>`
  const text = (message: string) => `<table:table-cell office:value-type="string"><text:p>${message}</text:p></table:table-cell>`
  const sheet = (cellMap: string) => ods(table(`<table:table-row>${text('张三')}${cellMap}</table:table-row>`))
  const of = (attributes: string, inside = '') => `<table:table-cell ${attributes}>${inside}</table:table-cell>`
  const types: Case[] = [
    ['nothing', '<table:table-cell/>', null],
    ['text without a type', of('', '<text:p>无</text:p>'), '无'],
    ...(['float', 'currency', 'percentage'] as const).flatMap((type): Case[] => [
      [`${type}: none`, of(`office:value-type="${type}"`), null],
      [`${type}: empty`, of(`office:value-type="${type}" office:value=""`), null],
      [`${type}: closed`, `<table:table-cell office:value-type="${type}" office:value="0.08"/>`, 0.08],
      [`${type}: wrong`, of(`office:value-type="${type}" office:value="x"`, '<text:p>五千</text:p>'), '五千'],
      [`${type}: huge`, of(`office:value-type="${type}" office:value="99999999999999999999"`), 1e20],
    ]),
    ['date: missing', of('office:value-type="date"'), null],
    ['date: empty', of('office:value-type="date" office:date-value=""'), null],
    ['date: invalid', of('office:value-type="date" office:date-value="x"', '<text:p>五月</text:p>'), '五月'],
    ['date', of('office:value-type="date" office:date-value="2026-03-05"'), '日期 2026-03-05'],
    ['date and time', of('office:value-type="date" office:date-value="2026-03-05T08:30:00"'), '日期 2026-03-05 08:30'],
    ['time: missing', of('office:value-type="time"'), null],
    ['time', of('office:value-type="time" office:time-value="PT08H30M00S"'), '日期 08:30'],
    ['time: invalid', of('office:value-type="time" office:time-value="x"', '<text:p>八点</text:p>'), '八点'],
    ['boolean', of('office:value-type="boolean" office:boolean-value="true"', '<text:p>TRUE</text:p>'), true],
    ['boolean: false', of('office:value-type="boolean" office:boolean-value="false"'), false],
    ['boolean: missing', of('office:value-type="boolean"'), false],
    ['string: missing', of('office:value-type="string"'), null],
    ['string: empty', of('office:value-type="string"', '<text:p></text:p>'), null],
    ['string: self-closed', of('office:value-type="string"', '<text:p/>'), null],
    ['string: several lines', of('office:value-type="string"', '<text:p>实发</text:p><text:p>工资</text:p>'), '实发\n工资'],
    [
      'string: spaces',
      of('office:value-type="string"', '<text:p>李<text:s text:c="2"/>四<text:line-break/>五<text:tab/></text:p>'),
      '李  四\n五\t',
    ],
    ['string: rich text runs', of('office:value-type="string"', '<text:p>实<text:span>发</text:span></text:p>'), '实发'],
    [
      'string: excludes a note',
      of('office:value-type="string"', '<office:annotation><text:p>注</text:p></office:annotation><text:p>张</text:p>'),
      '张',
    ],
    ['string: its value before its text', of('office:value-type="string" office:string-value="A1"', '<text:p>甲</text:p>'), 'A1'],
    ['string: huge', of('office:value-type="string"', `<text:p>${huge}</text:p>`), long],
    [
      'an error',
      of(
        'table:formula="of:=X()" office:value-type="string" office:string-value="" calcext:value-type="error"',
        '<text:p>#NAME?</text:p>',
      ),
      '#NAME?',
    ],
    ['a formula without a result', of('table:formula="of:=[.A1]"'), '没有算出'],
    [
      'filled-down formula, which keeps its text',
      of('table:formula="of:=[.A1]" office:value-type="string"', '<text:p>甲</text:p>'),
      '甲',
    ],
  ]
  test.each(types)('%s', async (_, written, read) => expect(await cell(sheet(written))).toEqual(read))

  const row = (message: string, attributes = '') => `<table:table-row ${attributes}>${text(message)}</table:table-row>`
  test('keeps the order of rows in print titles and groups, and repeats repeated ones', async () => {
    const rows = `<table:table-header-rows>${row('一')}</table:table-header-rows><table:table-row-group>${row('二')}<table:table-row-group>${row('三', 'table:visibility="collapse"')}</table:table-row-group></table:table-row-group><table:table-rows>${row('四', 'table:number-rows-repeated="2"')}${row('五')}</table:table-rows><table:table-row table:number-rows-repeated="1048570"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>`
    const [grid] = await readGrids(ods(table(rows)))
    expect(grid?.rows.map((cells) => cells?.[0])).toEqual(['一', '二', '三', '四', '四', '五'])
    expect([...(grid?.hidden_rows ?? [])]).toEqual([2])
  })
  test('adds no rows for a tracked change and a table in a shape', async () => {
    const changes = `<table:tracked-changes><table:cell-content-change><table:previous><table:change-track-table-cell><text:p>旧</text:p></table:change-track-table-cell></table:previous></table:cell-content-change></table:tracked-changes>`
    const shapes = `<table:shapes><draw:frame><draw:object><table:table table:name="X">${row('图')}</table:table></draw:object></draw:frame></table:shapes>`
    const grids = await readGrids(ods(`${changes}${table(`${shapes}${row('张三')}`)}`))
    expect(grids.map(({ name }) => name)).toEqual(['S'])
    expect(grids[0]?.rows.at(-1)).toEqual(['张三'])
  })
  test('reports a file protected by a password', async () => {
    const manifest =
      '<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>'
    expect(await cell(ods('', { 'META-INF/manifest.xml': manifest }))).toBe('拒绝 文件已加密，请在')
  })
})

describe('.xls', () => {
  const record = (kind: number, data: Buffer | number[]) => {
    const bytes = Buffer.from(data)
    const head = Buffer.alloc(4)
    head.writeUInt16LE(kind, 0)
    head.writeUInt16LE(bytes.length, 2)
    return Buffer.concat([head, bytes])
  }
  const word = (value: number) => [value & 255, (value >> 8) & 255]
  const long4 = (value: number) => [...word(value & 0xffff), ...word(value >>> 16)]
  const double = (value: number) => {
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleLE(value)
    return [...bytes]
  }
  const wide = (message: string) => [...word(message.length), 1, ...Buffer.from(message, 'utf16le')]
  const begin = (kind: number) => record(0x809, [...word(0x600), ...word(kind), ...word(0), ...word(0), ...long4(0), ...long4(0)])
  const end = record(0x0a, [])
  const at = (row: number, column: number, style = 0) => [...word(row), ...word(column), ...word(style)]
  const texts = (list: Buffer[]) => Buffer.concat(list)
  const sst = record(0xfc, [...long4(2), ...long4(2), ...wide('张三'), ...wide('')])
  const styles = texts([record(0xe0, [...word(0), ...word(0)]), record(0xe0, [...word(0), ...word(14)])])
  const sheet = (name: string, kind: number, start: number) =>
    record(0x85, [...long4(start), 0, kind, name.length, 1, ...Buffer.from(name, 'utf16le')])
  interface Made {
    cells: Buffer[]
    stream?: string
    more?: Buffer[]
    inner?: Buffer
    cut?: number
  }
  const getBook = (cells: Buffer[], more: Buffer[] = []) => {
    const head = (start: number) => texts([begin(5), ...more, styles, sheet('S', 0, start), sst, end])
    const start = head(0).length
    return texts([head(start), begin(0x10), ...cells, end])
  }
  const book = ({ cells, stream = 'Workbook', more, inner, cut = 0 }: Made) => {
    const file = CFB.utils.cfb_new()
    if (inner) CFB.utils.cfb_add(file, '/MBD0001/Workbook', inner)
    const bytes = getBook(cells, more)
    // Large enough for sectors of its own.
    CFB.utils.cfb_add(file, `/${stream}`, texts([bytes, Buffer.alloc(Math.max(0, 5_000 - bytes.length))]))
    const written = Buffer.from(CFB.write(file, { type: 'buffer' }) as Buffer)
    return cut > 0 ? written.subarray(0, written.length - cut) : written
  }
  const name = record(0xfd, [...at(0, 0), ...long4(0)])
  const read = (...cells: Buffer[]) => cell(book({ cells: [name, ...cells] }))
  const number = record(0x203, [...at(0, 1), ...double(5000.5)])
  const chart = (...cells: Buffer[]) => texts([begin(0x20), record(0x203, [...at(0, 0), ...double(7)]), ...cells, end])
  const formula = (result: number[], row = 0) => record(0x06, [...at(row, 1), ...result, ...word(0), ...long4(0)])
  const message = record(0x207, wide('甲'))
  const cases: [what: string, cells: Buffer[], read: StoredValue][] = [
    ['nothing', [record(0x201, at(0, 1))], null],
    ['text by its number', [record(0xfd, [...at(0, 1), ...long4(0)])], '张三'],
    ['an empty text', [record(0xfd, [...at(0, 1), ...long4(1)])], ''],
    ['a text number that does not exist', [record(0xfd, [...at(0, 1), ...long4(9)])], damaged],
    ['a huge text number', [record(0xfd, [...at(0, 1), ...long4(0xffffffff)])], damaged],
    ['a truncated cell', [record(0xfd, at(0, 1))], damaged],
    ['an inline text', [record(0x204, [...at(0, 1), ...wide('李四')])], '李四'],
    ['an empty inline text', [record(0x204, [...at(0, 1), ...wide('')])], ''],
    ['a number', [number], 5000.5],
    ['a truncated number', [record(0x203, [...at(0, 1), 0, 0])], damaged],
    ['a huge number', [record(0x203, [...at(0, 1), ...double(1e20)])], 1e20],
    ['an integer in four bytes', [record(0x27e, [...at(0, 1), ...long4((5000 << 2) | 2)])], 5000],
    ['hundredths', [record(0x27e, [...at(0, 1), ...long4((500_050 << 2) | 3)])], 5000.5],
    ['a negative integer', [record(0x27e, [...at(0, 1), ...long4(((-5 << 2) | 2) >>> 0)])], -5],
    [
      'several in one',
      [
        record(0xbd, [
          ...word(0),
          ...word(1),
          ...word(0),
          ...long4((8 << 2) | 2),
          ...word(0),
          ...long4((9 << 2) | 2),
          ...word(2),
        ]),
      ],
      8,
    ],
    ['a date', [record(0x203, [...at(0, 1, 1), ...double(46_086)])], '日期 2026-03-05'],
    ['true', [record(0x205, [...at(0, 1), 1, 0])], true],
    ['false', [record(0x205, [...at(0, 1), 0, 0])], false],
    ['an error', [record(0x205, [...at(0, 1), 0x17, 1])], '#REF!'],
    ['an unknown error', [record(0x205, [...at(0, 1), 0x63, 1])], '#ERR!'],
    ['a formula', [formula(double(12.5))], 12.5],
    ['a formula with text', [formula([0, 0, 0, 0, 0, 0, 255, 255]), message], '甲'],
    [
      'a formula with text after shared formula data',
      [formula([0, 0, 0, 0, 0, 0, 255, 255]), record(0x4bc, [...word(0), ...word(9), 1, 1, 0, 9, ...word(0)]), message],
      '甲',
    ],
    ['a formula with empty text', [formula([3, 0, 0, 0, 0, 0, 255, 255])], ''],
    ['a formula with a boolean', [formula([1, 0, 1, 0, 0, 0, 255, 255])], true],
    ['a formula with an error', [formula([2, 0, 7, 0, 0, 0, 255, 255])], '#DIV/0!'],
    ['a text without a formula', [message, number], 5000.5],
    ['cells after an embedded chart', [chart(), number], 5000.5],
    ['a chart within a chart', [chart(chart()), number], 5000.5],
  ]
  test.each(cases)('%s', async (_, cells, expected) => expect(await read(...cells)).toEqual(expected))

  test('excludes the cells of a chart from the sheet', async () => {
    const [grid] = await readGrids(book({ cells: [name, chart()] }))
    expect(grid?.rows).toEqual([['张三']])
  })
  test.each(['WORKBOOK', 'workbook', 'Book', 'BOOK'])('reads a stream called %s', async (stream) =>
    expect(await cell(book({ cells: [name, number], stream }))).toBe(5000.5),
  )
  test('ignores an embedded workbook', async () => {
    const inner = texts([getBook([record(0x203, [...at(0, 1), ...double(1)])]), Buffer.alloc(5_000)])
    expect(await cell(book({ cells: [name, number], inner }))).toBe(5000.5)
  })
  test('reads a file of odd length', async () => {
    const full = book({ cells: [name, number] })
    const odd = texts([full, Buffer.from([0, 0, 0])])
    expect(await cell(odd)).toBe(5000.5)
  })
  test('reports a file protected by a password', async () =>
    expect(await cell(book({ cells: [name], more: [record(0x2f, [1, 0])] }))).toBe('拒绝 文件已加密，请在'))
  test('reports an older workbook format', async () => {
    const old = record(0x809, [...word(0x500), ...word(5), ...word(0), ...word(0)])
    const file = CFB.utils.cfb_new()
    CFB.utils.cfb_add(file, '/Book', texts([old, end, Buffer.alloc(5_000)]))
    expect(await cell(Buffer.from(CFB.write(file, { type: 'buffer' }) as Buffer))).toBe('拒绝 文件格式太旧或不')
  })
  test.each([0x00, 0x02, 0x04, 0x08])('reports an older workbook without a container, version %i', async (version) =>
    expect(await cell(Buffer.from([0x09, version, 8, 0, 0, 0, 0x10, 0]))).toBe('拒绝 文件格式太旧或不'),
  )
  test('refuses a truncated workbook', async () => {
    const file = CFB.utils.cfb_new()
    const full = getBook([name, number])
    CFB.utils.cfb_add(file, '/Workbook', texts([full.subarray(0, full.length - 4)]))
    expect(await cell(Buffer.from(CFB.write(file, { type: 'buffer' }) as Buffer))).toBe(damaged)
  })
  test('reads text that continues in the next record with another character width', async () => {
    const start = Buffer.from([...long4(1), ...long4(1), ...word(4), 0, 0x41, 0x42])
    const more = record(0x3c, [1, ...Buffer.from('张三', 'utf16le')])
    const head = (offset: number) => texts([begin(5), styles, sheet('S', 0, offset), record(0xfc, start), more, end])
    const bytes = texts([head(head(0).length), begin(0x10), name, end])
    const file = CFB.utils.cfb_new()
    CFB.utils.cfb_add(file, '/Workbook', texts([bytes, Buffer.alloc(5_000)]))
    expect(await cell(Buffer.from(CFB.write(file, { type: 'buffer' }) as Buffer), 0, 0)).toBe('AB张三')
  })
})

describe('.csv', () => {
  const csv = (value: string) => Buffer.from(`姓名,实发\n张三,${value}\n李四,5\n`)
  test.each<[string, string, StoredValue]>([
    ['nothing', '', ''],
    ['an empty text', '""', ''],
    ['a number stays a text', '5000.50', '5000.50'],
    ['an account number', '="6222021234567890"', '6222021234567890'],
    ['a value with a comma', '"5,000"', '5,000'],
    ['a single line', '"实\n发"', '实\n发'],
    ['a value with a quote', '"他说""好"""', '他说"好"'],
    ['a huge value is no table', huge, '拒绝 文件里是文字，不'],
  ])('%s', async (_, value, read) => expect(await cell(csv(value), 1, 1)).toEqual(read))
  test.each<[string, number, boolean]>([
    ['ignores empty columns to the right', 400, true],
    ['refuses too many filled columns', 400, false],
    ['reads the maximum number of columns', 299, false],
  ])('%s', async (_, width, blank) => {
    const tail = Array.from({ length: width - 1 }, () => (blank ? '' : '1')).join(',')
    const text = `姓名,实发,${tail}\n张三,5,${tail}\n李四,6,${tail}\n`
    const match = await cell(Buffer.from(text), 1, 1)
    expect(match).toBe(!blank && width > 300 ? '拒绝 表格超过 300' : '5')
  })
})
