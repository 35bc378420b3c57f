/**
 * Setup file of every project: records how much CPU time each test file took in its worker (with the browser, servers
 * and child processes that the worker started), one line of JSON a file. `npm test` prints the most expensive ones.
 */
import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import { afterAll, expect } from 'vitest'
import { getProcessorSeconds } from './processor.ts'

export type FileCost = { readonly file: string; readonly seconds: number }
/** The environment variable that names the file to append to. */
export const costsVariable = 'XINHAN_PROCESSOR_COSTS'

const lastTotal = Symbol.for('xinhan: processor seconds at the end of the last test file')
// A worker reuses its modules from one file to the next, so the total of the last file is stored globally.
const shared = globalThis as { [lastTotal]?: number }

const costs = process.env[costsVariable]
if (costs)
  afterAll(() => {
    const total = getProcessorSeconds()
    if (total === null) return
    const file = relative(process.cwd(), expect.getState().testPath ?? '').replace(/^.*?(?=tests\/)/, '')
    const cost: FileCost = { file, seconds: total - (shared[lastTotal] ?? 0) }
    shared[lastTotal] = total
    appendFileSync(costs, `${JSON.stringify(cost)}\n`)
  })
