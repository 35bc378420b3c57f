/** Files as they occur in practice: good, bad and malicious. The bad ones are built here. */
import { execFileSync } from 'node:child_process'
import { describe, expect, test, vi } from 'vitest'
import { readSheet, UnreadableSheetError } from '../../../server/spreadsheets/child/read-sheet.ts'
import { demoNetFen, demoWageSheet } from '../../support/files/demo-sheet.ts'
import { rowsIn } from '../../support/files/grid.ts'
import { makeXlsx, makeZip, type XlsxCell } from '../../support/files/xlsx.ts'

const read = (bytes: Buffer, sheet?: string) => readSheet(bytes, { file_name: '工资.xlsx', sheet })
async function getRows(match: Awaited<ReturnType<typeof read>>) {
  const rows = []
  for await (const page of match.pages) rows.push(...rowsIn(page))
  return rows
}
const people = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    name: `张${String.fromCharCode(0x4e00 + at)}`,
    mobile: String(13_800_000_000 + at),
  }))

/** One process is always prepared for the next file. */
const spare = 1
/** Counts the living child processes that read sheets. */
function children(): number {
  try {
    const list = execFileSync('ps', ['-o', 'args=', '--ppid', String(process.pid)], { encoding: 'utf8' })
    return list.split('\n').filter((line) => /(reader\/\w+|tables\/child)\/child\./.test(line)).length
  } catch {
    return 0
  }
}

describe('wage sheet', () => {
  test('recognises a wage sheet with text and kind of its rows', async () => {
    const match = await read(demoWageSheet(people(3)))
    const { recognition, sheetLayout } = match
    expect(recognition).toMatchObject({
      kind: 'wage',
      sheet: '工资表',
      people: 3,
      header: { rows: [2, 3], first_data_row: 4, last_data_row: 6 },
    })
    expect(recognition.net_sum_fen).toBe(demoNetFen(0) + demoNetFen(1) + demoNetFen(2))
    expect(recognition.totals_row).toMatchObject({ row: 7, agrees: true })
    expect(recognition.formula).toMatchObject({ holds: 3, of: 3 })
    expect(recognition.ignored.map(({ row }) => row)).toEqual([1, 7, 8])
    expect(sheetLayout.others[1]?.[0]).toBe(2)
    expect(sheetLayout.merges).toContainEqual({ top: 2, left: 2, bottom: 2, right: 5 })
    const rows = await getRows(match)
    expect(rows.map(({ row }) => row)).toEqual([4, 5, 6])
    expect(rows[0]?.cells['c1']).toEqual({ value: '张一', kind: 'text' })
    expect(rows[0]?.cells['c5']).toEqual({ value: '6300', kind: 'money', fen: 630_000 })
    expect(rows[0]?.cells['c19']).toBeUndefined()
  })

  test('keeps percentages, dates, errors, damage and missing results as they are', async () => {
    const row: XlsxCell[] = [
      '张三',
      { raw: '0.08', format: 'percent' },
      new Date(Date.UTC(2026, 2, 5)),
      { error: '#REF!' },
      { raw: '622202123456789012' },
      { formula: 'A1&"x"' },
      { formula: 'H2+1' },
      5,
    ]
    const match = await read(
      makeXlsx({
        sheets: [{ name: 'S', rows: [['姓名', '公积金比例', '入职日期', '奖金', '银行卡号', '补贴', '津贴', '实发工资'], row] }],
      }),
    )
    const [first] = await getRows(match)
    expect(first?.cells).toEqual({
      c0: { value: '张三', kind: 'text' },
      c1: { value: '8.00%', kind: 'number' },
      c2: { value: '2026-03-05', kind: 'date' },
      c3: { value: '#REF!', kind: 'error' },
      c4: { value: '622202123456789000', kind: 'number', flaw: 'damaged' },
      c5: { value: '', kind: 'error', flaw: 'uncached' },
      c6: { value: '6', kind: 'money', fen: 600 },
      c7: { value: '5', kind: 'money', fen: 500 },
    })
  })

  test('counts dates from 1904 where the workbook says so', async () => {
    const rows = [
      ['姓名', '入职日期', '实发工资'],
      ['张三', { raw: '0', format: 'date' } as const, 1],
    ]
    const [first] = await getRows(await read(makeXlsx({ sheets: [{ name: 'S', rows }], date1904: true })))
    expect(first?.cells['c1']?.value).toBe('1904-01-01')
  })

  test('reads another sheet on request, and reports hidden rows and columns', async () => {
    const rows = [
      ['姓名', '岗位', '实发工资'],
      ['张三', '会计', 1],
      ['李四', '出纳', 2],
    ]
    const bytes = makeXlsx({
      sheets: [
        { name: '甲', rows },
        { name: '乙', rows: rows.slice(0, 2), hidden_columns: [2], hidden_rows: [2] },
      ],
    })
    const match = await read(bytes, '乙')
    expect(match.recognition.sheets).toMatchObject([
      { name: '甲', chosen: false },
      { name: '乙', chosen: true },
    ])
    expect(match.recognition.columns[1]?.hidden).toBe(true)
    expect(match.sheetLayout.hidden_rows).toEqual([2])
    await expect(read(bytes, '丙')).rejects.toThrow('没有名为「丙」的工作表')
  })

  test.each<[string, Buffer]>([
    ['GBK', Buffer.from('d0d5c3fb2ccab5b7a2b9a4d7ca0ac9c5c8fd2c35303030', 'hex')],
    ['UTF-8', Buffer.from('姓名,实发工资\n张三,5000')],
    ['UTF-8 with a byte order mark', Buffer.from('\ufeff姓名,实发工资\r\n张三,"5,000.00"\r\n')],
    ['UTF-16', Buffer.from('\ufeff姓名\t实发工资\n张三\t5000', 'utf16le')],
    ['semicolons', Buffer.from('姓名;实发工资\n张三;5000')],
    ['quotes and line breaks', Buffer.from('"姓名","实发\n工资"\n"张三","5000"\n')],
  ])('reads a text file: %s', async (_, bytes) => {
    const match = await read(bytes)
    expect(match.recognition).toMatchObject({ kind: 'wage', people: 1, net_sum_fen: 500_000 })
    expect((await getRows(match))[0]?.row).toBeGreaterThan(1)
  })

  test('delivers ten thousand rows in chunks', async () => {
    const match = await read(demoWageSheet(people(10_000), { bare: true }))
    const sizes: number[] = []
    for await (const page of match.pages) sizes.push(rowsIn(page).length)
    expect(sizes.reduce((a, b) => a + b)).toBe(10_000)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(500)
  })
})

