/** Excel 2003 XML and web pages named .xls, as old payroll systems export them. */
import { describe, expect, test } from 'vitest'
import { readSheet, UnreadableSheetError } from '../../../server/spreadsheets/child/read-sheet.ts'
import { computeMissingResults } from '../../../server/spreadsheets/formulas.ts'
import { type Grid, getCell, getText } from '../../../server/spreadsheets/grid.ts'
import { readGrids } from '../../../server/spreadsheets/read/read-grids.ts'

const one = async (source: string | Buffer): Promise<Grid> => (await readGrids(Buffer.from(source as string)))[0] as Grid
const texts = (grid: Grid) => Array.from(grid.rows, (row, r) => Array.from(row ?? [], (_, c) => getText(grid, r, c)))

const book = (sheets: string, more = '', declaration = '<?xml version="1.0" encoding="UTF-8"?>') =>
  `${declaration}\n<?mso-application progid="Excel.Sheet"?>\n<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:x="urn:schemas-microsoft-com:office:excel" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet" xmlns:html="http://www.w3.org/TR/REC-html40">${more}${sheets}</Workbook>`
const worksheet = (rows: string, options = '', name = '工资') =>
  `<Worksheet ss:Name="${name}"><Table>${rows}</Table>${options}</Worksheet>`
const cell = (type: string, text: string, attributes = '') => `<Cell ${attributes}><Data ss:Type="${type}">${text}</Data></Cell>`
const wages = worksheet(
  `<Row>${cell('String', '姓名')}${cell('String', '基本工资')}${cell('String', '实发工资')}</Row><Row>${cell('String', '张三')}${cell('Number', '5000.5')}${cell('Number', '4321.09', 'ss:Formula="=RC[-1]-679.41"')}</Row>`,
)

