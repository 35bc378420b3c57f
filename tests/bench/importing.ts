/**
 * Benchmarks a wage sheet from the upload to the checked batch, by the real calls, and observes its child process from
 * outside.
 */
import { readdirSync, readFileSync } from 'node:fs'
import * as sheet from '../../server/contract/sheets/sheet.ts'
import { discardQueryPlans } from '../../server/database/query-plans.ts'
import { newId } from '../../server/shared/ids.ts'
import { readSheet } from '../../server/spreadsheets/child/read-sheet.ts'
import { type Caller, type Corp, startWorld, type World } from '../support/world.ts'
import { person, tallSheet } from './baseline.ts'

export type Round = { readonly upload: number; readonly check: number }
export type Import = { readonly bytes: Buffer; round(): Promise<Round> }

/**
 * Runs imports. `of` builds a wage sheet and a company that employs exactly the employees in it, and imports it as
 * often as requested.
 */
export async function importing(work: (of: (people: number) => Promise<Import>) => Promise<void>): Promise<void> {
  const world = await startWorld()
  try {
    await work(async (people) => {
      const corp = await world.createCompany()
      const caller = await world.signIn(await corp.person({ power: ['2'] }))
      await employ(world, corp, people)
      const bytes = tallSheet(people, 40)
      return { bytes, round: () => one(world, caller, bytes, people) }
    })
  } finally {
    await world.close()
  }
}

let month = 0

/** Uploads with another month and kind each time, so that nothing is compared with the previous import. */
async function one(world: World, caller: Caller, bytes: Buffer, people: number): Promise<Round> {
  // The rate limit counts uploads by the minute.
  world.clock.advance(60_000)
  month += 1
  const began = performance.now()
  const { batch_id, rows } = await caller.must(sheet.uploadWageExcel, {}, { file: { name: 'bench.xlsx', bytes } })
  const upload = performance.now() - began
  await caller.must(sheet.insertBatchTitle, { batch_id, title: `第 ${month} 次`, month: '2026-10' })
  const since = performance.now()
  const { counts } = await caller.must(sheet.checkWageData, { batch_id })
  const check = performance.now() - since
  if (rows !== people || counts.status !== 'checked')
    throw new Error(`${rows} rows, ${counts.status}, ${JSON.stringify(counts.kinds)}`)
  await caller.must(sheet.clearBatchTitle, { batch_id })
  return { upload, check }
}

export async function employ({ database, clock }: World, { company_id, root_id }: Corp, count: number): Promise<void> {
  await database.inCompany(company_id, async (tx) => {
    for (let from = 0; from < count; from += 1_000) {
      const members = Array.from({ length: Math.min(1_000, count - from) }, (_, at) => ({
        company_id,
        id: newId(),
        ...person(from + at),
        created_at: clock.now(),
      }))
      await tx.insertInto('member').values(members).execute()
      await discardQueryPlans(tx)
      await tx
        .insertInto('member_department')
        .values(members.map(({ id }) => ({ company_id, member_id: id, department_id: root_id })))
        .execute()
    }
  })
}

export type Reading = { readonly first: number; readonly full: number; readonly peak_mb: number }

/**
 * Measures the milliseconds until the wage sheet is recognized and until its last row is read, and the peak memory of
 * the child process.
 */
export async function reading(bytes: Buffer): Promise<Reading> {
  let peak_mb = 0
  const view = () => {
    for (const pid of children()) peak_mb = Math.max(peak_mb, getPeak(pid))
  }
  const clock = setInterval(view, 10)
  try {
    const began = performance.now()
    const { pages } = await readSheet(bytes, { file_name: 'bench.xlsx' })
    const first = performance.now() - began
    for await (const _ of pages) view()
    return { first, full: performance.now() - began, peak_mb }
  } finally {
    clearInterval(clock)
  }
}

/** Returns the child processes that read wage sheets. */
function children(): string[] {
  const pids = readdirSync('/proc/self/task').flatMap((task) => read(`/proc/self/task/${task}/children`).split(' '))
  return pids.filter((pid) => pid !== '' && /(reader\/\w+|tables\/child)\/child\./.test(read(`/proc/${pid}/cmdline`)))
}
const getPeak = (pid: string): number => Number(/VmHWM:\s*(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // The process has just ended.
    return ''
  }
}
