/**
 * Reads .csv and .tsv to a grid. Detects the encoding, then the separator; prose is rejected. Text that begins with a
 * tag is passed on to the markup readers.
 */
import Papa from 'papaparse'
import type { Grid } from '../grid.ts'
import { rosterLabels } from '../profiles/roster/labels.ts'
import { findHeader } from '../recognise/header.ts'
import { wageLabels } from '../recognise/label-meaning.ts'
import { findExactSynonym, normalizeHeader } from '../recognise/synonyms.ts'
import { sheetLimits, UnreadableSheetError, unreadableMessages } from './unreadable-error.ts'

/** Decodes by byte order mark, by the pattern of UTF-16, as strict UTF-8, or as the labels suggest; null if it is not text. */
export function decodeText(bytes: Uint8Array): string | null {
  const starts = (...mark: number[]) => mark.every((byte, at) => bytes[at] === byte)
  if (starts(0xef, 0xbb, 0xbf)) return decodeStrict('utf-8', bytes)
  // XML begins with `<?` even without a byte order mark.
  if (starts(0xff, 0xfe) || starts(0x3c, 0, 0x3f, 0)) return decodeStrict('utf-16le', bytes)
  if (starts(0xfe, 0xff) || starts(0, 0x3c, 0, 0x3f)) return decodeStrict('utf-16be', bytes)
  if (bytes.subarray(0, 65_536).includes(0)) {
    const encoding = findUtf16(bytes)
    return encoding && decodeStrict(encoding, bytes)
  }
  const utf8 = decodeStrict('utf-8', bytes)
  const declaredEncoding = getDeclaredEncoding(bytes)
  // Pages often declare a wrong encoding: if the text contains Chinese when decoded as UTF-8, it is UTF-8.
  if (declaredEncoding !== null && declaredEncoding !== 'utf-8' && !/[\u4e00-\u9fff]/.test(utf8 ?? ''))
    return decodeStrict(declaredEncoding, bytes)
  return utf8 ?? detectByLabels(bytes)
}

/** Characters that occur in sheets: Latin, Cyrillic, Thai, Vietnamese, punctuation, Chinese, Japanese, Korean, full-width. */
const sheetCharacterPattern =
  /[\t\r\n\x20-\x7e\u00a0-\u024f\u0400-\u04ff\u0e00-\u0e7f\u1ea0-\u1ef9\u2010-\u203b\u20a0-\u20bf\u2100-\u22ff\u3001-\u30ff\u4e00-\u9fff\uac00-\ud7af\uff01-\uff5e\uffe5]/g
const separatorPattern = /[\t\r\n,;|]/g

/**
 * Detects the byte order of UTF-16 without a mark; null if it is not UTF-16. In the wrong order digits and separators
 * become characters that no sheet contains, and in single-byte text with zero bytes no separator appears as a complete
 * character.
 */
function findUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const head = bytes.subarray(0, 8_192)
  const count = (text: string, signs: RegExp) => text.match(signs)?.length ?? 0
  for (const encoding of ['utf-16le', 'utf-16be'] as const) {
    const text = new TextDecoder(encoding).decode(head)
    if (count(text, separatorPattern) * 50 >= text.length && count(text, sheetCharacterPattern) * 100 >= text.length * 95)
      return encoding
  }
  return null
}

/** Alternatives to GB 18030 (GBK, GB 2312), used only if table labels are recognized in exactly one of them. */
const otherEncodings = ['big5', 'shift_jis', 'euc-kr'] as const
const minMatchedLabels = 2
function detectByLabels(bytes: Uint8Array): string | null {
  const chinese = decodeStrict('gb18030', bytes)
  const countMatches = (text: string) =>
    new Set(
      text
        .slice(0, 2_000)
        .split(/[\t\r\n,;|"]+/)
        .filter(
          (word) => /[^\x20-\x7e]/.test(word) && word.length <= 20 && findExactSynonym(normalizeHeader(word)) !== undefined,
        ),
    ).size
  if (chinese !== null && countMatches(chinese) > 0) return chinese
  const other = otherEncodings.find(
    (encoding) => countMatches(new TextDecoder(encoding).decode(bytes.subarray(0, 4_000))) >= minMatchedLabels,
  )
  return (other && decodeStrict(other, bytes)) ?? chinese
}

const encodingPattern = /^(?:utf-?8|gbk|gb2312|gb18030|big5|iso-8859-1|windows-1252|us-ascii)$/i

/** Returns the declared encoding of an XML or HTML file if it is supported. */
function getDeclaredEncoding(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 2_048)).toString('latin1')
  if (!/^\s*<[a-z!?]/i.test(head)) return null
  const name = /^\s*<\?xml[^>]*?\sencoding=["']([\w-]+)["']|<meta[^>]*?charset=["']?([\w-]+)/i.exec(head)
  const encoding = (name?.[1] ?? name?.[2] ?? '').toLowerCase()
  if (!encodingPattern.test(encoding)) return null
  return encoding === 'utf8' ? 'utf-8' : encoding.startsWith('gb') ? 'gb18030' : encoding
}