describe('Excel 2003 XML', () => {
  test('reads every type of cell exactly', async () => {
    const styles =
      '<Styles><Style ss:ID="p"><NumberFormat ss:Format="0.0%"/></Style><Style ss:ID="q"><NumberFormat ss:Format="Percent"/></Style><Style ss:ID="m"><NumberFormat ss:Format="yyyy\\-mm"/></Style></Styles>'
    const cases: [string, string, object][] = [
      ['Number', '5000.50', { text: '5000.5', kind: 'number', decimal: '5000.5' }],
      ['Number', '-1.5E3', { text: '-1500', kind: 'number', decimal: '-1500' }],
      ['Number', '-0', { text: '0', kind: 'number', decimal: '0' }],
      ['Number', '622202123456789012', { kind: 'number', damaged: true }],
      ['Number', '1e309', { kind: 'error', decimal: null }],
      ['Number', '1,234', { text: '1,234', kind: 'text' }],
      ['Number', '12abc', { text: '12abc', kind: 'text', decimal: null }],
      ['String', '0012', { text: '0012', kind: 'text' }],
      ['String', 'a &amp; b &lt;c&gt; &#20013;&#x6587;', { text: 'a & b <c> 中文', kind: 'text' }],
      ['String', '<![CDATA[<张>&]]>', { text: '<张>&', kind: 'text' }],
      ['String', '<html:B xmlns="x">张</html:B><html:Font html:Size="9">三</html:Font>', { text: '张三' }],
      ['String', '一&#10;二', { text: '一\n二' }],
      ['Boolean', '1', { text: '是' }],
      ['Boolean', '0', { text: '否' }],
      ['DateTime', '2026-03-05T00:00:00.000', { text: '2026-03-05', kind: 'date' }],
      ['DateTime', '1899-12-31T08:30:00.000', { text: '08:30', kind: 'date' }],
      ['DateTime', '2026-13-05T00:00:00.000', { text: '2026-13-05T00:00:00.000', kind: 'text' }],
      ['Error', '#REF!', { text: '#REF!', kind: 'error' }],
    ]
    const visible: [string, string, string, string][] = [
      ['p', 'Number', '0.085', '8.5%'],
      ['q', 'Number', '0.085', '8.50%'],
      ['m', 'DateTime', '2026-03-05T00:00:00.000', '2026-03'],
    ]
    const rows = cases.map(([type, text]) => `<Row>${cell(type, text)}</Row>`)
    const styled = visible.map(([style, type, text]) => `<Row>${cell(type, text, `ss:StyleID="${style}"`)}</Row>`)
    const grid = await one(book(worksheet([...rows, ...styled].join('')), styles))
    cases.forEach(([, , requested], row) => expect(getCell(grid, row, 0)).toMatchObject(requested))
    visible.forEach(([, , , requested], at) => expect(getCell(grid, cases.length + at, 0).text).toBe(requested))
  })

  test('reads positions, merges and hidden rows and columns', async () => {
    const grids = await readGrids(
      Buffer.from(
        book(
          worksheet(
            `<Column ss:Index="2" ss:Hidden="1" ss:Span="1"/><Column ss:Width="105"/><Row>${cell('String', '标题', 'ss:MergeAcross="2" ss:MergeDown="1"')}${cell('String', '右')}</Row><Row ss:Index="4" ss:Hidden="1">${cell('String', '丙', 'ss:Index="3"')}<Cell/>${cell('String', '戊')}</Row><Row ss:Span="1"/><Row>${cell('Number', '1')}</Row>`,
          ) +
            worksheet(
              `<Row>${cell('Number', '2')}</Row>`,
              '<WorksheetOptions xmlns="urn:schemas-microsoft-com:office:excel"><Visible>SheetHidden</Visible></WorksheetOptions>',
              'a&amp;b',
            ),
        ),
      ),
    )
    const [first, second] = grids as [Grid, Grid]
    expect(texts(first)).toEqual([['标题', '', '', '右'], [], [], ['', '', '丙', '', '戊'], [], [], ['1']])
    expect(first.merges).toEqual([{ top: 0, left: 0, bottom: 1, right: 2 }])
    expect([...first.hidden_rows]).toEqual([3])
    expect([...first.hidden_columns]).toEqual([1, 2])
    expect(first.widths?.get(3)).toBe(20)
    expect([second.name, second.hidden, first.hidden]).toEqual(['a&b', true, false])
  })

  test('marks a formula without a result, and calculates it where that is exact', async () => {
    const formula = (text: string) => `<Cell ss:Formula="${text}"/>`
    const grid = await one(
      book(
        worksheet(
          `<Row>${cell('Number', '1.1')}${cell('Number', '2.2')}${formula('=RC[-2]+RC[-1]')}${formula('=SUM(RC[-3]:RC1,R1C2)')}${formula('=VLOOKUP(RC1,R1C1:R9C9,2)')}${cell('Number', '7', 'ss:Formula="=RC1"')}<Cell ss:Formula="=RC1"><Data ss:Type="String"></Data></Cell></Row>`,
        ),
      ),
    )
    expect(getCell(grid, 0, 2)).toMatchObject({ kind: 'error', uncached: true })
    expect(getCell(grid, 0, 4)).toMatchObject({ uncached: true })
    expect(getCell(grid, 0, 6)).toMatchObject({ uncached: true })
    expect(grid.marks.get(3)?.formula).toBe('SUM(A1:A1,B1)')
    const done = computeMissingResults(grid)
    expect(getCell(done, 0, 2)).toMatchObject({ decimal: '3.3', computed: true })
    expect(getCell(done, 0, 3)).toMatchObject({ decimal: '3.3', computed: true })
    expect(getCell(done, 0, 4)).toMatchObject({ uncached: true })
    expect(getCell(done, 0, 5)).toEqual({ text: '7', kind: 'number', decimal: '7' })
  })

  test('does not treat a comment as a value', async () => {
    const grid = await one(
      book(
        worksheet(
          `<Row><Cell><Comment ss:Author="a"><ss:Data>说明</ss:Data></Comment></Cell><Cell><Data ss:Type="Number">5</Data><Comment><ss:Data>x<Font>y</Font></ss:Data></Comment></Cell></Row>`,
        ),
      ),
    )
    expect(texts(grid)).toEqual([['', '5']])
  })

  const gbk = Buffer.concat([
    Buffer.from(
      '<?xml version="1.0" encoding="GBK"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet ss:Name="S"><Table><Row><Cell><Data ss:Type="String">',
    ),
    Buffer.from('d0d5c3fb', 'hex'),
    Buffer.from('</Data></Cell></Row></Table></Worksheet></Workbook>'),
  ])
  const named = (encoding: string) =>
    book(worksheet(`<Row>${cell('String', '姓名')}</Row>`), '', `<?xml version="1.0" encoding="${encoding}"?>`)
  test.each<[string, Buffer]>([
    ['UTF-8', Buffer.from(named('UTF-8'))],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${named('UTF-8')}`)],
    ['UTF-16 with a byte order mark', Buffer.from(`\ufeff${named('UTF-16')}`, 'utf16le')],
    ['UTF-16 without a byte order mark', Buffer.from(named('UTF-16'), 'utf16le')],
    ['UTF-16 with the other byte order', Buffer.from(named('UTF-16'), 'utf16le').swap16()],
    ['UTF-8 declared as GBK', Buffer.from(named('GBK'))],
    ['GBK', gbk],
  ])('reads Excel 2003 XML in %s', async (_, bytes) => {
    expect(texts(await one(bytes))).toEqual([['姓名']])
  })

  test('reads Excel 2003 XML in the complete reader with a prefix on every tag', async () => {
    const prefixed = book(wages).replace(/<(\/?)(Workbook|Worksheet|Table|Row|Cell|Data)(?=[\s>])/g, '<$1ss:$2')
    for (const source of [book(wages), prefixed]) {
      const { recognition } = await readSheet(Buffer.from(source), { file_name: '工资.xls' })
      expect(recognition).toMatchObject({ kind: 'wage', sheet: '工资', people: 1, net_sum_fen: 432_109 })
    }
  })

  const dtd = '<?xml version="1.0"?><!DOCTYPE Workbook [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
  test.each<[string, string]>([
    ['an external entity', book(worksheet(`<Row>${cell('String', '&a;')}</Row>`), '', dtd)],
    ['a billion laughs', book(wages, '', '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>')],
    ['a later DTD', book(wages).replace('<Table>', '<!DOCTYPE a SYSTEM "http://127.0.0.1/x"><Table>')],
    ['an unknown entity', book(worksheet(`<Row>${cell('String', '&nbsp;')}</Row>`))],
    ['an invalid character', book(worksheet(`<Row>${cell('String', '&#xD800;')}</Row>`))],
    ['a truncated file', book(wages).slice(0, -40)],
    ['a truncated row', book(wages).replace('</Row>', '')],
    ['tags in the wrong order', book(wages).replace('</Data></Cell>', '</Cell></Data>')],
    ['an unclosed tag', `${book(wages)}<a b="`],
    ['an unclosed comment', book(wages).replace('<Table>', '<!-- <Table>')],
    ['300 attributes', book(wages).replace('<Table', `<Table ${Array.from({ length: 300 }, (_, at) => `a${at}="1"`).join(' ')}`)],
    ['a tag of one megabyte', book(wages).replace('<Table', `<Table a="${'x'.repeat(1_000_000)}"`)],
    ['ten thousand nested tags', book(wages).replace('<Table>', `${'<a>'.repeat(10_000)}<Table>`)],
    [
      'overlapping cells',
      book(worksheet(`<Row>${cell('Number', '1', 'ss:Index="3"')}${cell('Number', '2', 'ss:Index="2"')}</Row>`)),
    ],
    [
      'overlapping rows',
      book(worksheet(`<Row ss:Index="5">${cell('Number', '1')}</Row><Row ss:Index="2">${cell('Number', '2')}</Row>`)),
    ],
  ])('refuses %s', async (_, source) => {
    await expect(readGrids(Buffer.from(source))).rejects.toThrow(/损坏/)
  })

  test('does not allocate distant cells', async () => {
    const far = book(
      worksheet(
        `<Column ss:Span="9999999" ss:Hidden="1"/><Row>${cell('String', '近')}${cell('Number', '9', 'ss:Index="16384"')}</Row><Row ss:Span="1048000" ss:Hidden="1"/><Row ss:Index="1048576">${cell('Number', '9', 'ss:MergeAcross="9999999" ss:MergeDown="9999999"')}</Row>`,
      ),
    )
    const grid = await one(far)
    expect(texts(grid)).toEqual([['近']])
    expect(grid.hidden_columns.size).toBeLessThanOrEqual(300)
    expect(grid.hidden_rows.size).toBeLessThanOrEqual(100_001)
  })

  test('reports other XML as an unsupported sheet', async () => {
    await expect(readGrids(Buffer.from('<?xml version="1.0"?><office:document xmlns:office="x"/>'))).rejects.toThrow(
      /格式太旧或不受支持/,
    )
  })
})