const split = (change: Record<string, string | Buffer>) => {
  const sheet = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData/></worksheet>'
  const types = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
  return { '[Content_Types].xml': types, 'xl/worksheets/sheet1.xml': sheet, ...change }
}
const patched = (bytes: Buffer, change: (bytes: Buffer) => void) => {
  const copy = Buffer.from(bytes)
  change(copy)
  return copy
}
const good = makeXlsx({
  sheets: [
    {
      name: 'S',
      rows: [
        ['姓名', '实发工资'],
        ['张三', 1],
      ],
    },
  ],
})
const directory = good.readUInt32LE(good.length - 6)
const cfb = (stream: string) =>
  Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(1016), Buffer.from(stream, 'utf16le'), Buffer.alloc(512)])

const bad: [string, () => Buffer, RegExp][] = [
  ['nothing', () => Buffer.alloc(0), /空/],
  ['blanks', () => Buffer.from(' \n \n'), /空/],
  ['60 MB', () => Buffer.alloc(60 * 1024 * 1024, 'PK\x03\x04'), /20 MB/],
  [
    'a decompression bomb',
    () => makeZip(split({ 'xl/worksheets/sheet1.xml': Buffer.alloc(300 * 1024 * 1024, 32) })),
    /展开后太大/,
  ],
  [
    'a decompression bomb with a small declared size',
    () =>
      makeZip(split({ 'xl/worksheets/sheet1.xml': Buffer.alloc(90 * 1024 * 1024, 32) }), { 'xl/worksheets/sheet1.xml': 1000 }),
    /太大|损坏/,
  ],
  [
    'an archive with three thousand parts',
    () => makeZip(Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`a${at}.xml`, '']))),
    /太大/,
  ],
  ['a DTD', () => makeZip(split({ 'xl/workbook.xml': '<!DOCTYPE a [<!ENTITY b "c">]><workbook/>' })), /损坏/],
  ['a false size', () => makeZip(split({}), { 'xl/worksheets/sheet1.xml': 5000 }), /损坏/],
  ['an encrypted entry', () => patched(good, (bytes) => bytes.writeUInt16LE(1, directory + 8)), /加密/],
  ['a truncated file', () => good.subarray(0, good.length - 30), /损坏/],
  ['a wrong checksum', () => patched(good, (bytes) => bytes.writeUInt32LE(1, directory + 16)), /损坏/],
  ['a ZIP of other files', () => makeZip({ 'a.txt': 'hello' }), /不是表格/],
  ['a Word file', () => makeZip(split({ 'word/document.xml': '<a/>' })), /不是表格/],
  ['a workbook protected by a password', () => cfb('EncryptedPackage'), /加密/],
  ['an old Word file', () => cfb('WordDocument'), /不是表格/],
  ['a broken .xls', () => cfb('Workbook'), /损坏|太旧/],
  ['an empty workbook', () => makeXlsx({ sheets: [{ name: 'S', rows: [] }] }), /没有内容/],
  ['prose', () => Buffer.from('各位同事，本月工资将于十五日发放。\n请大家核对，如有疑问，请联系人事部。\n谢谢！'), /不是表格/],
  ['a picture', () => Buffer.from('89504e470d0a1a0a0000', 'hex'), /图片/],
  ['a PDF', () => Buffer.from('%PDF-1.7 …'), /PDF/],
  ['a web page', () => Buffer.from('<html><table><tr><td>姓名</td></tr></table></html>'), /网页/],
  ['noise', () => Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7919 + (at >> 3)) & 255)), /不是表格|损坏/],
  ['100,001 rows', () => Buffer.from(`姓名,实发工资\n${'张三,1\n'.repeat(100_001)}`), /10 万行/],
  [
    '301 columns',
    () => makeXlsx({ sheets: [{ name: 'S', rows: [Array.from({ length: 301 }, (_, at) => `列${at}`)] }] }),
    /300 列/,
  ],
]

