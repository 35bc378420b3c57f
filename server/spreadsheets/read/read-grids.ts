/** Bytes to grids. Runs in the child only; a parser is loaded when its kind of file has come. */
import type { Grid, StoredValue } from '../grid.ts'
import { detectContainer } from './container.ts'
import { markPictures } from './pictures.ts'
import { getMaxCharacters, sheetLimits, UnreadableSheetError, unreadableMessages } from './unreadable-error.ts'
// Loaded ahead: a child is ready before its file comes, and most files are workbooks.
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

// What `_x0000_` stands for in a workbook, and halves of pairs: nobody sees them, and no database keeps them. Nor does anybody see
// signs without a width or those that turn the direction of reading: with them two names look alike that are not.
const unstorablePattern =
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what must go
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ud800-\udfff\u00ad\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|(?<![\p{Extended_Pictographic}\ufe0f\p{Emoji_Modifier}])\u200d/u

const removeUnstorable = (text: string) =>
  unstorablePattern.test(text) ? text.replace(new RegExp(unstorablePattern, 'gu'), '') : text
/**
 * An apostrophe before digits or a sign of arithmetic says that they are text, and is no part of it: '00124 is 00124, '-500 is -500. Exports write it
 * so, and whoever types it with Chinese punctuation gets another one.
 */
const textPrefixPattern = /^\s*['’‘＇](?=[-+=@.\d])(?!.*['’‘＇])/s
const cleanText = (text: string) => removeUnstorable(textPrefixPattern.test(text) ? text.replace(textPrefixPattern, '') : text)
/** One text may be named by many cells: a long one is looked through once. */
const minCachedLength = 200
const cleanedTexts = new Map<string, string>()
function cleanTextCached(text: string): string {
  let clean = cleanedTexts.get(text)
  if (clean === undefined) cleanedTexts.set(text, (clean = cleanText(text)))
  return clean
}

const cellOverhead = 4

/** Answers how many signs are in it. Texts are measured before anything else looks at them: a long one costs at each look. */
function cleanRow(row: StoredValue[]): number {
  let signs = 0
  for (let at = 0; at < row.length; at++) {
    const value = row[at]
    if (value === null || value === undefined || value === '') continue
    // Beside its text, each cell that is kept has a key and a kind.
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
