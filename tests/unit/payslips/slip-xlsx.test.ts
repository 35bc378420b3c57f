/** Another reader reads what our writer writes: text stays text, amounts stay exact, nothing becomes a formula. */
import { readXlsx } from 'hucre'
import { expect, test } from 'vitest'
import { createXlsxStream, createXlsxWriter, isLikelyFormula } from '../../../server/files/xlsx-writer.ts'
import { readSheet } from '../../../server/spreadsheets/child/read-sheet.ts'
import { rowsIn } from '../../support/files/grid.ts'
import { zipEntries } from '../../support/files/xlsx.ts'

async function roundTrip(rows: (string | { fen: number } | null)[][], sheet = '十月工资') {
  const writer = createXlsxWriter({ sheet, widths: [10, 20] })
  await writer.row(['姓名', '实发'], 'head')
  for (const row of rows) await writer.row(row)
  const bytes = await writer.finish()
  const book = await readXlsx(bytes)
  return { bytes, book, rows: book.sheets[0]?.rows.slice(1) ?? [] }
}

test('keeps text and amounts in a file', async () => {
  const { book, rows } = await roundTrip([
    ['张三', { fen: 1_234_567 }],
    ['007', { fen: -5 }],
    ['a & b < c > "d"', { fen: 0 }],
    ['_x0041_ 表情😀', null],
    ['两\n行', { fen: 9_007_199_254_740_991 }],
  ])
  expect(book.sheets[0]?.name).toBe('十月工资')
  expect(rows[0]).toEqual(['张三', 12345.67])
  expect(rows[1]).toEqual(['007', -0.05])
  expect(rows[2]?.[0]).toBe('a & b < c > "d"')
  expect(rows[3]?.[0]).toBe('_x0041_ 表情😀')
  expect(rows[4]?.[0]).toBe('两\n行')
})

test.each(['=HYPERLINK("http://evil.cn","x")', '+cmd|calc', '-2+3', '@SUM(A1)', '\t=1', '\r=1', '＝1+1', '＠x', ' =1'])(
  'writes a name that looks like a formula as text: %j',
  async (name) => {
    expect(isLikelyFormula(name)).toBe(true)
    const { bytes, rows } = await roundTrip([[name, null]])
    expect(String(rows[0]?.[0]).trim()).toBe(name.trim())
    const book = await readXlsx(bytes)
    const cells = [...(book.sheets[0]?.cells?.values() ?? [])]
    expect(cells.filter((cell) => (cell as { formula?: string }).formula)).toEqual([])
  },
)

test('handles sheet names with forbidden characters, and control characters in text', async () => {
  const { book, rows } = await roundTrip([['a\u0000b\u001fc', null]], '工资[10]:*?/\\')
  expect(book.sheets[0]?.name).toBe('工资 10')
  expect(rows[0]?.[0]).toBe('abc')
})

test('writes the same file for the same content, and small files for thousands of rows', async () => {
  const many = Array.from({ length: 20_000 }, (_, at): [string, { fen: number }] => [`职员${at}`, { fen: at * 101 }])
  const [one, two] = [await roundTrip(many), await roundTrip(many)]
  expect(one.bytes.equals(two.bytes)).toBe(true)
  expect(one.rows.length).toBe(20_000)
  expect(one.rows[19_999]).toEqual(['职员19999', 20_198.99])
})

test('streams the file in small chunks with the same content', async () => {
  const segments: number[] = []
  const all: Buffer[] = []
  const sheet = createXlsxStream(
    async (bytes) => {
      segments.push(bytes.length)
      all.push(bytes)
    },
    { sheet: '十月工资', widths: [10, 20] },
  )
  await sheet.row(['姓名', '实发'], 'head')
  for (let at = 0; at < 5_000; at += 1) await sheet.row([`职员${at}`, { fen: at * 101 }])
  await sheet.end()
  const book = await readXlsx(Buffer.concat(all))
  expect([book.sheets[0]?.name, book.sheets[0]?.rows.length, book.sheets[0]?.rows[5_000]]).toEqual([
    '十月工资',
    5_001,
    ['职员4999', 5_048.99],
  ])
  // Our own reader reads it too: an export can be uploaded again.
  const { pages } = await readSheet(Buffer.concat(all), { file_name: '导出.xlsx' })
  let count = 0
  for await (const page of pages) count += rowsIn(page).length
  expect(count).toBe(5_000)
  expect(Math.max(...segments)).toBeLessThan(32_768)
})

test('writes shared strings once each, and another reader reads the same', async () => {
  const sheet = createXlsxWriter({ sheet: '核对', shared: true })
  await sheet.row(['账号', '姓名'], 'head')
  for (const name of ['张三', '李四', '张三', '=1+1', 'a & b < c', '_x0041_']) await sheet.row([name, name])
  const book = await readXlsx(await sheet.finish())
  expect(book.sheets[0]?.rows).toEqual([
    ['账号', '姓名'],
    ...['张三', '李四', '张三', '=1+1', 'a & b < c', '_x0041_'].map((name) => [name, name]),
  ])
  expect([...(book.sheets[0]?.cells?.values() ?? [])].filter((cell) => (cell as { formula?: string }).formula)).toEqual([])
})

test('marks a header that looks like a formula as text, as other cells', async () => {
  const writer = createXlsxWriter({ sheet: '表', widths: [10, 20] })
  await writer.row(['姓名', '=备注'], 'head')
  const entries = zipEntries(Buffer.from(await writer.finish()))
  const style = /<c r="B1" s="(\d+)"/.exec(String(entries['xl/worksheets/sheet1.xml']))?.[1]
  const styles =
    String(entries['xl/styles.xml'])
      .split('<cellXfs')[1]
      ?.match(/<xf [^>]*>|<xf\/>/g) ?? []
  expect(styles[Number(style)]).toContain('quotePrefix="1"')
})
