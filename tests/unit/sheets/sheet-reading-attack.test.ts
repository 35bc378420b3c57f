/**
 * Malicious files: contradictory archives, zip bombs, XML with external entities or expansion, path traversal, and
 * polyglot files. Each is refused with a message, or reads as the honest file does.
 */
import { write as otherWriter, utils } from '@e965/xlsx'
import { describe, expect, test } from 'vitest'
import { readSheet, UnreadableSheetError } from '../../../server/spreadsheets/child/read-sheet.ts'
import type { Grid } from '../../../server/spreadsheets/grid.ts'
import { readGrids } from '../../../server/spreadsheets/read/read-grids.ts'
import { rowsIn } from '../../support/files/grid.ts'
import { makeXlsx, makeZip, type XlsxCell, xlsxEntries } from '../../support/files/xlsx.ts'

const rows: XlsxCell[][] = [
  ['姓名', '实发工资'],
  ['张三', 4321.09],
]
const sections = xlsxEntries({ sheets: [{ name: 'S', rows }] })
const honest = makeZip(sections)
const sheetPart = 'xl/worksheets/sheet1.xml'
const other = makeZip(
  xlsxEntries({
    sheets: [
      {
        name: 'S',
        rows: [
          ['姓名', '实发工资'],
          ['张三', 99_999],
        ],
      },
    ],
  }),
)

const outcome = (bytes: Buffer): Promise<Grid[] | UnreadableSheetError> =>
  readGrids(bytes).catch((error: unknown) => {
    expect(error).toBeInstanceOf(UnreadableSheetError)
    expect((error as Error).message).toMatch(/[\u4e00-\u9fff]/)
    return error as UnreadableSheetError
  })
async function refusedOrSame(bytes: Buffer): Promise<boolean> {
  const match = await outcome(bytes)
  if (match instanceof UnreadableSheetError) return false
  expect(match.map((grid) => grid.rows)).toEqual([rows])
  return true
}
async function refused(bytes: Buffer, sentence: RegExp) {
  const match = await outcome(bytes)
  expect(match).toBeInstanceOf(UnreadableSheetError)
  expect((match as UnreadableSheetError).message).toMatch(sentence)
}

const changed = (change: (bytes: Buffer) => void, of = honest) => {
  const copy = Buffer.from(of)
  change(copy)
  return copy
}
const end = honest.length - 22
const start = honest.readUInt32LE(end + 16)
/** Offsets of the local header and the directory entry of the sheet. */
const entry = (() => {
  for (let at = start; at < end; at += 46 + honest.readUInt16LE(at + 28))
    if (honest.toString('utf8', at + 46, at + 46 + honest.readUInt16LE(at + 28)) === sheetPart)
      return { central: at, local: honest.readUInt32LE(at + 42), packed: honest.readUInt32LE(at + 20) }
  throw new Error('no sheet')
})()
const { central, local, packed } = entry

const numbers: [string, number, 2 | 4][] = [
  ['directory: flags', central + 8, 2],
  ['directory: method', central + 10, 2],
  ['directory: checksum', central + 16, 4],
  ['directory: packed size', central + 20, 4],
  ['directory: size', central + 24, 4],
  ['directory: name length', central + 28, 2],
  ['directory: extra field length', central + 30, 2],
  ['directory: comment length', central + 32, 2],
  ['directory: offset of the part', central + 42, 4],
  ['header: method', local + 8, 2],
  ['header: name length', local + 26, 2],
  ['header: extra field length', local + 28, 2],
  ['end: disk number', end + 4, 2],
  ['end: entries on this disk', end + 8, 2],
  ['end: entries', end + 10, 2],
  ['end: size of the directory', end + 12, 4],
  ['end: offset of the directory', end + 16, 4],
]
const lies: [string, Buffer][] = numbers.flatMap(([name, at, size]) => {
  const message = size === 2 ? honest.readUInt16LE(at) : honest.readUInt32LE(at)
  const most = size === 2 ? 0xffff : 0xffffffff
  return [...new Set([0, 1, message + 1, Math.max(0, message - 1), most >>> 1, most])]
    .filter((value) => value !== message)
    .map((value): [string, Buffer] => [
      `${name} says ${value}`,
      changed((bytes) => (size === 2 ? bytes.writeUInt16LE(value, at) : bytes.writeUInt32LE(value, at))),
    ])
})