describe('unreadable files fail with a message', () => {
  test.each(bad)('%s', async (_, make, sentence) => {
    const bytes = make()
    const before = process.memoryUsage.rss()
    const failure = await read(bytes).then(
      () => null,
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(UnreadableSheetError)
    expect((failure as Error).message).toMatch(sentence)
    expect((failure as Error).message).toMatch(/[\u4e00-\u9fff]/)
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024)
  })
})

describe('unusual files are read', () => {
  const ordinary: XlsxCell[][] = [
    ['姓名', '实发工资'],
    ['张三', 5],
  ]
  const edited = (from: string, to: string) => {
    const name = 'xl/worksheets/sheet1.xml'
    const all = Object.fromEntries(unpacked(good).map(([path, text]) => [path, path === name ? text.replace(from, to) : text]))
    return makeZip(all)
  }
  test('reads a cell in the last corner of the sheet', async () => {
    const match = await read(edited('</sheetData>', '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'))
    expect(match.recognition).toMatchObject({ kind: 'wage', people: 1, net_sum_fen: 100 })
  })
  test('reads a merge of the whole sheet', async () => {
    const bytes = makeXlsx({ sheets: [{ name: 'S', rows: ordinary, merges: ['A4:XFD1048576', 'A1:A1'] }] })
    expect((await read(bytes)).recognition).toMatchObject({ kind: 'wage', people: 1, net_sum_fen: 500 })
  })
  test('reads headers named like object properties', async () => {
    const rows: XlsxCell[][] = [
      ['姓名', '__proto__', 'constructor', '实发工资'],
      ['张三', 1, 2, 3],
    ]
    const match = await read(makeXlsx({ sheets: [{ name: '__proto__', rows }] }))
    expect((await getRows(match))[0]?.cells['c3']).toEqual({ value: '3', kind: 'money', fen: 300 })
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

describe('reader process', () => {
  test('ends the reader process on an abort, and leaves none', async () => {
    const leaving = new AbortController()
    const reading = readSheet(demoWageSheet(people(3000)), { file_name: 'a', signal: leaving.signal })
    // By then the request has its slot and its process, and no response can have arrived.
    setImmediate(() => leaving.abort(new Error('gone')))
    await expect(reading).rejects.toThrow('gone')
    await settled()
  })
  test('ends the reader process when the reading of rows stops early', async () => {
    const match = await read(demoWageSheet(people(3000)))
    for await (const _ of match.pages) break
    await settled()
  })
  test('runs at most two reader processes, and lets other requests wait', async () => {
    let most = 0
    const counting = setInterval(() => (most = Math.max(most, children())), 100)
    const all = await Promise.all(Array.from({ length: 6 }, async () => getRows(await read(demoWageSheet(people(20))))))
    clearInterval(counting)
    expect(all.every((rows) => rows.length === 20)).toBe(true)
    expect(most).toBeLessThanOrEqual(2 + spare)
  })
})

const settled = () => vi.waitFor(() => expect(children()).toBeLessThanOrEqual(spare), { timeout: 60_000, interval: 20 })

/** The texts of an archive written by our own writer. */
function unpacked(file: Buffer): [string, string][] {
  const list = execFileSync(process.execPath, ['-e', unzipScript], { input: file, maxBuffer: 1 << 26, encoding: 'utf8' })
  return JSON.parse(list) as [string, string][]
}
const unzipScript = `
  const { inflateRawSync } = require('node:zlib')
  const file = require('node:fs').readFileSync(0)
  const out = []
  for (let at = 0; file.readUInt32LE(at) === 0x04034b50; ) {
    const packed = file.readUInt32LE(at + 18), name = file.readUInt16LE(at + 26)
    const from = at + 30 + name
    out.push([file.toString('utf8', at + 30, from), inflateRawSync(file.subarray(from, from + packed)).toString('utf8')])
    at = from + packed
  }
  process.stdout.write(JSON.stringify(out))`
