/** Reads workbooks to grids: .xlsx and .xlsm, .ods, .xls. Runs in the child process only, behind the zip guard. */
import type { Grid } from '../grid.ts'
import { sheetLimits, UnreadableSheetError, unreadableMessages } from './unreadable-error.ts'
import { readStreams } from './xls/container.ts'
import { readXlsxWorkbook } from './xlsx/book.ts'
import { readZipEntries } from './zip-guard.ts'

export async function readZipWorkbook(file: Buffer): Promise<Grid[]> {
  const entries = readZipEntries(file)
  const has = (name: string) => entries.some((part) => part.name === name)
  if (has('xl/workbook.bin')) throw new UnreadableSheetError(unreadableMessages.old)
  if (has('word/document.xml') || has('ppt/presentation.xml')) throw new UnreadableSheetError(unreadableMessages.word)
  const isOds =
    has('content.xml') &&
    entries.some((part) => part.name === 'mimetype' && part.read().toString('latin1').includes('spreadsheet'))
  // The file contains two formats, and other programs would see different tables.
  if (isOds && has('[Content_Types].xml')) throw new UnreadableSheetError(unreadableMessages.damaged)
  if (!isOds && !has('[Content_Types].xml')) throw new UnreadableSheetError(unreadableMessages.word)
  // The part that identifies a workbook and every part that is read are checked; other parts of the file are ignored.
  if (!isOds) entries.find(({ name }) => name === '[Content_Types].xml')?.read()
  if (!isOds) return parseOrDamaged(() => readXlsxWorkbook(entries))
  if (entries.reduce((sum, part) => sum + part.size, 0) > sheetLimits.part_bytes)
    throw new UnreadableSheetError(unreadableMessages.too_big_inside)
  const part = (name: string) => entries.find((one) => one.name === name)
  const content = part('content.xml')
  if (!content) throw new UnreadableSheetError(unreadableMessages.damaged)
  if (part('META-INF/manifest.xml')?.read().includes('encryption-data'))
    throw new UnreadableSheetError(unreadableMessages.encrypted)
  const { readOds } = await import('./ods.ts')
  return parseOrDamaged(() => readOds(content.read().toString('utf8')))
}

export async function readCfbWorkbook(file: Buffer): Promise<Grid[]> {
  const streams = await parseOrDamaged(() => readStreams(file)).catch((error: unknown) => {
    // A broken container may still reveal its type; its names are UTF-16.
    const names = (name: string) => file.includes(Buffer.from(name, 'utf16le'))
    if (names('EncryptedPackage')) throw new UnreadableSheetError(unreadableMessages.encrypted)
    throw names('WordDocument') ? new UnreadableSheetError(unreadableMessages.word) : error
  })
  if (streams.has('encryptedpackage')) throw new UnreadableSheetError(unreadableMessages.encrypted)
  const book = streams.get('workbook') ?? streams.get('book')
  if (!book) throw new UnreadableSheetError(streams.has('worddocument') ? unreadableMessages.word : unreadableMessages.old)
  const { readXlsWorkbook: readXls } = await import('./xls/book.ts')
  return parseOrDamaged(() => readXls(book()))
}

/** Any failure to read an expected position means that the file is damaged. */
async function parseOrDamaged<T>(read: () => T | Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof UnreadableSheetError ? error : new UnreadableSheetError(unreadableMessages.damaged)
  }
}