/** The parts of one file followed by the directory of another. */
const twoEnds = Buffer.concat([
  honest.subarray(0, end + 20),
  Buffer.from([other.length & 255, other.length >> 8]),
  changed((bytes) => {
    const tail = other.length - 22
    const from = bytes.readUInt32LE(tail + 16)
    bytes.writeUInt32LE(from + end + 22, tail + 16)
    for (let at = from; at < tail; at += 46 + bytes.readUInt16LE(at + 28))
      bytes.writeUInt32LE(bytes.readUInt32LE(at + 42) + end + 22, at + 42)
  }, other),
])
/** A directory without one part, behind the honest one. */
const shifted = changed(
  (bytes) => {
    bytes.writeUInt32LE(honest.length, bytes.length - 6)
  },
  Buffer.from(honest.subarray(start)),
)
const extra = (name: string | Buffer, text = 'x') => {
  const placeholder = 'p'.repeat(Buffer.byteLength(name))
  const bytes = makeZip({ ...sections, [placeholder]: text })
  for (let at = bytes.indexOf(placeholder); at >= 0; at = bytes.indexOf(placeholder, at + 1))
    Buffer.from(name as string).copy(bytes, at)
  return bytes
}

describe('contradictory archives', () => {
  test('covers sixty contradictory archives', () => expect(lies.length).toBeGreaterThanOrEqual(60))
  test.each(lies)('%s', async (_, bytes) => {
    await refusedOrSame(bytes)
  })

  test.each<[string, Buffer, RegExp]>([
    ['an encrypted part', changed((bytes) => bytes.writeUInt16LE(0x801, central + 8)), /加密/],
    ['strong encryption', changed((bytes) => bytes.writeUInt16LE(0x840, central + 8)), /加密/],
    ['a hidden directory', changed((bytes) => bytes.writeUInt16LE(0x2800, central + 8)), /加密/],
    [
      'an unknown compression method',
      changed((bytes) => (bytes.writeUInt16LE(99, central + 10), bytes.writeUInt16LE(99, local + 8))),
      /损坏/,
    ],
    ['zip64 sizes', changed((bytes) => bytes.writeUInt32LE(0xffffffff, central + 24)), /太大/],
    ['zip64 offsets', changed((bytes) => bytes.writeUInt32LE(0xffffffff, end + 16)), /太大/],
    ['overlapping parts', changed((bytes) => bytes.writeUInt32LE(packed + 5000, central + 20)), /损坏/],
    ['two ends with different sheets', twoEnds, /损坏/],
    [
      'two directories of the same parts',
      Buffer.concat([honest.subarray(0, start), Buffer.from(honest.subarray(start)), shifted]),
      /损坏/,
    ],
    ['data after the end', Buffer.concat([honest, Buffer.from('more')]), /损坏/],
    ['data between directory and end', Buffer.concat([honest.subarray(0, end), Buffer.alloc(50), honest.subarray(end)]), /损坏/],
    ['a duplicate part', extra(sheetPart), /损坏/],
    ['a duplicate part in capitals', extra(sheetPart.toUpperCase()), /损坏/],
    ['another name in the header', changed((bytes) => bytes.write('xl/worksheets/sheet9.xml', local + 30)), /损坏/],
    ['no end record', honest.subarray(0, end), /损坏/],
    ['only an end record', honest.subarray(end), /损坏/],
  ])('refuses %s', async (_, bytes, sentence) => refused(bytes, sentence))

  test('reads sizes that follow the data from the directory', async () => {
    const streamed = changed((bytes) => {
      bytes.writeUInt16LE(0x0808, central + 8)
      bytes.writeUInt16LE(0x0808, local + 6)
      bytes.fill(0, local + 14, local + 26)
    })
    expect(await refusedOrSame(streamed)).toBe(true)
  })
})

describe('path traversal', () => {
  test.each([
    '../../../../tmp/xinhan-zip-slip.xml',
    '/tmp/xinhan-zip-slip.xml',
    'C:\\xinhan.xml',
    '..\\..\\xinhan.xml',
    'xl/../../x.xml',
    'a\u0000b.xml',
    'xl/worksheets/\u202etxt.xml',
    'con.xml',
    '\ufffd.xml',
  ])('ignores the path %j', async (name) => {
    expect(await refusedOrSame(extra(name))).toBe(true)
  })
  test('refuses a name of 64 KB', async () => refused(makeZip({ ...sections, ['n'.repeat(65_000)]: 'x' }), /损坏/))
  test('refuses a sheet that refers to a file outside the archive', async () => {
    for (const target of ['../../../../etc/passwd', '/etc/passwd', 'file:///etc/passwd', 'http://127.0.0.1:9/sheet.xml'])
      await refused(
        makeZip({
          ...sections,
          'xl/_rels/workbook.xml.rels': (sections['xl/_rels/workbook.xml.rels'] ?? '').replace('worksheets/sheet1.xml', target),
        }),
        /损坏/,
      )
  })
})

