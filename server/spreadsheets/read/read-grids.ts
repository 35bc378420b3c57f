/** Converts bytes to grids. Runs in the child process only; a parser is loaded when a file of its type arrives. */
import type { Grid, StoredValue } from '../grid.ts'
import { detectContainer } from './container.ts'
import { markPictures } from './pictures.ts'
import { getMaxCharacters, sheetLimits, UnreadableSheetError, unreadableMessages } from './unreadable-error.ts'
// Loaded in advance: a child is prepared before its file arrives, and most files are workbooks.
import { readCfbWorkbook, readZipWorkbook } from './workbook.ts'

export async function readGrids(bytes: Buffer): Promise<Grid[]> {
  const grids = await parseFile(bytes)
  const most = getMaxCharacters(bytes.length)
  let signs = 0
  for (const grid of grids) {
    const { rows } = grid
    markPictures(grid)
    for (const row of rows) if (row) signs += cleanRow(row as StoredValue[])
    if (signs > most) throw new UnreadableSheetError(unreadableMessages.much_text)
  }
  if (grids.every((grid) => grid.rows.length === 0)) throw new UnreadableSheetError(unreadableMessages.no_data)
  return grids
}

// Control characters encoded as `_x0000_` in a workbook and unpaired surrogates are invisible, and a database cannot
// store them. Zero-width and direction marks are invisible as well: with them, different names look the same.
const unstorablePattern =
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what must go
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ud800-\udfff\u00ad\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|(?<![\p{Extended_Pictographic}\ufe0f\p{Emoji_Modifier}])\u200d/u

const removeUnstorable = (text: string) =>
  unstorablePattern.test(text) ? text.replace(new RegExp(unstorablePattern, 'gu'), '') : text
/**
 * An apostrophe before digits or an arithmetic sign marks text and is not part of it: '00124 is 00124, '-500 is -500.
 * Exports write it this way, and typing it with Chinese punctuation yields a different character.
 */
const textPrefixPattern = /^\s*['’‘＇](?=[-+=@.\d])(?!.*['’‘＇])/s
const cleanText = (text: string) => removeUnstorable(textPrefixPattern.test(text) ? text.replace(textPrefixPattern, '') : text)
/** Many cells may refer to one text, so long texts are cleaned once. */
const minCachedLength = 200
const cleanedTexts = new Map<string, string>()
function cleanTextCached(text: string): string {
  let clean = cleanedTexts.get(text)
  if (clean === undefined) cleanedTexts.set(text, (clean = cleanText(text)))
  return clean
}

const cellOverhead = 4

/** Returns the number of characters in the row: measured first, because each pass over a long text is expensive. */
function cleanRow(row: StoredValue[]): number {
  let signs = 0
  for (let at = 0; at < row.length; at++) {
    const value = row[at]
    if (value === null || value === undefined || value === '') continue
    // Each stored cell has a key and a kind in addition to its text.
    signs += cellOverhead
    if (typeof value !== 'string') continue
    if (value.length > sheetLimits.cell_signs) throw new UnreadableSheetError(unreadableMessages.long_cell)
    signs += value.length
    if (signs > sheetLimits.row_signs) throw new UnreadableSheetError(unreadableMessages.long_row)
    row[at] = value.length > minCachedLength ? cleanTextCached(value) : cleanText(value)
  }
  return signs
}

async function parseFile(bytes: Buffer): Promise<Grid[]> {
  const container = detectContainer(bytes)
  if (container === 'text') return (await import('./text.ts')).readTextTable(bytes)
  return container === 'zip' ? readZipWorkbook(bytes) : readCfbWorkbook(bytes)
}
