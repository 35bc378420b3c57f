/**
 * Reads an uploaded file into a recognition result. The file is opened in its own child process with a time limit and a
 * small heap; the server stores neither the workbook nor its grid.
 */
import type { ChildProcess } from 'node:child_process'
import { setImmediate as rotate } from 'node:timers/promises'
import type { DeductionLists } from '../profiles/deduction/deduction.ts'
import type { MemberAmountKind, MemberAmountList } from '../profiles/member-amounts/member-amounts.ts'
import { type PackedRoster, unpackRoster } from '../profiles/roster/packed-roster.ts'
import type { RecognizedRoster, RolesByLetter } from '../profiles/roster/result.ts'
import type { RecognitionResult } from '../profiles/wage/recognize-workbook.ts'
import type { WithholdingResult } from '../profiles/withheld/withheld.ts'
import { detectContainer } from '../read/container.ts'
import { UnreadableSheetError, unreadableMessages } from '../read/unreadable-error.ts'
import type { ReadRequest } from './child.ts'
import { getChildLimits, readerTimeoutMs, watchLimits } from './child-watch.ts'
import { acquireChild } from './children.ts'
import { readerSlots, type SlotRequest } from './reader-slots.ts'
import type { ReaderResponse, SheetLayout } from './response.ts'

export { UnreadableSheetError } from '../read/unreadable-error.ts'
export type { SheetLayout } from './response.ts'

export interface ReadOptions extends SlotRequest {
  /** The name is used in messages only; the file type is detected from the bytes. */
  file_name: string
  /** The sheets to read together, one name per line; by default the one that looks most like the requested kind. */
  sheet?: string | undefined
  /** Called when a slot was acquired. */
  started?: (() => void) | undefined
}

export interface ReadSheetResult {
  recognition: RecognitionResult
  sheetLayout: SheetLayout
  /**
   * The member rows, readable once: pages of 250 rows in stored form (`PackedRows` in JSON), with event loop turns in
   * between. Leaving early ends the child.
   */
  pages: AsyncIterable<string>
}

/** A hundred thousand rows are 20 MB and five seconds alone; with both slots taken on a busy machine several times that. */
const timeoutMsPerMegabyte = 1_500
/** Rows that are not consumed are not kept in memory longer than this. */
const idleTimeoutMs = 60_000
/** Maximum size of lines buffered for the consumer; beyond it the child waits. */
const maxBufferedBytes = 16 * 1024 * 1024

/** Starts a child with the file and the request as soon as a slot is free. */
async function startReader(bytes: Uint8Array, request: ReadRequest, options: ReadOptions): Promise<ChildLineReader> {
  const { signal, started } = options
  signal?.throwIfAborted()
  detectContainer(bytes)
  const release = await readerSlots.acquire(options)
  started?.()
  try {
    return new ChildLineReader(acquireChild(), request, bytes, signal, release)
  } catch (error) {
    release()
    throw error
  }
}

const parseSheetNames = ({ sheet }: ReadOptions) => sheet?.split('\n').filter((name) => name.trim() !== '')

/** Rows in the form sent by the child, to be stored as they are. */
export type ReadRosterResult = RecognizedRoster & { readonly packed: PackedRoster }

/** Reads a roster. Throws like `readSheet`. */
export async function readRoster(bytes: Uint8Array, options: ReadOptions & { roles?: RolesByLetter }): Promise<ReadRosterResult> {
  const lines = await startReader(bytes, { roster: { sheets: parseSheetNames(options), roles: options.roles } }, options)
  const answer = await readNextResponse(lines)
  lines.stop()
  if (!answer || !('roster' in answer)) throw new UnreadableSheetError(unreadableMessages.damaged)
  return { ...answer.roster, rows: unpackRoster(answer.packed), packed: answer.packed }
}

/** Reads the official deduction lists. Throws like `readSheet`. */
export async function readDeductions(bytes: Uint8Array, options: ReadOptions): Promise<DeductionLists> {
  const lines = await startReader(bytes, { deductions: true }, options)
  const answer = await readNextResponse(lines)
  lines.stop()
  if (!answer || !('deductions' in answer)) throw new UnreadableSheetError(unreadableMessages.damaged)
  return answer.deductions
}

/** Reads the result file of the withholding client. Throws like `readSheet`. */
export async function readWithheld(bytes: Uint8Array, options: ReadOptions): Promise<WithholdingResult> {
  const lines = await startReader(bytes, { withheld: true }, options)
  const answer = await readNextResponse(lines)
  lines.stop()
  if (!answer || !('withheld' in answer)) throw new UnreadableSheetError(unreadableMessages.damaged)
  return answer.withheld
}

/** Reads a list of amounts per member. Throws like `readSheet`. */
export async function readMemberAmounts(
  bytes: Uint8Array,
  options: ReadOptions & { kind: MemberAmountKind },
): Promise<MemberAmountList> {
  const lines = await startReader(bytes, { member_amounts: options.kind }, options)
  const answer = await readNextResponse(lines)
  lines.stop()
  if (!answer || !('member_amounts' in answer)) throw new UnreadableSheetError(unreadableMessages.damaged)
  return answer.member_amounts
}

