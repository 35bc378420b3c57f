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

/** Lines go out as they are made; stdout to a pipe blocks when the parent is slow, which is all the flow control needed. */
const say = (answer: Answer) => process.stdout.write(`${JSON.stringify(answer)}\n`)

async function main() {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  if (wanted === annotating) return annotated(Buffer.concat(chunks))
  const grids = await readGrids(Buffer.concat(chunks))
  chunks.length = 0
  const sheets = wanted === '' ? undefined : (JSON.parse(wanted) as string).split('\n').filter((name) => name.trim() !== '')
  const { understanding, grids: read } = understand(grids, sheets)
  say({ understanding, drawing: drawingOf(read, understanding) })
  for (const rows of rowsOf(read, understanding)) say({ rows })
  say({ end: true })
}

/** In: the problems as one JSON line, then the file. Out: an .xlsx file. */
async function annotated(input: Buffer) {
  const { annotate } = await import('./annotate.ts')
  const end = input.indexOf(10)
  const problems = JSON.parse(input.toString('utf8', 0, end)) as CellProblem[]
  process.stdout.write(annotate(await readGrids(input.subarray(end + 1)), problems))
}

main().catch((error: unknown) => {
  say({ unreadable: error instanceof SheetUnreadable ? error.message : sentences.damaged })
})
