/** Compares a text file parsed into cells by our reader and by another one, with the separator that ours has detected. */
import { parseCsv } from 'hucre/csv'
import Papa from 'papaparse'
import type { StoredValue } from '../../../server/spreadsheets/grid.ts'
import { readGrids } from '../../../server/spreadsheets/read/read-grids.ts'
import { decodeText, detectSeparator } from '../../../server/spreadsheets/read/text.ts'
import { sheetLimits, UnreadableSheetError } from '../../../server/spreadsheets/read/unreadable-error.ts'

export interface CsvComparison {
  cells: number
  /** The message, if our reader rejects the file; `crashed` means that the error is not a message of ours. */
  refused: string | null
  crashed: boolean
  /** The first cell that differs. */
  difference: string | null
  /** A quoted cell contains a quote as no program writes it: `"a"b",`. */
  hasBrokenQuotes: boolean
}

const getText = (value: unknown) => String(value ?? '').trim()

export async function csvComparison(bytes: Buffer): Promise<CsvComparison> {
  const match: CsvComparison = { cells: 0, refused: null, crashed: false, difference: null, hasBrokenQuotes: false }
  let ours: readonly (readonly StoredValue[] | undefined)[]
  try {
    ours = (await readGrids(Buffer.from(bytes)))[0]?.rows ?? []
  } catch (error) {
    const refused = error instanceof Error ? error.message : String(error)
    return { ...match, refused, crashed: !(error instanceof UnreadableSheetError) }
  }
  const text = (decodeText(bytes) ?? '').replace(/^\ufeff/, '')
  // A file that begins with a tag is not CSV.
  if (/^\s*<[a-z!?]/i.test(text)) return match
  const message = /^sep=(.)\r?\n/.exec(text)
  const delimiter = message?.[1] ?? detectSeparator(text) ?? ','
  const body = message ? text.slice(message[0].length) : text
  const theirs = parseCsv(body, { delimiter, typeInference: false })
  match.hasBrokenQuotes = Papa.parse(body, { delimiter }).errors.some(({ type }) => type === 'Quotes')
  for (let row = 0; row < Math.max(ours.length, theirs.length); row++)
    for (
      let column = 0;
      column < Math.min(sheetLimits.columns, Math.max(ours[row]?.length ?? 0, theirs[row]?.length ?? 0));
      column++
    ) {
      match.cells++
      const [own, other] = [getText(ours[row]?.[column]), getText(theirs[row]?.[column])]
      if (own !== other) match.difference ??= `${row + 1}:${column + 1} ${own.slice(0, 40)} / ${other.slice(0, 40)}`
    }
  return match
}
