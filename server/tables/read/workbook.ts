/** Workbooks to grids: .xlsx and .xlsm, .ods, .xls. Runs in the child only, behind the guard. */
import type { Grid } from '../grid.ts'
import { limits, SheetUnreadable, sentences } from './unreadable.ts'
import { streamsOf } from './xls/container.ts'
import { readBook } from './xlsx/book.ts'
import { unzip } from './zip-guard.ts'

export async function readZip(file: Buffer): Promise<Grid[]> {
  const parts = unzip(file)
  const has = (name: string) => parts.some((part) => part.name === name)
  if (has('xl/workbook.bin')) throw new SheetUnreadable(sentences.old)
  if (has('word/document.xml') || has('ppt/presentation.xml')) throw new SheetUnreadable(sentences.word)
  const isOds =
    has('content.xml') && parts.some((part) => part.name === 'mimetype' && part.read().toString('latin1').includes('spreadsheet'))
  // Two kinds in one: every program would see another table.
  if (isOds && has('[Content_Types].xml')) throw new SheetUnreadable(sentences.damaged)
  if (!isOds && !has('[Content_Types].xml')) throw new SheetUnreadable(sentences.word)
  // What says that it is a workbook, and every part that is read, is checked; what else lies in the file is not judged.
  if (!isOds) parts.find(({ name }) => name === '[Content_Types].xml')?.read()
  if (!isOds) return parsed(() => readBook(parts))
  if (parts.reduce((sum, part) => sum + part.size, 0) > limits.part_bytes) throw new SheetUnreadable(sentences.too_big_inside)
  const part = (name: string) => parts.find((one) => one.name === name)
  const content = part('content.xml')
  if (!content) throw new SheetUnreadable(sentences.damaged)
  if (part('META-INF/manifest.xml')?.read().includes('encryption-data')) throw new SheetUnreadable(sentences.encrypted)
  const { readOds } = await import('./ods.ts')
  return parsed(() => readOds(content.read().toString('utf8')))
}

export async function readCfb(file: Buffer): Promise<Grid[]> {
  const streams = await parsed(() => streamsOf(file)).catch((error: unknown) => {
    // A container that is broken may still say what it was; its names are UTF-16.
    const names = (name: string) => file.includes(Buffer.from(name, 'utf16le'))
    if (names('EncryptedPackage')) throw new SheetUnreadable(sentences.encrypted)
    throw names('WordDocument') ? new SheetUnreadable(sentences.word) : error
  })
  if (streams.has('encryptedpackage')) throw new SheetUnreadable(sentences.encrypted)
  const book = streams.get('workbook') ?? streams.get('book')
  if (!book) throw new SheetUnreadable(streams.has('worddocument') ? sentences.word : sentences.old)
  const { readBook: readXls } = await import('./xls/book.ts')
  return parsed(() => readXls(book()))
}

/** What cannot be read at a place where it should be is damaged. */
async function parsed<T>(read: () => T | Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof SheetUnreadable ? error : new SheetUnreadable(sentences.damaged)
  }
}
