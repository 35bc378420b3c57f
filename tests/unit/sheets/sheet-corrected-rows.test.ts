/**
 * Memory use of a corrected sheet of 100,000 rows is bounded: a process with a small heap compares both sheets; with
 * all cells in memory it does not.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { isFull, trial } from '../../support/run/trial.ts'
import type { Notified } from '../../support/sheets/corrected-child.ts'

const run = promisify(execFile)
const child = fileURLToPath(new URL('../../support/sheets/corrected-child.ts', import.meta.url))
const columns = 40
/** Megabytes of objects for this many rows; both sheets in full would take four times as much. */
const heap_mb = isFull ? 160 : 22

/** The output of the process, or null where its heap was too small. */
async function compared(rows: number, stored: 'traces' | 'whole'): Promise<Notified | null> {
  const flags = ['--no-warnings', `--max-old-space-size=${heap_mb}`]
  try {
    const { stdout } = await run(process.execPath, [...flags, child, String(rows), String(columns), stored], { env: {} })
    return JSON.parse(stdout) as Notified
  } catch (error) {
    if (String((error as { stderr?: string }).stderr).includes('heap')) return null
    throw error
  }
}

trial(
  'corrected-rows',
  'compares every row of a corrected sheet within a small heap',
  { full: 100_000, sample: 2_500, of: 'rows' },
  async ({ size, says }) => {
    // At most 200 changed rows are listed individually.
    const changed = Math.min(200, Math.floor((size + 1) / 100))
    const skipped = size / 10
    expect(await compared(size, 'traces')).toEqual({ changed, added: 0, removed: 0, again: size, skipped, isFull: false })
    expect(await compared(size, 'whole')).toBeNull()
    says(`${heap_mb} MB of heap`)
  },
)
