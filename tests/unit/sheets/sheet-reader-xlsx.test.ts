/** Our .xlsx reader compared with another one: both must read the same cell values. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isDateFormat, readXlsx } from 'hucre'
import { describe, expect, test } from 'vitest'
import { getCellId, type StoredValue } from '../../../server/spreadsheets/grid.ts'
import { readGrids } from '../../../server/spreadsheets/read/read-grids.ts'
import { sheetLimits } from '../../../server/spreadsheets/read/unreadable-error.ts'
import { isDateFormatCode } from '../../../server/spreadsheets/read/xlsx/styles.ts'
import { XmlScanner } from '../../../server/spreadsheets/read/xlsx/xml.ts'
import { makeZip } from '../../support/files/xlsx.ts'

const head = '<?xml version="1.0" encoding="UTF-8"?>\n'
const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

interface Made {
  data: string
  after?: string
  before?: string
  strings?: string
  formats?: [id: number, code: string][]
  from1904?: boolean
}

/** A workbook of one sheet with handwritten XML. Style n+1 has the n-th format. */
function workbook({ data, before = '', after = '', strings = '', formats = [], from1904 = false }: Made): Buffer {
  const link = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`
  const codes = formats.filter(([id]) => id >= 164).map(([id, code]) => `<numFmt numFmtId="${id}" formatCode="${code}"/>`)
  return makeZip({
    '[Content_Types].xml': `${head}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
    '_rels/.rels': `${head}<Relationships>${link('r1', 'officeDocument', '/xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `${head}<workbook ${main} xmlns:r="${office}">${from1904 ? '<workbookPr date1904="1"/>' : ''}<sheets><sheet name="工资 &amp; 奖金" sheetId="1" r:id="a"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${head}<Relationships>${link('a', 'worksheet', 'worksheets/sheet1.xml')}${link('b', 'styles', 'styles.xml')}${link('c', 'sharedStrings', '../xl/sharedStrings.xml')}</Relationships>`,
    'xl/styles.xml': `${head}<styleSheet ${main}><numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formats.map(([id]) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `${head}<sst ${main}>${strings}</sst>`,
    'xl/worksheets/sheet1.xml': `${head}<worksheet ${main}>${before}<sheetData>${data}</sheetData>${after}</worksheet>`,
  })
}

const plain = (rows: readonly (readonly StoredValue[] | undefined)[]) =>
  Array.from(rows, (row) => {
    const cells = Array.from(row ?? [], (cell) => (cell instanceof Date ? `date ${cell.getTime()}` : (cell ?? null)))
    while (cells.length > 0 && (cells.at(-1) === null || String(cells.at(-1)).trim() === '')) cells.pop()
    return cells
  })
const trimmed = (rows: unknown[][]) => {
  while (rows.at(-1)?.length === 0) rows.pop()
  return rows
}
// Both keep the same characters; ours then removes those that cannot be written and turns a line break into one
// character, as XML does.
const writable = (cell: unknown) =>
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  typeof cell === 'string' ? cell.replace(/\r\n/g, '\n').replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '') : cell