describe('zip bombs', () => {
  const sheet = (inside: string) => (sections[sheetPart] ?? '').replace('</sheetData>', `${inside}</sheetData>`)
  const mb = 1024 * 1024
  test.each<[string, () => Buffer]>([
    ['rows', () => makeZip({ ...sections, [sheetPart]: sheet('<row/>'.repeat(2 * mb)) })],
    ['blanks', () => makeZip({ ...sections, [sheetPart]: sheet(' '.repeat(12 * mb)) })],
    ['shared strings', () => makeZip({ ...sections, 'xl/sharedStrings.xml': Buffer.alloc(12 * mb, '<si><t>a</t></si>') })],
    [
      'many parts with a large total size',
      () => makeZip({ ...sections, 'xl/a.xml': ' ', 'xl/b.xml': ' ' }, { 'xl/a.xml': 190 * mb, 'xl/b.xml': 190 * mb }),
    ],
    ['a part that declares 200 MB', () => makeZip(sections, { [sheetPart]: 200 * mb })],
    [
      'a part of 12 MB that declares one kilobyte',
      () => makeZip({ ...sections, [sheetPart]: sheet(' '.repeat(12 * mb)) }, { [sheetPart]: 1024 }),
    ],
  ])(
    '%s',
    async (_, make) => {
      const bytes = make()
      expect(bytes.length).toBeLessThan(mb)
      const before = process.memoryUsage.rss()
      const failure = await readSheet(bytes, { file_name: 'a.xlsx' }).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(UnreadableSheetError)
      expect((failure as Error).message).toMatch(/太大|损坏/)
      expect(process.memoryUsage.rss() - before).toBeLessThan(64 * mb)
    },
    60_000,
  )
})

describe('large sheets without content', () => {
  const sheet = (inside: string, after = '', before = '') =>
    makeZip({
      ...sections,
      [sheetPart]: (sections[sheetPart] ?? '')
        .replace('</sheetData>', `${inside}</sheetData>${after}`)
        .replace('<sheetData>', `${before}<sheetData>`),
    })
  test.each<[string, () => Buffer]>([
    [
      'a merge of all cells, a hundred times',
      () => sheet('', `<mergeCells>${'<mergeCell ref="A3:XFD1048576"/>'.repeat(100)}</mergeCells>`),
    ],
    ['cells in all corners', () => sheet('<row r="1048576"><c r="A1048576"><v>1</v></c><c r="XFD1048576"><v>1</v></c></row>')],
    ['a row of 16,384 empty cells', () => sheet(`<row r="3">${'<c s="1"/>'.repeat(16_384)}</row>`)],
    ['a million empty rows', () => sheet(Array.from({ length: 1_048_574 }, (_, at) => `<row r="${at + 3}"/>`).join(''))],
    ['a false dimension', () => sheet('', '', '<dimension ref="A1:XFD1048576"/>')],
    ['all columns with a width', () => sheet('', '', '<cols><col min="1" max="16384" width="9"/></cols>')],
    [
      'a thousand times a million hidden columns',
      () => sheet('', '', `<cols>${'<col min="301" max="16384" hidden="1"/>'.repeat(1000)}</cols>`),
    ],
  ])('%s', async (_, make) => {
    const [grid] = await readGrids(make())
    expect(grid?.rows).toEqual(rows)
    expect(grid?.merges.length).toBeLessThanOrEqual(100)
    expect(grid?.hidden_columns.size).toBe(0)
  })
  test('refuses 16,384 full columns', async () =>
    refused(sheet(`<row r="3">${Array.from({ length: 16_384 }, () => '<c><v>1</v></c>').join('')}</row>`), /300 列/))
})

