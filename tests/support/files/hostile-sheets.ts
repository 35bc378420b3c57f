/**
 * Files built to be expensive: small to send, slow to read, or large to store. Each is a file that a program could have
 * written.
 */
import { makeXlsx, makeZip, type XlsxCell, xlsxEntries } from './xlsx.ts'

const head = ['姓名', '手机号', '基本工资', '实发工资']
const person = (at: number): XlsxCell[] => [`张三${at}`, String(13_800_000_000 + at), 8000, 8000]
const shared = (text: string) => `<si><t>${text}</t></si>`
const cell: XlsxCell = { attributes: 't="s"', inside: '<v>0</v>' }

/** Returns a file in which many cells share one text. */
function oneText(length: number, rows: number, columns: number): Buffer {
  // The content is not a single repeated character: an archive that compresses to a thousandth would already be
  // rejected as a bomb.
  const text = Array.from({ length: Math.ceil(length / 4) }, (_, at) => (at * 7919 + 13).toString(36).slice(-4)).join('')
  const names = Array.from({ length: columns }, (_, at) => `说明${at}`)
  const line = (at: number): XlsxCell[] => [...person(at), ...names.map(() => cell)]
  return makeXlsx({
    shared: [shared(text.slice(0, length))],
    sheets: [{ name: 'S', rows: [[...head, ...names], ...Array.from({ length: rows }, (_, at) => line(at))] }],
  })
}

/** Returns a file with many worksheets that share one part of the archive. */
function manySheets(count: number, rows: number): Buffer {
  const sections = xlsxEntries({ sheets: [{ name: 'S', rows: [head, ...Array.from({ length: rows }, (_, at) => person(at))] }] })
  const listed = Array.from({ length: count }, (_, at) => `<sheet name="S${at}" sheetId="${at + 1}" r:id="rId1"/>`).join('')
  const book = Object.keys(sections).find((name) => name.endsWith('workbook.xml')) ?? ''
  return makeZip({ ...sections, [book]: (sections[book] ?? '').replace(/<sheets>.*<\/sheets>/s, `<sheets>${listed}</sheets>`) })
}

export const hostile: readonly (readonly [string, () => Buffer])[] = [
  ['one text of 4 MB in many cells', () => oneText(4_000_000, 400, 20)],
  ['one text as long as a cell may be in many cells', () => oneText(32_000, 4_000, 40)],
  ['one text of 1,000 signs in a quarter of a million cells', () => oneText(1_000, 4_000, 62)],
  ['1,500 sheets of one part', () => manySheets(1_500, 3_000)],
  ['19 MB of <', () => Buffer.alloc(19_000_000, '<')],
  ['a page with 19 MB of <', () => Buffer.concat([Buffer.from('<html><table><tr><td>'), Buffer.alloc(19_000_000, '<')])],
  ['19 MB of commas', () => Buffer.alloc(19_000_000, ',')],
  ['19 MB of quotes', () => Buffer.concat([Buffer.from('姓名,实发工资\n'), Buffer.alloc(19_000_000, '"')])],
  ['19 MB of line ends', () => Buffer.concat([Buffer.from('姓名,实发工资\n'), Buffer.alloc(19_000_000, '\n')])],
  ['19 MB of empty table cells', () => Buffer.from(`<table><tr>${'<td>'.repeat(4_700_000)}`)],
  ['19 MB of one word', () => Buffer.concat([Buffer.from('姓名,实发工资\n'), Buffer.alloc(19_000_000, 'x')])],
]
