/**
 * Opens one file after the other with the limits of the real child process, without a restart for each. Input: a length
 * of four bytes and a file, repeatedly. Output: a line of JSON for each.
 */
import { createHash } from 'node:crypto'
import { streamRowPages, toSheetLayout } from '../../../server/spreadsheets/child/response.ts'
import { type Grid, getCell } from '../../../server/spreadsheets/grid.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { readGrids } from '../../../server/spreadsheets/read/read-grids.ts'
import { UnreadableSheetError } from '../../../server/spreadsheets/read/unreadable-error.ts'

export interface Result {
  result: 'read' | 'refused' | 'broken'
  /** The reason of the rejection, or the error. */
  message: string
  ms: number
  /** A digest of all cells of every worksheet, and one for each cell. */
  digest: string
  cells: string[]
}

const getTexts = (grids: readonly Grid[]) =>
  grids.flatMap((grid) =>
    Array.from(grid.rows, (row, r) =>
      Array.from(row ?? [], (_, c) => JSON.stringify([grid.name, r, c, getCell(grid, r, c)])),
    ).flat(),
  )

async function judge(bytes: Buffer): Promise<Result> {
  const since = performance.now()
  const answer = { ms: 0, message: '', digest: '', cells: [] as string[] }
  try {
    const grids = await readGrids(bytes)
    const { recognition, grids: read } = recognizeWorkbook(grids)
    toSheetLayout(read, recognition)
    for (const _ of streamRowPages(read, recognition));
    const ms = performance.now() - since
    const texts = getTexts(grids)
    const digest = createHash('sha256').update(texts.join('\n')).digest('hex')
    return { ...answer, result: 'read', ms, digest, cells: texts.length <= 2_000 ? texts : [] }
  } catch (error) {
    const ms = performance.now() - since
    if (error instanceof UnreadableSheetError) return { ...answer, result: 'refused', message: error.message, ms }
    return { ...answer, result: 'broken', message: String((error as Error).stack).slice(0, 600), ms }
  }
}

let stored = Buffer.alloc(0)
for await (const chunk of process.stdin) {
  stored = Buffer.concat([stored, chunk as Buffer])
  while (stored.length >= 4 && stored.length >= 4 + stored.readUInt32LE(0)) {
    const size = stored.readUInt32LE(0)
    process.stdout.write(`${JSON.stringify(await judge(stored.subarray(4, 4 + size)))}\n`)
    stored = stored.subarray(4 + size)
  }
}
