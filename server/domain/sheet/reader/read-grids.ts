/** Bytes to grids. Runs in the child only; a parser is loaded when its kind of file has come. */
import type { Grid } from '../rules/grid.ts'
import { containerOf } from './container.ts'
import { SheetUnreadable, sentences } from './unreadable.ts'

export async function readGrids(bytes: Buffer): Promise<Grid[]> {
  const grids = await parse(bytes)
  if (grids.every((grid) => grid.rows.length === 0)) throw new SheetUnreadable(sentences.no_data)
  return grids
}

async function parse(bytes: Buffer): Promise<Grid[]> {
  const container = containerOf(bytes)
  if (container === 'text') return (await import('./text.ts')).readText(bytes)
  const { readCfb, readZip } = await import('./workbook.ts')
  return container === 'zip' ? readZip(bytes) : readCfb(bytes)
}