/** Throws `UnreadableSheetError` with a message for the user, or the signal's reason. */
export async function readSheet(bytes: Uint8Array, options: ReadOptions): Promise<ReadSheetResult> {
  const lines = await startReader(bytes, { sheets: parseSheetNames(options) }, options)
  const first = await readNextResponse(lines)
  if (!first || !('recognition' in first)) {
    lines.stop()
    throw new UnreadableSheetError(unreadableMessages.damaged)
  }
  return { recognition: first.recognition, sheetLayout: first.sheetLayout, pages: streamPageLines(lines) }
}

async function* streamPageLines(lines: LineSource): AsyncGenerator<string> {
  try {
    for (;;) {
      const line = (await lines.next())?.toString('utf8')
      // The contents of a page are validated where it is stored.
      if (line?.startsWith('[')) yield line
      else {
        const answer = line === undefined ? null : parseResponse(lines, line)
        if (answer && 'end' in answer) return
        throw new UnreadableSheetError(unreadableMessages.damaged)
      }
      await rotate()
    }
  } finally {
    lines.stop()
  }
}

async function readNextResponse(lines: LineSource): Promise<ReaderResponse | null> {
  const line = await lines.next()
  return line === null ? null : parseResponse(lines, line.toString('utf8'))
}

function parseResponse(lines: LineSource, line: string): ReaderResponse {
  const answer = JSON.parse(line) as ReaderResponse
  if (!('unreadable' in answer)) return answer
  lines.stop()
  throw new UnreadableSheetError(answer.unreadable)
}

interface LineSource {
  /** Returns the next line; null when the child has exited. */
  next(): Promise<Buffer | null>
  stop(): void
}

class ChildLineReader implements LineSource {
  private readonly lines: Buffer[] = []
  private part: Buffer[] = []
  private bufferedBytes = 0
  private ended = false
  private failure: unknown
  private wake: (() => void) | undefined
  private clock: NodeJS.Timeout | undefined
  private used_ms = 0
  private readonly wall_ms: number
  private readonly child: ChildProcess
  private readonly idle: NodeJS.Timeout

  constructor(
    child: ChildProcess,
    requested: ReadRequest,
    bytes: Uint8Array,
    signal: AbortSignal | undefined,
    release: () => void,
  ) {
    this.child = child
    // The clock runs only while a consumer is waiting.
    this.wall_ms = readerTimeoutMs + (bytes.length / 1_000_000) * timeoutMsPerMegabyte
    const aborted = () => this.fail(signal?.reason)
    signal?.addEventListener('abort', aborted, { once: true })
    this.idle = setTimeout(() => this.fail(new UnreadableSheetError(unreadableMessages.slow)), idleTimeoutMs + this.wall_ms)
    this.idle.unref()
    const unwatch = watchLimits(child, getChildLimits(bytes.length), (reason) => this.fail(reason))
    child.once('error', (error) => this.fail(error))
    child.once('close', (code, killed) => {
      // Out of memory is an abort; any other unexpected exit is reported as a damaged file.
      if (killed === 'SIGABRT' || code === 134) this.failure ??= new UnreadableSheetError(unreadableMessages.too_big_inside)
      signal?.removeEventListener('abort', aborted)
      unwatch()
      clearTimeout(this.idle)
      this.ended = true
      this.wake?.()
      release()
    })
    child.stdout?.on('data', (chunk: Buffer) => this.receive(chunk))
    // A child that exits early closes its stdin; the error is then reported by its exit.
    child.stdin?.on('error', () => {})
    child.stdin?.write(`${JSON.stringify(requested)}\n`)
    child.stdin?.end(bytes)
  }

  private receive(chunk: Buffer) {
    let from = 0
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      this.lines.push(this.part.length > 0 ? Buffer.concat([...this.part, chunk.subarray(from, at)]) : chunk.subarray(from, at))
      this.part = []
      from = at + 1
    }
    if (from < chunk.length) this.part.push(chunk.subarray(from))
    this.bufferedBytes += chunk.length
    if (this.bufferedBytes > maxBufferedBytes && this.lines.length > 0) this.child.stdout?.pause()
    if (this.lines.length > 0) this.wake?.()
  }

  async next(): Promise<Buffer | null> {
    this.idle.refresh()
    while (this.lines.length === 0 && !this.ended && this.failure === undefined) await this.wait()
    if (this.failure !== undefined) throw this.failure
    const line = this.lines.shift()
    if (!line) return null
    this.bufferedBytes -= line.length + 1
    if (this.bufferedBytes < maxBufferedBytes / 2) this.child.stdout?.resume()
    return line
  }

  private async wait() {
    const since = performance.now()
    this.clock = setTimeout(
      () => this.fail(new UnreadableSheetError(unreadableMessages.slow)),
      Math.max(0, this.wall_ms - this.used_ms),
    )
    await new Promise<void>((resolve) => {
      this.wake = resolve
    })
    this.wake = undefined
    clearTimeout(this.clock)
    this.used_ms += performance.now() - since
  }

  private fail(reason: unknown) {
    this.failure ??= reason ?? new UnreadableSheetError(unreadableMessages.damaged)
    this.stop()
    this.wake?.()
  }

  stop() {
    clearTimeout(this.clock)
    clearTimeout(this.idle)
    this.lines.length = 0
    this.part = []
    if (!this.ended) this.child.kill('SIGKILL')
  }
}
