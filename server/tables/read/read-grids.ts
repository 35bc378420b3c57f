/** Bytes to grids. Runs in the child only; a parser is loaded when its kind of file has come. */
import type { Grid, Stored } from '../grid.ts'
import { containerOf } from './container.ts'
import { takePictures } from './pictures.ts'
import { limits, mostSigns, SheetUnreadable, sentences } from './unreadable.ts'
// Loaded ahead: a child is ready before its file comes, and most files are workbooks.
import { readCfb, readZip } from './workbook.ts'

export async function readGrids(bytes: Buffer): Promise<Grid[]> {
  const grids = await parse(bytes)
  const most = mostSigns(bytes.length)
  let signs = 0
  for (const grid of grids) {
    const { rows } = grid
    takePictures(grid)
    for (const row of rows) if (row) signs += clean(row as Stored[])
    if (signs > most) throw new SheetUnreadable(sentences.much_text)
  }
  if (grids.every((grid) => grid.rows.length === 0)) throw new SheetUnreadable(sentences.no_data)
  return grids
}

// What `_x0000_` stands for in a workbook, and halves of pairs: nobody sees them, and no database keeps them. Nor does anybody see
// signs without a width or those that turn the direction of reading: with them two names look alike that are not.
const unwritable =
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what must go
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ud800-\udfff\u00ad\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|(?<![\p{Extended_Pictographic}\ufe0f\p{Emoji_Modifier}])\u200d/u

const unwritten = (text: string) => (unwritable.test(text) ? text.replace(new RegExp(unwritable, 'gu'), '') : text)
/**
 * An apostrophe before digits or a sign of arithmetic says that they are text, and is no part of it: '00124 is 00124, '-500 is -500. Exports write it
 * so, and whoever types it with Chinese punctuation gets another one.
 */
const textMark = /^\s*['’‘＇](?=[-+=@.\d])(?!.*['’‘＇])/s
const cleaned = (text: string) => unwritten(textMark.test(text) ? text.replace(textMark, '') : text)
/** One text may be named by many cells: a long one is looked through once. */
const named_often = 200
const known = new Map<string, string>()
function cleanedOnce(text: string): string {
  let clean = known.get(text)
  if (clean === undefined) known.set(text, (clean = cleaned(text)))
  return clean
}

const a_cell = 4

/** Answers how many signs are in it. Texts are measured before anything else looks at them: a long one costs at each look. */
function clean(row: Stored[]): number {
  let signs = 0
  for (let at = 0; at < row.length; at++) {
    const value = row[at]
    if (value === null || value === undefined || value === '') continue
    // Beside its text, each cell that is kept has a key and a kind.
    signs += a_cell
    if (typeof value !== 'string') continue
    if (value.length > limits.cell_signs) throw new SheetUnreadable(sentences.long_cell)
    signs += value.length
    if (signs > limits.row_signs) throw new SheetUnreadable(sentences.long_row)
    row[at] = value.length > named_often ? cleanedOnce(value) : cleaned(value)
  }
  return signs
}

async function parse(bytes: Buffer): Promise<Grid[]> {
  const container = containerOf(bytes)
  if (container === 'text') return (await import('./text.ts')).readText(bytes)
  return container === 'zip' ? readZip(bytes) : readCfb(bytes)
}
