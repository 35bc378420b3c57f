/** Creates the uploaded workbook with issues as cell comments, in the child process in which every file is opened. */

import { getChildLimits, readerTimeoutMs, watchLimits } from '../child/child-watch.ts'
import { acquireChild } from '../child/children.ts'
import { readerSlots, type SlotRequest } from '../child/reader-slots.ts'
import { detectContainer } from '../read/container.ts'
import { UnreadableSheetError, unreadableMessages } from '../read/unreadable-error.ts'
import type { Annotations } from './annotate.ts'

export type { CellIssue } from './annotate.ts'
export type { CellEdit } from './annotate-cells.ts'

export interface AnnotateOptions extends SlotRequest, Annotations {}

/** The result is larger than the upload, but must be bounded. */
const maxOutputBytes = 64 * 1024 * 1024
/** More comments would not be read; only the first ones are written. */
const maxIssues = 20_000

/** Returns an .xlsx file with 「问题清单」 followed by every sheet. Throws `UnreadableSheetError`, or the signal's reason. */
export async function annotateSheet(bytes: Uint8Array, { issues, edits, ...seatRequest }: AnnotateOptions): Promise<Buffer> {
  const { signal } = seatRequest
  signal?.throwIfAborted()
  detectContainer(bytes)
  const release = await readerSlots.acquire(seatRequest)
  try {
    return await requestAnnotation(
      bytes,
      JSON.stringify({ issues: issues.slice(0, maxIssues), edits } satisfies Annotations),
      signal,
    )
  } finally {
    release()
  }
}

function requestAnnotation(bytes: Uint8Array, request: string, signal: AbortSignal | undefined): Promise<Buffer> {
  const child = acquireChild()
  return new Promise<Buffer>((resolve, reject) => {
    const made: Buffer[] = []
    let size = 0
    const fail = (reason: unknown) => {
      child.kill('SIGKILL')
      reject(reason)
    }
    const aborted = () => fail(signal?.reason)
    const clock = setTimeout(() => fail(new UnreadableSheetError(unreadableMessages.slow)), 2 * readerTimeoutMs)
    // The limits are doubled because the file is read and then written.
    const unwatch = watchLimits(child, getChildLimits(bytes.length * 2), fail)
    signal?.addEventListener('abort', aborted, { once: true })
    child.once('error', fail)
    child.stdout?.on('data', (chunk: Buffer) => {
      made.push(chunk)
      size += chunk.length
      if (size > maxOutputBytes) fail(new UnreadableSheetError(unreadableMessages.too_big_inside))
    })
    child.once('close', (code, killed) => {
      clearTimeout(clock)
      unwatch()
      signal?.removeEventListener('abort', aborted)
      const answer = Buffer.concat(made)
      if (killed === 'SIGABRT' || code === 134) reject(new UnreadableSheetError(unreadableMessages.too_big_inside))
      // An .xlsx file is a zip; any other output of the child explains the failure.
      else if (code === 0 && answer.toString('latin1', 0, 2) === 'PK') resolve(answer)
      else reject(new UnreadableSheetError(readChildError(answer)))
    })
    // A child that exits early closes its stdin; the error is then reported by its exit.
    child.stdin?.on('error', () => {})
    child.stdin?.write(`${request}\n`)
    child.stdin?.end(bytes)
  })
}

function readChildError(answer: Buffer): string {
  try {
    return (JSON.parse(answer.toString('utf8')) as { unreadable: string }).unreadable
  } catch {
    return unreadableMessages.damaged
  }
}