function decodeStrict(encoding: string, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

export async function readTextTable(bytes: Uint8Array): Promise<Grid[]> {
  const text = decodeText(bytes)
  // oxlint-disable-next-line no-control-regex -- control characters are how binary files are told from text
  if (text === null || /[\u0001-\u0008\u000e-\u001a]/.test(text.slice(0, 65_536)))
    throw new UnreadableSheetError(unreadableMessages.word)
  if (text.trim() === '') throw new UnreadableSheetError(unreadableMessages.empty)
  if (/^\s*<[a-z!?]/i.test(text.slice(0, 2_000))) return readMarkup(text)
  // "sep=;" is a first line specific to Excel.
  const separatorLine = /^sep=(.)\r?\n/.exec(text)
  const delimiter = separatorLine?.[1] ?? detectSeparator(text)
  if (delimiter === null) throw new UnreadableSheetError(unreadableMessages.prose)
  // Without quotes every line is a row, and the parser would split the entire text even if only a few rows are
  // requested.
  if (!text.includes('"') && hasMoreLines(text, sheetLimits.rows + 1))
    throw new UnreadableSheetError(unreadableMessages.too_many_rows)
  const { data } = Papa.parse<string[]>(separatorLine ? text.slice(separatorLine[0].length) : text, {
    delimiter,
    skipEmptyLines: false,
    preview: sheetLimits.rows + 1,
  })
  if (data.length > sheetLimits.rows) throw new UnreadableSheetError(unreadableMessages.too_many_rows)
  // Trailing separators are not columns.
  const getWidth = (row: readonly string[]) => row.findLastIndex((cell) => cell.trim() !== '') + 1
  if (data.slice(0, 200).some((row) => getWidth(row) > sheetLimits.columns))
    throw new UnreadableSheetError(unreadableMessages.too_many_columns)
  while (data.length > 0 && data.at(-1)?.every((cell) => cell.trim() === '')) data.pop()
  for (const row of data) if (row.length > sheetLimits.columns) row.length = sheetLimits.columns
  if (text.includes('="'))
    for (const row of data) for (const [at, cell] of row.entries()) row[at] = quotedNumberPattern.exec(cell)?.[1] ?? cell
  const grid: Grid = {
    name: 'Sheet1',
    hidden: false,
    rows: data,
    marks: new Map(),
    merges: [],
    hidden_rows: new Set(),
    hidden_columns: new Set(),
  }
  // Prose with commas is split into columns as well; a table has even rows or at least a header.
  if (!isTabular(data) && [wageLabels, rosterLabels].every((labels) => findHeader(grid, labels) === null))
    throw new UnreadableSheetError(unreadableMessages.prose)
  return [grid]
}

/** ="13900000000": how programs keep a spreadsheet from converting text to a number. */
const quotedNumberPattern = /^="([^"]*)"$/

/** Returns whether the text has more than this many line ends. */
function hasMoreLines(text: string, most: number): boolean {
  const end = text.includes('\n') ? '\n' : '\r'
  let count = 0
  for (let at = text.indexOf(end); at >= 0 && count <= most; at = text.indexOf(end, at + 1)) count += 1
  return count > most
}

/** Reads text that begins with a tag: Excel 2003 XML or an HTML table; anything else is rejected. */
async function readMarkup(text: string): Promise<Grid[]> {
  const { isSpreadsheetXml, readSpreadsheetXml } = await import('./markup/spreadsheet-xml.ts')
  if (isSpreadsheetXml(text.slice(0, 10_000))) return readSpreadsheetXml(text)
  if (/^\s*<\?xml/.test(text) && !/<(?:html|table)[\s>]/i.test(text)) throw new UnreadableSheetError(unreadableMessages.old)
  return (await import('./markup/html-table.ts')).readHtmlTables(text)
}

/** Returns whether there are three lines with the same number of columns, and no sentences. */
function isTabular(data: readonly string[][]): boolean {
  const lines = data.slice(0, 50).filter((row) => row.some((cell) => cell.trim() !== ''))
  const width = lines[0]?.length ?? 0
  const sentences = lines.filter((row) => /[。！？.!?]\s*$/.test(row.at(-1) ?? ''))
  return lines.length >= 3 && width >= 2 && lines.every((row) => row.length === width) && sentences.length * 2 < lines.length
}

const separators = ['\t', ',', ';', '|', '，'] as const

/** Returns the separator that splits the first lines into the most even table; null if none does. */
export function detectSeparator(text: string): string | null {
  const head = text.slice(0, 20_000)
  let best: string | null = null
  let bestScore = 0
  for (const separator of separators) {
    const { data } = Papa.parse<string[]>(head, { delimiter: separator, preview: 30 })
    const widths = data.filter((row) => row.some((cell) => cell.trim() !== '')).map((row) => row.length)
    if (widths.length === 0) continue
    const counted = new Map<number, number>()
    for (const width of widths) counted.set(width, (counted.get(width) ?? 0) + 1)
    const [width, lines] = [...counted].toSorted((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [0, 0]
    const even = lines / widths.length
    // Prose contains commas too: sentences are long and their number varies by line; the same number of columns in each
    // line is a table.
    const longest = data.slice(0, 5).some((row) => row.some((cell) => cell.length > 200))
    if (width < 2 || even < 0.5 || (longest && (width < 5 || even < 0.9))) continue
    const score = even * Math.min(width, 20)
    if (score > bestScore) {
      best = separator
      bestScore = score
    }
  }
  return best
}