async function bothRead(file: Buffer) {
  const ours = await readGrids(file)
  const theirs = await readXlsx(file, { range: `A1:KN${sheetLimits.rows}` })
  expect(ours.map(({ name, hidden }) => ({ name, hidden }))).toEqual(
    theirs.sheets.map((sheet) => ({ name: sheet.name, hidden: sheet.hidden === true || sheet.veryHidden === true })),
  )
  for (const [at, sheet] of theirs.sheets.entries()) {
    const own = ours[at]
    if (!own) throw new Error('a sheet is missing')
    expect(trimmed(plain(own.rows))).toEqual(trimmed(plain(sheet.rows as StoredValue[][]).map((row) => row.map(writable))))
    const hidden = [...(sheet.rowDefs ?? [])].filter(([, row]) => row.hidden).map(([row]) => row)
    expect([...own.hidden_rows].toSorted((a, b) => a - b)).toEqual(hidden.toSorted((a, b) => a - b))
    const columns = (sheet.columns ?? []).slice(0, sheetLimits.columns)
    expect([...own.hidden_columns]).toEqual(columns.flatMap((column, index) => (column.hidden ? [index] : [])))
    expect(Object.fromEntries(own.widths ?? [])).toEqual(
      Object.fromEntries(columns.flatMap((column, index) => (column.width === undefined ? [] : [[index, column.width]]))),
    )
    for (const [position, cell] of sheet.cells ?? []) {
      const [row = 0, column = 0] = position.split(',').map(Number)
      const mark = own.marks.get(getCellId(row, column))
      expect({ place: position, uncached: mark?.uncached === true, error: mark?.error === true }).toEqual({
        place: position,
        uncached: cell.formula !== undefined && cell.value === null,
        error: cell.type === 'error' || (cell.formula !== undefined && /^#[A-Z/0]+[!?A]$/.test(String(cell.value))),
      })
      if (mark?.formula !== undefined) expect(mark.formula).toBe(cell.formula)
    }
  }
  return ours
}

const strange: [what: string, made: Made][] = [
  [
    'numbers',
    {
      data: `<row r="1">${['0', '-0', '12', '-3.5', '.5', '5.', '1e5', '1.2E-3', '123456789012345', '1234567890123456', '0.1', '0.30000000000000004', '710.4000000000001', '1234567.89', '99999999999999.9', ' 12 ', '&#49;2', 'abc', '', '007', '+5', '1,234', '1.7976931348623157E308'].map((text) => `<c><v>${text}</v></c>`).join('')}</row>`,
    },
  ],
  [
    'positions: missing, lower case, distant, unordered, duplicate',
    {
      data: '<row><c><v>1</v></c><c r="D1"><v>2</v></c><c><v>3</v></c></row><row r="5"><c r="b5"><v>4</v></c><c r="A5"><v>5</v></c><c r="C4"><v>6</v></c></row><row><c><v>7</v></c></row><row r="3" hidden="1"><c r="A3"><v>8</v></c><c r="A3"><v>9</v></c></row><row r="9" hidden="true"/><row r="12"><c r="KZ12"><v>1</v></c><c r="A12"/><c r="B12"><v/></c></row>',
    },
  ],
  [
    'texts',
    {
      strings:
        '<si><t>张三</t></si><si><r><rPr><b/></rPr><t xml:space="preserve">李 </t></r><r><t>四</t></r></si><si><t>a&lt;b&gt;&amp;&quot;&apos;&#x5F20;&#20013;&nope;</t></si><si><t>王五</t><rPh sb="0" eb="1"><t>ワン</t></rPh></si><si><t><![CDATA[<x>&amp;]]></t></si><si><t>_x0041__x000D_b</t></si><si/><si><t/></si><si><t>😀&#128512;</t></si>',
      data: `<row r="1">${Array.from({ length: 9 }, (_, at) => `<c t="s"><v>${at}</v></c>`).join('')}</row><row r="2"><c t="inlineStr"><is><t>一</t></is></c><c t="inlineStr"><is><r><t>二</t></r><r><rPr/><t> 三_x0042_</t></r></is></c><c t="str"><v>007</v></c><c t="str"><f>A1&amp;"&lt;"</f><v>四&amp;五</v></c><c t="str"/><c t="b"><v>1</v></c><c t="b"><v>0</v></c><c t="b"><v>TRUE</v></c><c t="e"><v>#REF!</v></c><c t="n"><v>6</v></c></row>`,
    },
  ],
  [
    'formulas',
    {
      data: '<row r="1"><c r="A1"><f>1+1</f><v>2</v></c><c r="B1"><f>SUM(A1:A9)</f></c><c r="C1" t="e"><f>1/0</f><v>#DIV/0!</v></c><c r="D1" t="str"><f>X()</f><v>#NAME?</v></c><c r="E1" t="str"><f>""</f><v></v></c><c r="F1"><f t="array" ref="F1:F3">A1*2</f><v>4</v></c></row><row r="2"><c r="A2"><f t="shared" ref="A2:A4" si="0">B2&gt;1</f><v>1</v></c></row><row r="3"><c r="A3"><f t="shared" si="0"/></c><c r="B3"><f t="shared" si="7"/><v>5</v></c></row><row r="4"><c r="A4"><f t="shared" si="0"></f><v></v></c><c r="B4" t="b"><f>TRUE</f><v>1</v></c></row>',
    },
  ],
  ...[false, true].map((from1904): [string, Made] => [
    `dates from ${from1904 ? 1904 : 1900}`,
    {
      from1904,
      formats: [
        [14, ''],
        [176, 'yyyy&quot;年&quot;m&quot;月&quot;'],
        [4, ''],
        [177, '[h]:mm'],
        [178, '0.00&quot;day&quot;'],
        [49, ''],
      ],
      data: Array.from(
        { length: 7 },
        (_, style) =>
          `<row r="${style + 1}">${[0, 1, 59, 60, 61, 0.5, 45000, 45000.75, 46357.999994213].map((serial) => `<c s="${style}"><v>${serial}</v></c>`).join('')}<c s="${style}" t="str"><v>x</v></c><c s="99"><v>1</v></c></row>`,
      ).join(''),
    },
  ]),
  [
    'surrounding content, with prefixes, comments and single quotes',
    {
      before:
        '<sheetViews><sheetView><pane ySplit="1"/></sheetView></sheetViews><cols><col min="2" max="3" width="9.5" hidden="1"/><col min="5" max="16384" width="12" customWidth=\'1\'/></cols>',
      data: '<!-- <c><v>9</v></c> --><x:row r=\'1\' spans="1:2"\n\tht="20"><x:c r = "A1" ><x:v >1</x:v ></x:c><c r="B1"><v>1<!-- no -->2</v></c><c r="C1"><v><![CDATA[3]]></v></c></x:row><?pi x?>',
      after:
        '<mergeCells count="3"><mergeCell ref="A1:B2"/><mergeCell ref="C1:C1"/><mergeCell ref="A1:XFD1048576"/></mergeCells><extLst><ext><x14:sparkline><xm:f>A1</xm:f></x14:sparkline></ext></extLst>',
    },
  ],
]

describe('comparison with another reader', () => {
  test.each(strange)('%s', async (_, made) => {
    const [grid] = await bothRead(workbook(made))
    expect(grid?.rows.length).toBeGreaterThan(0)
  })

  test('finds the master of a shared formula and its distance', async () => {
    const [grid] = await readGrids(workbook(strange[3]?.[1] ?? { data: '' }))
    expect(grid?.marks.get(getCellId(2, 0))).toEqual({ uncached: true, shared: { formula: 'B2>1', down: 1, right: 0 } })
    expect(grid?.marks.get(getCellId(3, 0))?.shared).toEqual({ formula: 'B2>1', down: 2, right: 0 })
  })

  test('reads no result from a formula stored as an error without a value', async () => {
    const [sheet] = await readGrids(
      workbook({ data: '<row r="1"><c r="A1" t="e"><f>1+2</f></c><c r="B1" t="e"><v>#REF!</v></c></row>' }),
    )
    expect(sheet?.marks.get(getCellId(0, 0))).toEqual({ uncached: true, formula: '1+2' })
    expect(sheet?.marks.get(getCellId(0, 1))).toEqual({ error: true })
  })

  test('shows a number with a format of zeros with leading zeros', async () => {
    const formats: [number, string][] = [
      [176, '0000'],
      [177, '&quot;GH&quot;000'],
      [178, '0.00'],
    ]
    const cells = [1, 2, 3].map((style) => `<c s="${style}"><v>7</v></c><c s="${style}"><v>7.5</v></c>`)
    const [sheet] = await readGrids(workbook({ formats, data: `<row r="1">${cells.join('')}</row>` }))
    const visible = Array.from({ length: 6 }, (_, column) => sheet?.marks.get(getCellId(0, column))?.displayText)
    expect(visible).toEqual(['0007', undefined, 'GH007', undefined, undefined, undefined])
  })

  test('crops merges to the sheet, and drops single-cell merges', async () => {
    const [grid] = await readGrids(workbook(strange.at(-1)?.[1] ?? { data: '' }))
    expect(grid?.merges).toEqual([
      { top: 0, left: 0, bottom: 0, right: 1 },
      { top: 0, left: 0, bottom: 0, right: 299 },
    ])
  })

  const folder = new URL('../../../../shared/sheets/', import.meta.url)
  const real = existsSync(folder) ? readdirSync(folder).filter((file) => /\.xls[xm]$/.test(file)) : []
  test.skipIf(real.length === 0)(
    'reads real sheets like another reader',
    async () => {
      let read = 0
      for (const file of real) {
        const bytes = readFileSync(new URL(file, folder))
        if (bytes.subarray(0, 2).toString() !== 'PK') continue
        await bothRead(bytes)
        read++
      }
      expect(read).toBeGreaterThan(20)
    },
    60_000,
  )

  test('recognises date formats', () => {
    const codes = [
      'yyyy-mm-dd',
      'yyyy"年"m"月"',
      'm/d',
      'mmm-yy',
      'h:mm AM/PM',
      '[h]:mm',
      '[mm]:ss',
      '[$-804]yyyy"年"m"月"d"日";@',
      '[DBNum1][$-804]yyyy"年"',
    ]
    const others = [
      'General',
      'G/通用格式',
      '0.00',
      '#,##0.00_);[Red]\\(#,##0.00\\)',
      '_ "¥"* #,##0.00_ ',
      '0.00"小时"',
      '0"d"',
      '\\d0',
      '0.00E+00',
      '@',
      '[Red]0',
      '0%',
      '[$¥-804]#,##0',
      '[>=100]0;0.0',
      '# ?/?',
      '',
    ]
    for (const code of [...codes, ...others])
      expect({ code, date: isDateFormatCode(code) }).toEqual({ code, date: codes.includes(code) })
    for (const code of [...codes, ...others])
      expect({ code, date: isDateFormat(code) }).toEqual({ code, date: codes.includes(code) })
  })
})

test('reads input chunks that end anywhere', () => {
  const xml = Buffer.from('<a x="1>2" y=\'&lt;\'><!-- > --><b>t&amp;é</b ><![CDATA[<]]]>]]><c/>\n<d.e f="张"></d.e></a>')
  const notify = (size: number) => {
    const all: string[] = []
    const scanner = new (class extends XmlScanner {
      protected override listening = true
      protected override open = (name: string) =>
        void all.push(`<${name} ${this.attribute('x')}${this.attribute('y')}${this.attribute('f')}`)
      protected override close = (name: string) => void all.push(`>${name}`)
      protected override text = (from: number, to: number, last: boolean) => void all.push(this.decoded(from, to), String(last))
      protected override verbatim = (text: string) => void all.push(text)
    })()
    for (let at = 0; at < xml.length; at += size) scanner.push(xml.subarray(at, at + size))
    scanner.end()
    return all
  }
  const full = notify(xml.length)
  expect(full).toContain('<a 1>2<undefined')
  expect(full).toContain('t&é')
  expect(full).toContain('<]')
  for (let size = 1; size < xml.length; size++) expect(notify(size)).toEqual(full)
})