describe('malicious XML', () => {
  const secret = 'root:x:0'
  const dtd = '<!DOCTYPE a [<!ENTITY b "secret"><!ENTITY c SYSTEM "file:///etc/passwd"><!ENTITY d SYSTEM "http://127.0.0.1:9/">]>'
  const laughs = `<!DOCTYPE l [<!ENTITY l0 "secret">${Array.from({ length: 20 }, (_, at) => `<!ENTITY l${at + 1} "&l${at};&l${at};&l${at};&l${at};">`).join('')}]>`
  const late = `<!--${'x'.repeat(5000)}-->`
  const put = (name: string, change: (text: string) => string | Buffer) =>
    makeZip({ ...sections, [name]: change(sections[name] ?? '') })
  const head = (text: string, what: string) => text.replace('?>', `?>${what}`)
  const inCell = (text: string, what: string) => text.replace('<v>4321.09</v>', `<v>${what}</v>`)
  const names = Object.keys(sections)
  const attacks: [string, Buffer][] = [
    ...names.map((name): [string, Buffer] => [`a DTD in ${name}`, put(name, (text) => head(text, dtd))]),
    ...names.map((name): [string, Buffer] => [
      `a DTD after a long comment in ${name}`,
      put(name, (text) => head(text, late + dtd)),
    ]),
    ['a billion laughs', put(sheetPart, (text) => head(inCell(text, '&l20;'), laughs))],
    ['entity expansion in the texts', put('xl/sharedStrings.xml', (text) => head(text.replace('张三', '&l20;'), late + laughs))],
    ['a DTD in the middle', put(sheetPart, (text) => text.replace('<sheetData>', `${dtd}<sheetData>`))],
    ['UTF-16 with a DTD', put(sheetPart, (text) => Buffer.from(`\ufeff${head(text, dtd)}`, 'utf16le'))],
    ['UTF-16 without a byte order mark', put(sheetPart, (text) => Buffer.from(head(text, dtd), 'utf16le'))],
    [
      'UTF-7',
      put(sheetPart, (text) => text.replace('UTF-8', 'UTF-7').replace('<sheetData>', '+ADwAIQ-DOCTYPE a+AD4-<sheetData>')),
    ],
    [
      'an include',
      put(sheetPart, (text) =>
        text.replace(
          '<sheetData>',
          '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd" parse="text"/><sheetData>',
        ),
      ),
    ],
    ['a style sheet', put(sheetPart, (text) => head(text, '<?xml-stylesheet href="http://127.0.0.1:9/x.xsl"?>'))],
    [
      'a million attributes',
      put(sheetPart, (text) =>
        text.replace('<sheetData', `<sheetData ${Array.from({ length: 1_000_000 }, (_, at) => `a${at}=""`).join(' ')}`),
      ),
    ],
    ['a tag of ten megabytes', put(sheetPart, (text) => text.replace('<sheetData', `<sheetData a="${'x'.repeat(10_000_000)}"`))],
    ['a million nested tags', put(sheetPart, (text) => text.replace('<sheetData>', `${'<a>'.repeat(1_000_000)}<sheetData>`))],
    ['a truncated sheet', put(sheetPart, (text) => text.slice(0, text.indexOf('<v>4321')))],
    ['a sheet truncated within a tag', put(sheetPart, (text) => text.slice(0, text.indexOf('<v>4321') + 1))],
    ['an unclosed comment', put(sheetPart, (text) => text.replace('<row r="2"', '<!-- <row r="2"'))],
  ]
  test('covers twenty malicious documents', () => expect(attacks.length).toBeGreaterThanOrEqual(20))
  test.each(attacks)('%s', async (_, bytes) => {
    const match = await outcome(bytes)
    if (match instanceof UnreadableSheetError) return
    // What is accepted must read as the honest file does.
    const all = JSON.stringify(match.map((grid) => grid.rows))
    expect(all).not.toContain('secret')
    expect(all).not.toContain(secret)
    expect(match.map((grid) => grid.rows)).toEqual([rows])
  })
})