const page = (inside: string) =>
  `<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><meta charset="utf-8"><title>不看</title><style>td{}</style></head><body>${inside}</body></html>`
const table = `<table border=1><tr><th>姓名<th>工号<th>基本工资<th>实发工资</tr>
  <tr><td>张三</td><td style='mso-number-format:"\\@"'>0012</td><td x:num="5000.5">5,000.50</td><td>&yen;4,321.09</td></tr>
  <tr><td>李&nbsp;四<td x:str>0013<td>(12.50)<td>-</table>`

describe('web page named .xls', () => {
  test('reads a web page as it shows the table', async () => {
    expect(texts(await one(page(table)))).toEqual([
      ['姓名', '工号', '基本工资', '实发工资'],
      ['张三', '0012', '5,000.50', '¥4,321.09'],
      ['李 四', '0013', '(12.50)', '-'],
    ])
  })

  test('reads a web page in the complete reader', async () => {
    for (const source of [
      page(table),
      table,
      `\n<!-- by HR --><div><center>${table}</center></div>`,
      `<!DOCTYPE html>${page(table)}`,
    ]) {
      const { recognition } = await readSheet(Buffer.from(source), { file_name: '工资.xls' })
      expect(recognition).toMatchObject({ kind: 'wage', people: 2 })
    }
  })

  test('reads a web page in GBK if it declares that', async () => {
    const head = '<html><head><meta http-equiv="Content-Type" content="text/html; charset=gb2312"></head><table><tr><td>'
    const bytes = Buffer.concat([
      Buffer.from(head),
      Buffer.from('d0d5c3fb', 'hex'),
      Buffer.from('<td>1<tr><td>a<td>2</table></html>'),
    ])
    expect(texts(await one(bytes))).toEqual([
      ['姓名', '1'],
      ['a', '2'],
    ])
  })

  test('places cells as colspan and rowspan show them', async () => {
    const grid = await one(
      '<table><caption>十月<br>工资表</caption><tr><td rowspan=2>姓名<td colspan="2">应发<td rowspan=2>实发<tr><td>基本<td>奖金<tr style="display:none"><td>张三<td>1<td>2<td>3</table><p>制表人：王五</p>',
    )
    expect(texts(grid)).toEqual([
      ['十月\n工资表'],
      ['姓名', '应发', '', '实发'],
      ['', '基本', '奖金'],
      ['张三', '1', '2', '3'],
      ['制表人：王五'],
    ])
    expect(grid.merges).toEqual([
      { top: 1, left: 0, bottom: 2, right: 0 },
      { top: 1, left: 1, bottom: 1, right: 2 },
      { top: 1, left: 3, bottom: 2, right: 3 },
    ])
    expect([...grid.hidden_rows]).toEqual([3])
  })

  test('reads tables one below the other, a nested table as text, and ignores scripts', async () => {
    const grid = await one(
      '<h2>十月工资</h2><script>if (a<b) document.write("<table>")</script><table><col><col style="display: none"><tr><td>甲<td><table><tr><td>乙<td>丙</table></tr></table><table><tr><td>丁<br/>戊<td>1 < 2 &amp; 3&#37; &unknown; &lt;b&gt;</table>',
    )
    expect(texts(grid)).toEqual([['十月工资'], ['甲', '乙 丙'], ['丁\n戊', '1 < 2 & 3% &unknown; <b>']])
    expect([...grid.hidden_columns]).toEqual([1])
  })

  test.each<[string, string, RegExp]>([
    ['a page without a table', page('<form>请登录</form>'), /网页/],
    ['a page with a single cell', page('<table><tr><td>登录已过期</table>'), /网页/],
    ['a truncated page', page(table).slice(0, page(table).indexOf('0013')), /损坏/],
    ['a truncated tag', `${page(table)}<td class="`, /损坏/],
    ['100,001 rows', `<table>${'<tr><td>a<td>1'.repeat(100_001)}</table>`, /10 万行/],
    ['301 columns', `<table><tr>${'<td>a'.repeat(301)}<tr><td>b<td>c</table>`, /300 列/],
  ])('refuses %s', async (_, source, sentence) => {
    await expect(readGrids(Buffer.from(source))).rejects.toThrow(sentence)
    await expect(readGrids(Buffer.from(source))).rejects.toBeInstanceOf(UnreadableSheetError)
  })

  test('reads a span of millions as a merge without allocating cells', async () => {
    const grid = await one(`<table><tr><td>a<td>b<tr><td>c<td>d<tr><td>e<td colspan=9999999 rowspan=9999999>f<tr><td>g</table>`)
    expect(texts(grid)).toEqual([['a', 'b'], ['c', 'd'], ['e', 'f'], ['g']])
    expect(grid.merges).toEqual([{ top: 2, left: 1, bottom: 3, right: 299 }])
  })
})
