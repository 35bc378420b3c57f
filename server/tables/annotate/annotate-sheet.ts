/** The uploaded workbook with its problems written beside the cells, made where every file is opened: in the child. */

import { childLimits, patience_ms, watchOver } from '../child/child-watch.ts'
import { takeChild } from '../child/children.ts'
import { type SeatWish, seats } from '../child/seats.ts'
import { containerOf } from '../read/container.ts'
import { SheetUnreadable, sentences } from '../read/unreadable.ts'
import type { Written } from './annotate.ts'

export type { CellProblem } from './annotate.ts'
export type { CellEdit } from './annotate-cells.ts'

export interface AnnotateOptions extends SeatWish, Written {}

/** What is made is larger than what came, but not without end. */
const most_bytes = 64 * 1024 * 1024
/** Beyond these, nobody reads comments: the first ones are shown. */
const most_problems = 20_000

/** An .xlsx file: 「问题清单」 and then every sheet. Throws `SheetUnreadable`, or the signal's reason. */
export async function annotateSheet(bytes: Uint8Array, { problems, edits, ...wish }: AnnotateOptions): Promise<Buffer> {
  const { signal } = wish
  signal?.throwIfAborted()
  containerOf(bytes)
  const release = await seats.take(wish)
  try {
    return await ask(bytes, JSON.stringify({ problems: problems.slice(0, most_problems), edits } satisfies Written), signal)
  } finally {
    release()
  }
}

function ask(bytes: Uint8Array, wanted: string, signal: AbortSignal | undefined): Promise<Buffer> {
  const child = takeChild()
  return new Promise<Buffer>((resolve, reject) => {
    const made: Buffer[] = []
    let size = 0
    const fail = (reason: unknown) => {
      child.kill('SIGKILL')
      reject(reason)
    }
    const aborted = () => fail(signal?.reason)
    const clock = setTimeout(() => fail(new SheetUnreadable(sentences.slow)), 2 * patience_ms)
    // Twice: it is read, and then made anew.
    const unwatch = watchOver(child, childLimits(bytes.length * 2), fail)
    signal?.addEventListener('abort', aborted, { once: true })
    child.once('error', fail)
    child.stdout?.on('data', (chunk: Buffer) => {
      made.push(chunk)
      size += chunk.length
      if (size > most_bytes) fail(new SheetUnreadable(sentences.too_big_inside))
    })
    child.once('close', (code, killed) => {
      clearTimeout(clock)
      unwatch()
      signal?.removeEventListener('abort', aborted)
      const answer = Buffer.concat(made)
      if (killed === 'SIGABRT' || code === 134) reject(new SheetUnreadable(sentences.too_big_inside))
      // An .xlsx is a zip; anything else the child says is why there is none.
      else if (code === 0 && answer.toString('latin1', 0, 2) === 'PK') resolve(answer)
      else reject(new SheetUnreadable(said(answer)))
    })
    // A child that dies early closes its stdin; what matters is then said by its end.
    child.stdin?.on('error', () => {})
    child.stdin?.write(`${wanted}\n`)
    child.stdin?.end(bytes)
  })
}

function said(answer: Buffer): string {
  try {
    return (JSON.parse(answer.toString('utf8')) as { unreadable: string }).unreadable
  } catch {
    return sentences.damaged
  }
}
