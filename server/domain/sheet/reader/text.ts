/** .csv and .tsv to a grid. Decides the encoding, then the separator; prose is refused. */
import Papa from 'papaparse'
import type { Grid } from '../rules/grid.ts'
import { findHeader } from '../rules/header.ts'
import { limits, SheetUnreadable, sentences } from './unreadable.ts'

/** UTF-8 or UTF-16 by its mark, strict UTF-8, else GB 18030 (GBK, GB 2312); null when it is no text at all. */
export function decodeText(bytes: Uint8Array): string | null {
  const starts = (...mark: number[]) => mark.every((byte, at) => bytes[at] === byte)
  if (starts(0xef, 0xbb, 0xbf)) return strict('utf-8', bytes)
  if (starts(0xff, 0xfe)) return strict('utf-16le', bytes)
  if (starts(0xfe, 0xff)) return strict('utf-16be', bytes)
  if (bytes.subarray(0, 65_536).includes(0)) return null
  return strict('utf-8', bytes) ?? strict('gb18030', bytes)
}

function strict(encoding: string, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

export function readText(bytes: Uint8Array): Grid[] {
  const text = decodeText(bytes)
  // oxlint-disable-next-line no-control-regex -- control characters are how binary files are told from text
  if (text === null || /[\u0001-\u0008\u000e-\u001a]/.test(text.slice(0, 65_536))) throw new SheetUnreadable(sentences.word)
  if (text.trim() === '') throw new SheetUnreadable(sentences.empty)
  if (/^\s*(?:<!doctype html|<html|<table|<\?xml|<head|<meta)/i.test(text.slice(0, 2_000)))
    throw new SheetUnreadable(sentences.html)
  // "sep=;" is Excel's own first line.
  const said = /^sep=(.)\r?\n/.exec(text)
  const delimiter = said?.[1] ?? separatorOf(text)
  if (delimiter === null) throw new SheetUnreadable(sentences.prose)
  const { data } = Papa.parse<string[]>(said ? text.slice(said[0].length) : text, {
    delimiter,
    skipEmptyLines: false,
    preview: limits.rows + 1,
  })
  if (data.length > limits.rows) throw new SheetUnreadable(sentences.too_many_rows)
  if (data.slice(0, 200).some((row) => row.length > limits.columns)) throw new SheetUnreadable(sentences.too_many_columns)
  while (data.length > 0 && data.at(-1)?.every((cell) => cell.trim() === '')) data.pop()
  const grid: Grid = {
    name: 'Sheet1',
    hidden: false,
    rows: data,
    marks: new Map(),
    merges: [],
    hidden_rows: new Set(),
    hidden_columns: new Set(),
  }
  // A letter with commas in it is cut into columns too; a table has even rows or at least a header.
  if (!isEven(data) && findHeader(grid) === null) throw new SheetUnreadable(sentences.prose)
  return [grid]
}

/** Three lines of as many columns, and no sentences. */
function isEven(data: readonly string[][]): boolean {
  const lines = data.slice(0, 50).filter((row) => row.some((cell) => cell.trim() !== ''))
  const width = lines[0]?.length ?? 0
  const sentences = lines.filter((row) => /[。！？.!?]\s*$/.test(row.at(-1) ?? ''))
  return lines.length >= 3 && width >= 2 && lines.every((row) => row.length === width) && sentences.length * 2 < lines.length
}

const separators = ['\t', ',', ';', '|', '，'] as const

/** The separator that cuts the first lines into the most even table; null where none makes one. */
export function separatorOf(text: string): string | null {
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
    // Prose has commas too: sentences are long and their number differs from line to line.
    const longest = data.slice(0, 5).some((row) => row.some((cell) => cell.length > 200))
    if (width < 2 || even < 0.5 || longest) continue
    const score = even * Math.min(width, 20)
    if (score > bestScore) {
      best = separator
      bestScore = score
    }
  }
  return best
}
