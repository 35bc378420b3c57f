/**
 * Limits of CPU time and memory for a child process that opens a file, by the size of the file. If the system does not
 * report usage (not Linux), the wall clock and the heap limit apply.
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
/** Larger files get additional memory for each byte above this size. */
const largeFileBytes = 6 * megabyte
const memoryPerByte = 8
const checkIntervalMs = 100
/**
 * Wall clock limit for a file. Where the system reports usage, usage is limited, so that a valid wage sheet is not
 * rejected because the machine is busy; this limit then only ends an idle child. Elsewhere it is the only limit.
 */
export const readerTimeoutMs = process.platform === 'linux' ? 90_000 : 15_000

/** Gives children a lower priority, because requests that wait for a response are more urgent than files to be read. */
export function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid) setPriority(pid, 5)
  } catch {
    // The child has exited, or the system does not permit it; then its priority is unchanged.
  }
}

export type ChildLimits = { readonly cpu_ms: number; readonly memory: number }
export const getChildLimits = (file_bytes: number): ChildLimits => ({
  cpu_ms: baseCpuMs + (file_bytes / 1_000_000) * cpuMsPerMegabyte,
  memory: baseMemoryBytes + Math.max(0, file_bytes - largeFileBytes) * memoryPerByte,
})

/** Calls `over` once when the child exceeds its limits; the returned function stops watching. */
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
    // CPU time spent before the file arrived does not count.
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