describe('other file types and polyglot files', () => {
  const cfb = (name: string) =>
    Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(1016), Buffer.from(name, 'utf16le'), Buffer.alloc(512)])
  test.each<[string, Buffer, RegExp]>([
    ['a PDF file', Buffer.from('%PDF-1.7\n1 0 obj'), /PDF/],
    ['a PDF that contains a workbook', Buffer.concat([Buffer.from('%PDF-1.7\n'), honest]), /PDF/],
    ['a PNG', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), /图片/],
    ['a PNG that contains a workbook', Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), honest]), /图片/],
    ['a JPEG', Buffer.from('ffd8ffe000104a464946', 'hex'), /图片/],
    ['a GIF', Buffer.from('GIF89a\u0001'), /图片/],
    ['a WebP', Buffer.from('RIFF....WEBPVP8 '), /图片/],
    ['a RAR', Buffer.from('Rar!\u001a\u0007\u0000'), /不是表格/],
    ['a 7-Zip', Buffer.from('377abcaf271c0004', 'hex'), /不是表格/],
    ['a gzip', Buffer.from('1f8b0800000000000003', 'hex'), /不是表格/],
    ['a program', Buffer.concat([Buffer.from('MZ'), Buffer.alloc(200, 1)]), /不是表格/],
    ['rich text', Buffer.from('{\\rtf1\\ansi {\\b 工资}\\par}'), /不是表格/],
    ['JSON', Buffer.from('{"name":"张三","pay":1}'), /不是表格/],
    ['a Word file', makeZip({ '[Content_Types].xml': '<Types/>', 'word/document.xml': '<a/>' }), /不是表格/],
    ['slides', makeZip({ '[Content_Types].xml': '<Types/>', 'ppt/presentation.xml': '<a/>' }), /不是表格/],
    [
      'a workbook and an OpenDocument in one',
      makeZip({ ...sections, mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': '<a/>' }),
      /损坏/,
    ],
    ['a binary workbook', makeZip({ ...sections, 'xl/workbook.bin': 'x' }), /格式太旧/],
    ['an old Word file', cfb('WordDocument'), /不是表格/],
    ['a workbook protected by a password', cfb('EncryptedPackage'), /加密/],
    ['an email with a web page', Buffer.from('MIME-Version: 1.0\nContent-Type: multipart/related\n\n<html><table>'), /不是表格/],
    ['a drawing', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'), /网页/],
  ])('refuses %s', async (_, bytes, sentence) => refused(bytes, sentence))

  test('ignores macros', async () => {
    const macros = makeZip({ ...sections, 'xl/vbaProject.bin': Buffer.alloc(5000, 7), 'xl/macrosheets/sheet1.xml': '<a/>' })
    expect(await refusedOrSame(macros)).toBe(true)
  })
  test('recognises an .xls under any file name', async () => {
    const bytes = otherWriter(
      { SheetNames: ['S'], Sheets: { S: utils.aoa_to_sheet(rows as unknown[][]) } },
      { type: 'buffer', bookType: 'biff8' },
    ) as Buffer
    expect(await refusedOrSame(bytes)).toBe(true)
  })
})

describe('column names with a special meaning to programs', () => {
  const hostile = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', 'valueOf', '__defineGetter__']
  test('treats names with a special meaning to programs as plain column names', async () => {
    const bytes = makeXlsx({
      sheets: [
        {
          name: '__proto__',
          rows: [
            ['姓名', ...hostile, '实发工资'],
            ['张三', ...hostile.map((_, at) => at + 1), 9],
          ],
        },
      ],
    })
    const match = await readSheet(bytes, { file_name: '__proto__.xlsx', sheet: '__proto__' })
    expect(match.recognition.columns.map(({ label }) => label)).toEqual(['姓名', ...hostile, '实发工资'])
    const read = []
    for await (const page of match.pages) read.push(...rowsIn(page))
    const [first] = read
    expect(Object.keys(first?.cells ?? {})).toEqual(Array.from({ length: 9 }, (_, at) => `c${at}`))
    expect(first?.cells['c1']?.value).toBe('1')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(Object.getPrototypeOf({})).toBe(Object.prototype)
  })
  test('refuses names with a special meaning in ten thousand columns', async () =>
    refused(makeXlsx({ sheets: [{ name: 'S', rows: [Array.from({ length: 10_000 }, (_, at) => `列${at}`)] }] }), /300 列/))
  test('keeps a family emoji of four as one character', async () => {
    const [grid] = await readGrids(
      makeXlsx({ sheets: [{ name: 'S', rows: [['👨\u200d👩\u200d👧\u200d👦', '张\u200d三', '👩🏽\u200d💻']] }] }),
    )
    expect(grid?.rows[0]).toEqual(['👨\u200d👩\u200d👧\u200d👦', '张三', '👩🏽\u200d💻'])
  })
  test('removes invisible characters', async () => {
    const bytes = makeXlsx({
      sheets: [
        {
          name: 'S',
          rows: [
            ['姓\u200b名', '\u202e资工发实\u202c', '实\u00ad发\ufeff工资'],
            ['张\u200d三', 1, 2],
          ],
        },
      ],
    })
    const { recognition } = await readSheet(bytes, { file_name: 'a.xlsx' })
    expect(recognition.columns.map(({ label }) => label)).toEqual(['姓名', '资工发实', '实发工资'])
    expect(recognition.columns.map(({ role }) => role)).toMatchObject(['name', expect.not.stringMatching('net'), 'net'])
  })
})
