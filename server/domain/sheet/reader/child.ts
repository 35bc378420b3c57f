/**
 * The child process in which a file is opened. It may read this code and nothing else, has no environment, no secrets and a
 * small heap; what goes wrong in a parser goes wrong here. In: the file on stdin. Out: one JSON line per message on stdout.
 */
import { understand } from '../rules/understand.ts'
import type { CellProblem } from './annotate.ts'
import { type Answer, drawingOf, rowsOf } from './answer.ts'
import { readGrids } from './read-grids.ts'
import { SheetUnreadable, sentences } from './unreadable.ts'

/** Empty, the names of sheets as JSON, or the word for the other thing that is done in here. */
const [wanted = ''] = process.argv.slice(2)
const annotating = 'annotate'

/** Resolves when the line has gone out: whoever does not wait keeps every line in memory until the last. */
const say = (answer: Answer) =>
  new Promise<void>((resolve) => void process.stdout.write(`${JSON.stringify(answer)}\n`, () => resolve()))

async function main() {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  const input = Buffer.concat(chunks)
  chunks.length = 0
  if (wanted === annotating) return annotated(input)
  const grids = await readGrids(input)
  const sheets = wanted === '' ? undefined : (JSON.parse(wanted) as string).split('\n').filter((name) => name.trim() !== '')
  if (sheets?.some((name) => !grids.some((grid) => grid.name.trim() === name.trim())))
    throw new SheetUnreadable(sentences.no_sheet)
  const { understanding, grids: read } = understand(grids, sheets)
  await say({ understanding, drawing: drawingOf(read, understanding) })
  for (const rows of rowsOf(read, understanding)) await say({ rows })
  await say({ end: true })
}

/** In: the problems as one JSON line, then the file. Out: an .xlsx file. */
async function annotated(input: Buffer) {
  const { annotate } = await import('./annotate.ts')
  const end = input.indexOf(10)
  const problems = JSON.parse(input.toString('utf8', 0, end)) as CellProblem[]
  process.stdout.write(annotate(await readGrids(input.subarray(end + 1)), problems))
}

main().catch(async (error: unknown) => {
  await say({ unreadable: error instanceof SheetUnreadable ? error.message : sentences.damaged })
})
