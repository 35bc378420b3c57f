/**
 * The child process in which a file is opened. It may read this code and nothing else, has no environment, no secrets and a
 * small heap; what goes wrong in a parser goes wrong here. In: the file on stdin. Out: one JSON line per message on stdout.
 */

import type { Written } from '../annotate/annotate.ts'
import { deductionsOf } from '../profiles/deduction/deduction.ts'
import { packPeople } from '../profiles/roster/packed.ts'
import { rosterOf, type SaidRoles } from '../profiles/roster/roster.ts'
import { understand } from '../profiles/wage/understand.ts'
import { withheldOf } from '../profiles/withheld/withheld.ts'
import { readGrids } from '../read/read-grids.ts'
import { SheetUnreadable, sentences } from '../read/unreadable.ts'
import { type ChildAnswer, drawingOf, pagesOf } from './answer.ts'

/**
 * What is wanted, as the first line of the input: some sheets of wages read together (one is chosen where none is named), a list of staff, the lists of
 * deductions, what the withholding client has computed, or the file with its problems.
 */
export type WantedRead =
  | { readonly sheets?: readonly string[] | undefined }
  | { readonly deductions: true }
  | { readonly withheld: true }
  | { readonly roster: { readonly sheets?: readonly string[] | undefined; readonly roles?: SaidRoles | undefined } }
  | Written

/** Resolves when the line has gone out: whoever does not wait keeps every line in memory until the last. */
const sayLine = (line: string) => new Promise<void>((resolve) => void process.stdout.write(`${line}\n`, () => resolve()))
const say = (answer: ChildAnswer) => sayLine(JSON.stringify(answer))

async function main() {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  // Nobody needed it.
  if (chunks.length === 0) return
  const input = Buffer.concat(chunks)
  chunks.length = 0
  const end = input.indexOf(10)
  const wanted = JSON.parse(input.toString('utf8', 0, end)) as WantedRead
  const file = input.subarray(end + 1)
  if ('problems' in wanted) return annotated(file, wanted)
  const grids = await readGrids(file)
  if ('deductions' in wanted) return say({ deductions: deductionsOf(grids) })
  if ('withheld' in wanted) return say({ withheld: withheldOf(grids) })
  if ('roster' in wanted) {
    const { rows, ...roster } = rosterOf(grids, wanted.roster.sheets, wanted.roster.roles)
    return say({ roster, packed: packPeople(rows) })
  }
  const { understanding, grids: read } = understand(grids, wanted.sheets)
  // The sheets asked for are not there, or cannot be read together.
  if (read.length === 0) throw new SheetUnreadable(understanding.reason ?? sentences.no_data)
  await say({ understanding, drawing: drawingOf(read, understanding) })
  for (const page of pagesOf(read, understanding)) await sayLine(page)
  await say({ end: true })
}

/** Out: an .xlsx file. */
async function annotated(file: Buffer, written: Written) {
  const { annotate } = await import('../annotate/annotate.ts')
  process.stdout.write(annotate(await readGrids(file), written))
}

main().catch(async (error: unknown) => {
  await say({ unreadable: error instanceof SheetUnreadable ? error.message : sentences.damaged })
})
