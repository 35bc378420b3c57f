/**
 * What a child may use while it opens a file: time of a processor and memory, by what the file weighs. Where the system does not tell (no
 * Linux), the clock on the wall and the heap remain.
 */
import type { ChildProcess } from 'node:child_process'
import { setPriority } from 'node:os'
import { getProcessUsage } from '../../shared/processes.ts'
import { UnreadableSheetError, unreadableMessages } from '../read/unreadable-error.ts'

const megabyte = 1024 * 1024
/** A hundred thousand rows of forty columns are 20 MB, take six seconds and 303 MB; ten thousand are 2 MB, 0.8 s and 159 MB. */
const baseCpuMs = 6_000
const cpuMsPerMegabyte = 600
const baseMemoryBytes = 256 * megabyte
/** Beyond so many bytes, a file may take more memory than that. */
const largeFileBytes = 6 * megabyte
const memoryPerByte = 8
const checkIntervalMs = 100
/**
 * How long a file may take by the clock. Where the system tells what a child uses, that is what is limited, and a good sheet is not refused because
 * the machine has much else to do; this only ends a child that does nothing. Elsewhere it is all there is.
 */
export const readerTimeoutMs = process.platform === 'linux' ? 90_000 : 15_000

/** Whoever waits for an answer comes before whoever waits for a file to be read: children have the lower priority. */
export function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid) setPriority(pid, 5)
  } catch {
    // It has ended, or the system forbids it: then it is only not so polite.
  }
}

export type ChildLimits = { readonly cpu_ms: number; readonly memory: number }
export const getChildLimits = (file_bytes: number): ChildLimits => ({
  cpu_ms: baseCpuMs + (file_bytes / 1_000_000) * cpuMsPerMegabyte,
  memory: baseMemoryBytes + Math.max(0, file_bytes - largeFileBytes) * memoryPerByte,
})

/** Tells `over`, once, when this child has used more than it may; the returned function stops watching. */
export function watchLimits(
  { pid }: ChildProcess,
  limits: ChildLimits,
  over: (reason: UnreadableSheetError) => void,
): () => void {
  let before_ms: number | null = null
  let busy = false
  const check = async (): Promise<void> => {
    if (busy || !pid) return
    busy = true
    const used = await getProcessUsage(pid)
    busy = false
    if (!used) return
    // Getting ready, before the file came, is not the file's cost.
    before_ms ??= used.cpu_ms
    const message =
      used.memory > limits.memory
        ? unreadableMessages.too_big_inside
        : used.cpu_ms - before_ms > limits.cpu_ms
          ? unreadableMessages.slow
          : null
    if (message === null) return
    clearInterval(clock)
    over(new UnreadableSheetError(message))
  }
  const clock = setInterval(() => void check(), checkIntervalMs)
  clock.unref()
  return () => clearInterval(clock)
}
